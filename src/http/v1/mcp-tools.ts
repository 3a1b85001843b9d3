// The reading tools of the hosted server's MCP endpoint: search, context, recent.
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { MemError, toMemError } from "../../core/errors.ts";
import type { Caller, ProjectScope } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { inWordsOf } from "../plugins/errors.ts";
import { contextAnswer, observationsAnswer } from "../schemas/v1-recall.ts";
import { hostedErrorWords } from "./error-words.ts";
import { type McpTool, toolError } from "./mcp-protocol.ts";
import { demandProject, type ProjectScopePorts } from "./project-scope.ts";
import { notesOf, observationOnWire, type RecallPorts, readRecords, type SearchAnswer } from "./recall.ts";

export interface ToolCaller {
  caller: Caller;
  request_id: string;
  /** Logs faults of the server. */
  onFault(cause: unknown): void;
}

export function recallTools(ports: RecallPorts): McpTool<ToolCaller>[] {
  const tool = (described: Described): McpTool<ToolCaller> => ({
    definition: definitionOf(described),
    call: (by, given) =>
      answered(by, async () => {
        const read = await find(ports, described, by, given);
        const text = await textOf(ports, described, by, read);
        const { notes = [] } = described.withQuery ? notesOf(ports, read) : {};
        const answer = {
          observations: read.found.map(observationOnWire),
          ...(notes.length === 0 ? {} : { notes }),
        };
        return {
          content: [{ type: "text", text: [...notes, text === "" ? nothing : text].join("\n\n") }],
          structuredContent: described.withContext ? { ...answer, context: text } : answer,
        };
      }),
  });
  return [tool(search), tool(context), tool(recent)];
}

interface Described {
  name: "search" | "context" | "recent";
  title: string;
  description: string;
  withQuery: boolean;
  withContext: boolean;
  limit: { fallback: number; max: number };
}

const search: Described = {
  name: "search",
  title: "Search the memory",
  description: "Find what was learned in earlier sessions of the project, by words, the best first.",
  withQuery: true,
  withContext: false,
  limit: { fallback: 20, max: 100 },
};

const context: Described = {
  name: "context",
  title: "Context for a question",
  description: "Find records for a question, as one text that is ready to inject.",
  withQuery: true,
  withContext: true,
  limit: { fallback: 10, max: 50 },
};

const recent: Described = {
  name: "recent",
  title: "Newest records",
  description: "The newest records of the project.",
  withQuery: false,
  withContext: false,
  limit: { fallback: 20, max: 100 },
};

const contextTokens = 2_400;
const nothing = "Nothing was found.";
const anyRecord = { kind: null, obs_type: null, platform_source: null };

interface FoundByTool extends SearchAnswer {
  scope: ProjectScope;
  /** Null for a tool without a query. */
  words: string | null;
}

function textOf(
  ports: RecallPorts,
  { withContext }: Described,
  { caller }: ToolCaller,
  { found, scope, words }: FoundByTool,
): Promise<string> | string {
  if (!withContext) return ports.contextOf(found, contextTokens);
  return ports.passedOn({ caller, scope, words, found, tokens: contextTokens });
}

async function find(
  ports: RecallPorts,
  { name, withQuery, limit }: Described,
  { caller, request_id }: ToolCaller,
  given: JsonObject,
): Promise<FoundByTool> {
  const most = clamped(given.limit, limit);
  const words = withQuery ? demandText("query", given.query) : null;
  const projectId = given.projectId === undefined ? undefined : demandText("projectId", given.projectId);
  const scope = await demandNamedProject(ports, caller, projectId);
  const by = { caller, by: `mcp:${name}`, request_id };
  const answer = await readRecords(ports, scope, { by, words, filter: anyRecord, limit: most });
  return { ...answer, scope, words };
}

const mostNames = 20;

/**
 * An agent has only these tools, so a missing project is answered with the list. A wrong one gets the same answer whether it
 * exists or not.
 */
export async function demandNamedProject(
  ports: ProjectScopePorts,
  caller: Caller,
  projectId: string | undefined,
): Promise<ProjectScope> {
  try {
    return await demandProject(caller, projectId, ports);
  } catch (thrown) {
    if (!(thrown instanceof MemError) || !["invalid_request", "not_found"].includes(thrown.code))
      throw thrown;
    const hint =
      thrown.code === "not_found"
        ? withoutProject
        : projectsInWords(await ports.names(caller, mostNames + 1));
    throw new MemError(thrown.code, { message: thrown.message, hint, cause: thrown });
  }
}

const withoutProject =
  "Call the tool without `projectId`: a key of one project needs none, for any other key the error lists its projects.";

function projectsInWords(names: readonly string[]): string {
  if (names.length === 0) return "The team has none yet.";
  const shown = names.slice(0, mostNames).map((name) => JSON.stringify(terminalLine(name)));
  return `There are: ${shown.join(", ")}${names.length > mostNames ? ", and others" : ""}.`;
}

const maxTextChars = 100_000;

function demandText(name: string, value: unknown): string {
  if (typeof value === "string" && value.length <= maxTextChars) return value;
  throw new MemError("invalid_request", {
    message: `\`${name}\` must be a text of at most 100,000 characters.`,
    hint: "Call the tool again with it.",
  });
}

// Clamps, so that a model with a wrong limit still gets an answer. The REST routes answer 400.
function clamped(value: unknown, { fallback, max }: Described["limit"]): number {
  if (value === undefined || value === null) return fallback;
  if (typeof value !== "number")
    throw new MemError("invalid_request", {
      message: "`limit` must be a number.",
      hint: "Call the tool again with one, or without it.",
    });
  return Math.min(max, Math.max(1, Math.trunc(value)));
}

/** The result of a tool; a failure is one that says so. */
export async function answered(
  { onFault }: ToolCaller,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await run();
  } catch (thrown) {
    const error = inWordsOf(hostedErrorWords, toMemError(thrown));
    if (error.status >= 500) onFault(thrown);
    const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
    return toolError(error.hint === undefined ? message : `${message} ${error.hint}`);
  }
}

export const projectWords =
  "Which project, by its name or id. A key of one project needs none; a key of a whole team must name one.";

function definitionOf({ name, title, description, withQuery, withContext, limit }: Described): Tool {
  return {
    name,
    title,
    description,
    inputSchema: {
      type: "object",
      properties: {
        projectId: { type: "string", description: projectWords },
        ...(withQuery
          ? { query: { type: "string", description: "A question or words, as one would say it." } }
          : {}),
        limit: {
          type: "integer",
          minimum: 1,
          maximum: limit.max,
          default: limit.fallback,
          description: `How many at most. More than ${limit.max} is taken as ${limit.max}, less than 1 as 1.`,
        },
      },
      ...(withQuery ? { required: ["query"] } : {}),
    },
    outputSchema: schemaOf(withContext ? contextAnswer : observationsAnswer, "output"),
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

export function schemaOf(schema: z.ZodType, io: "input" | "output"): Tool["inputSchema"] {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, {
    ...{ io, unrepresentable: "any", reused: "inline" },
  });
  return JSON.parse(JSON.stringify({ ...made, type: "object" }));
}
