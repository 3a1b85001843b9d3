// How an agent is connected: the address of the MCP endpoint, and a line for each host.
import type { FastifyRequest } from "fastify";
import { MemError } from "../../core/errors.ts";
import { connectCommands, connectHint, keyPlaceholder } from "../../core/records/connect-commands.ts";
import { mcpUrlAt } from "../../core/records/mcp-url.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors } from "../schemas/error.ts";
import { connectAnswer } from "../schemas/v1-keys.ts";
import { callerOf } from "./authentication.ts";
import { isHost } from "./host-guard.ts";

/** `GET /v1/connect`: what `POST /v1/keys` answers, with a placeholder for the key. It makes none. */
export function connectRoutes(app: App, { publicUrl }: { publicUrl: string }): void {
  app.get(
    "/v1/connect",
    {
      config: { access: "memories:read" },
      schema: {
        summary: "How to connect an agent, with a placeholder for the key.",
        response: { 200: connectAnswer, ...keyedErrors },
      },
    },
    async (request) => {
      const answer = connectionFor(request, publicUrl)(keyPlaceholder);
      const whichKey =
        callerOf(request).key_id === null
          ? `This server asks for no key, so ${keyPlaceholder} may stay as it is.`
          : `Put a key where ${keyPlaceholder} stands: POST /v1/keys makes one.`;
      return { ...answer, hint: `${whichKey} ${answer.hint}` };
    },
  );
}

/**
 * How a key is connected, by the public address or else by the Host that the request named; that one must be a plain
 * host, since a key follows it. Headers of proxies are not asked. Throws `invalid_request`.
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
    message: "The Host header is not a plain name, so no command is made with it.",
    hint: "Set MEM_PUBLIC_URL on the server.",
  });
}
