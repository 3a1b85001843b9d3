// A tool: its input and output schemas, its handler, and its definition for a client.
import type { Tool as ToolDefinition } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { issueWords } from "../../http/schemas/issue-words.ts";

/** The part of the client that the tools use. */
export type RecallWorker = Pick<
  WorkerClient,
  "projects" | "search" | "timeline" | "recent" | "observationsOf" | "summary" | "prompt" | "keep" | "judge"
>;

/** Who calls. */
export interface ToolCaller {
  /** The host agent, as its MCP client names itself. */
  host: string | undefined;
}

/** An answer in two forms: structured for programs, and lines to be quoted. */
export interface ToolAnswer {
  structured: Record<string, unknown>;
  lines: readonly string[];
}

interface Described {
  name: string;
  title: string;
  description: string;
  /** Absent for a tool that only reads. */
  writes?: true;
}

export type Tool = Described & {
  input: z.ZodType;
  /** Throws `usage` for what its input schema refuses. */
  run(worker: RecallWorker, given: unknown, caller: ToolCaller): Promise<ToolAnswer>;
};

/** A tool whose handler is typed by its input schema. */
export function defineTool<I extends z.ZodType>(
  described: Described & { input: I },
  handle: (worker: RecallWorker, given: z.output<I>, caller: ToolCaller) => Promise<ToolAnswer>,
): Tool {
  return {
    ...described,
    run: async (worker, given, caller) => {
      const read = (value: unknown) => described.input.safeParse(value, { error: issueWords });
      const first = read(given);
      const parsed = first.success ? first : read(withLists(given, first.error));
      if (parsed.success) return handle(worker, parsed.data, caller);
      throw refused(described.name, parsed.error);
    },
  };
}

/** Some models send a list as text: `"[2, 4]"`, `"2,4"` or `2`. */
function withLists(given: unknown, { issues }: z.ZodError): unknown {
  const refused = new Set(
    issues.map((issue) => ("expected" in issue && issue.expected === "array" ? issue.path[0] : null)),
  );
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, refused.has(name) ? listIn(value) : value]),
  );
}

function listIn(value: unknown): unknown {
  if (typeof value !== "string") return typeof value === "number" ? [value] : value;
  const entries = value.replace(/^\s*\[|\]\s*$/g, "").split(",");
  return entries.map((entry) => entry.trim().replace(/^["']|["']$/g, "")).filter(Boolean);
}

/** The tool as a client lists it; every session pays for these words. Codex asks the user without the annotations. */
export function definitionOf({ name, title, description, input, writes }: Tool): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: objectSchema(input),
    annotations: { title, readOnlyHint: writes !== true, destructiveHint: false, openWorldHint: false },
  };
}

function objectSchema(schema: z.ZodType): ToolDefinition["inputSchema"] {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify({ ...made, type: "object" }, withoutNoise));
}

// Patterns of whole calendars and the largest integer tell an agent nothing.
function withoutNoise(name: string, value: unknown): unknown {
  if (name === "pattern" && typeof value === "string" && value.length > longestPattern) return undefined;
  return name === "maximum" && value === Number.MAX_SAFE_INTEGER ? undefined : value;
}

const longestPattern = 60;
const maxIssues = 5;
const maxChars = 300;

function refused(name: string, error: z.ZodError): MemError {
  const issues = error.issues.slice(0, maxIssues).map(({ path, message }) => {
    const where = path.length === 0 ? "" : `\`${path.join(".")}\`: `;
    return `${where}${message}`.slice(0, maxChars);
  });
  return new MemError("usage", {
    message: `${issues.join("; ")}.`,
    hint: `See the input schema of ${name}.`,
  });
}
