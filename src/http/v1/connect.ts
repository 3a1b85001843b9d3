// How to connect an agent: the URL of the MCP endpoint, and a command for each host.
import type { FastifyRequest } from "fastify";
import { MemError } from "../../core/errors.ts";
import { connectCommands, connectHint, keyPlaceholder } from "../../core/records/connect-commands.ts";
import { mcpUrlAt } from "../../core/records/mcp-url.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors } from "../schemas/error.ts";
import { connectAnswer } from "../schemas/v1-keys.ts";
import { callerOf } from "./authentication.ts";
import { isHost } from "./host-guard.ts";

/** `GET /v1/connect`: the connection part of `POST /v1/keys`, with a placeholder for the key. */
export function connectRoutes(app: App, { publicUrl }: { publicUrl: string }): void {
  route(app, "GET /v1/connect", {
    config: { access: "memories:read" },
    summary: "How to connect an agent, with a placeholder for the key.",
    response: { 200: connectAnswer, ...keyedErrors },
    handler: async (request) => {
      const answer = connectionFor(request, publicUrl)(keyPlaceholder);
      const whichKey =
        callerOf(request).key_id === null
          ? `This server asks for no key, so ${keyPlaceholder} may stay as it is.`
          : `Put a key where ${keyPlaceholder} stands: POST /v1/keys makes one.`;
      return { ...answer, hint: `${whichKey} ${answer.hint}` };
    },
  });
}

/**
 * Connection commands for the public URL, else for the Host of the request, which must be a plain name since it goes
 * into a shell command. Proxy headers are ignored. Throws `invalid_request`.
 */
export function connectionFor(request: FastifyRequest, publicUrl: string) {
  const mcpUrl = mcpUrlAt(publicUrl === "" ? `${request.protocol}://${demandHost(request)}` : publicUrl);
  return (apiKey: string) => {
    const commands = connectCommands({ mcpUrl, apiKey });
    return {
      mcpUrl,
      connectCommand: commands["claude-code"],
      connectCommands: commands,
      hint: connectHint,
    };
  };
}

function demandHost({ raw }: FastifyRequest): string {
  const host = raw.headers.host ?? "";
  if (isHost(host)) return host;
  throw new MemError("invalid_request", {
    message: "The Host header is not a plain name, so no connect command can contain it.",
    hint: "Set MEM_PUBLIC_URL on the server.",
  });
}
