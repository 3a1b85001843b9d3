// The SDK's own client on the built `mem mcp`, with a private HOME.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, onTestFinished } from "vitest";
import * as z from "zod";
import type { Mem } from "../mem.ts";

export const bin = fileURLToPath(new URL("../../../bin/mem.js", import.meta.url));

export interface Called {
  /** True when the tool says that it failed. */
  failed: boolean;
  text: string;
  structured: Record<string, unknown>;
}

export interface McpClient {
  client: Client;
  pid: number | null;
  call(name: string, given?: Record<string, unknown>): Promise<Called>;
  close(): Promise<void>;
}

/** A client that has listed the tools, so that it holds every answer against the output schema. */
export function connectMcp(mem: Pick<Mem, "home">): Promise<McpClient> {
  return connect(mem, onTestFinished);
}

/** The same for all tests of the file. */
export function connectMcpForFile(mem: Pick<Mem, "home">): Promise<McpClient> {
  return connect(mem, afterAll);
}

async function connect(
  { home }: Pick<Mem, "home">,
  atEnd: (close: () => Promise<void>) => void,
): Promise<McpClient> {
  const env = Object.fromEntries(
    Object.entries(home.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const transport = new StdioClientTransport({ command: process.execPath, args: [bin, "mcp"], env });
  const client = new Client({ name: "test", version: "1.0.0" });
  atEnd(() => client.close());
  await client.connect(transport);
  await client.listTools();
  return {
    client,
    pid: transport.pid,
    call: async (name, given = {}) => read(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  };
}

const answer = z.object({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ type: z.literal("text"), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});

function read(value: unknown): Called {
  const { isError = false, content, structuredContent = {} } = answer.parse(value);
  return { failed: isError, text: content[0].text, structured: structuredContent };
}
