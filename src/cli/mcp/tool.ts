// A tool: its input and output schemas, its handler, and its definition for a client.
import type { Tool as ToolDefinition } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { issueWords } from "../../http/schemas/issue-words.ts";

/** The part of the client that the tools use. */
export type RecallWorker = Pick<
  WorkerClient,
  "projects" | "search" | "timeline" | "recent" | "observationsOf" | "summary" | "prompt"
>;

/** An answer in two forms: structured for programs, and lines to be quoted. */
export interface ToolAnswer {
  structured: Record<string, unknown>;
  lines: readonly string[];
}

interface Described {
  name: string;
  title: string;
  description: string;
  output: z.ZodType;
}

export type Tool = Described & {
  input: z.ZodType;
  /** Throws `usage` for what its input schema refuses. */
  run(worker: RecallWorker, given: unknown): Promise<ToolAnswer>;
};

/** A tool whose handler is typed by its input schema. */
export function defineTool<I extends z.ZodType>(
  described: Described & { input: I },
  handle: (worker: RecallWorker, given: z.output<I>) => Promise<ToolAnswer>,
): Tool {
  return {
    ...described,
    run: async (worker, given) => {
      const parsed = described.input.safeParse(given, { error: issueWords });
      if (parsed.success) return handle(worker, parsed.data);
      throw refused(described.name, parsed.error);
    },
  };
}

/** The tool as a client lists it. No tool changes anything. */
export function definitionOf({ name, title, description, input, output }: Tool): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: objectSchema(input, "input"),
    outputSchema: objectSchema(output, "output"),
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

function objectSchema(schema: z.ZodType, io: "input" | "output"): ToolDefinition["inputSchema"] {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return JSON.parse(JSON.stringify({ ...made, type: "object" }));
}

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
