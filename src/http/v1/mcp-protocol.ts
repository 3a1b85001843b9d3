// The Model Context Protocol of a stateless server with tools: one message in, at most one out.
// By hand: the SDK's server and transport per request cost ten times as much. Tests compare it with the SDK.
import type { CallToolResult, InitializeResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";

/** A tool; `C` is the caller of a request. */
export interface McpTool<C> {
  definition: Tool;
  /** Whether the caller sees it; absent for a tool of every caller. */
  isListed?(context: C): boolean;
  /** Never rejects: a failure is a result with `isError`. */
  call(context: C, given: JsonObject): Promise<CallToolResult>;
}

export interface McpServerOptions<C> {
  serverInfo: InitializeResult["serverInfo"];
  instructions: string;
  tools: readonly McpTool<C>[];
}

/** The answer to a message; without a body for a notification. */
export interface McpReply {
  status: 200 | 202 | 400;
  body?: RpcResponse;
}

/** The answer of JSON-RPC 2.0. */
export interface RpcResponse {
  jsonrpc: "2.0";
  id: string | number | null;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Versions of the protocol, the newest first. */
export const protocolVersions = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
] as const;

/** Codes of JSON-RPC 2.0, and one for requests that HTTP refuses. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  refused: -32000,
} as const;

/** Answers one message; only the tools get the context `C`. */
export function createMcpServer<C>(
  options: McpServerOptions<C>,
): (message: Json, context: C) => Promise<McpReply> {
  const tools = new Map(options.tools.map((tool) => [tool.definition.name, tool]));
  const listedFor = (context: C) =>
    options.tools.filter(({ isListed }) => isListed?.(context) ?? true).map(({ definition }) => definition);

  async function resultOf(method: string, params: JsonObject, context: C): Promise<unknown> {
    switch (method) {
      case "tools/call":
        return callTool(tools, params, { context, listedFor });
      case "tools/list":
        return { tools: listedFor(context) };
      case "ping":
        return {};
      case "initialize":
        return initialized(options, params);
      default:
        throw new RpcError(rpcCodes.methodNotFound, "Method not found");
    }
  }

  return async (message, context) => {
    if (!isJsonObject(message) || message.jsonrpc !== "2.0") return invalid(notOneMessage(message));
    const { id, method, params = {} } = message;
    if (typeof method !== "string") return isResponse(message) ? taken : invalid("No method");
    if (id === undefined) return taken;
    if (!isRpcId(id)) return invalid("The id must be a string or a whole number");
    try {
      if (!isJsonObject(params)) throw new RpcError(rpcCodes.invalidParams, "params must be an object");
      const result = await resultOf(method, params, context);
      return { status: 200, body: { jsonrpc: "2.0", id, result } };
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      return {
        status: 200,
        body: { jsonrpc: "2.0", id, error: { code: thrown.code, message: thrown.message } },
      };
    }
  };
}

/** An error answer without a request id. */
export function rpcError(code: number, message: string): RpcResponse {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}

/** A failed tool result, with the text that the agent reads. */
export function toolError(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

const taken: McpReply = { status: 202 };

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function invalid(message: string): McpReply {
  return { status: 400, body: rpcError(rpcCodes.invalidRequest, `Invalid request: ${message}`) };
}

function notOneMessage(message: Json): string {
  return Array.isArray(message) ? "batches are not taken, send one message" : "not a message of JSON-RPC 2.0";
}

function isResponse(message: JsonObject): boolean {
  return "id" in message && ("result" in message || "error" in message);
}

function isRpcId(id: Json): id is string | number {
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
}

function initialized<C>(
  { serverInfo, instructions }: McpServerOptions<C>,
  { protocolVersion }: JsonObject,
): InitializeResult {
  if (typeof protocolVersion !== "string") {
    throw new RpcError(rpcCodes.invalidParams, "protocolVersion must be a string");
  }
  return {
    protocolVersion: protocolVersions.find((version) => version === protocolVersion) ?? protocolVersions[0],
    capabilities: { tools: {} },
    serverInfo,
    instructions,
  };
}

const maxNameChars = 80;

async function callTool<C>(
  tools: ReadonlyMap<string, McpTool<C>>,
  { name, arguments: given = {} }: JsonObject,
  { context, listedFor }: { context: C; listedFor(context: C): readonly Tool[] },
): Promise<CallToolResult> {
  if (typeof name !== "string") throw new RpcError(rpcCodes.invalidParams, "name must be a string");
  if (!isJsonObject(given)) throw new RpcError(rpcCodes.invalidParams, "arguments must be an object");
  const tool = tools.get(name);
  if (tool !== undefined) return tool.call(context, given);
  const shown = JSON.stringify(name.slice(0, maxNameChars));
  const names = listedFor(context).map((listed) => listed.name);
  return toolError(`There is no tool ${shown}. There are ${names.join(", ")}.`);
}
