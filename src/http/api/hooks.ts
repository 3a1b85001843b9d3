// Events of host hooks.
import { type ErrorCode, toMemError } from "../../core/errors.ts";
import type { Json } from "../../text/json.ts";
import { sendError } from "../plugins/errors.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors } from "../schemas/error.ts";
import { hookAnswer, hookBody, hookParams } from "../schemas/session.ts";

/** Receives a host's event; resolves to the hook's exact output, which may be empty. A payload that is no object is null. */
export type ReceiveHook = (
  host: string,
  event: string,
  payload: Json,
  /** True once the client has disconnected. */
  received: { hasLeft(): boolean },
) => Promise<string>;

/** `POST /api/hooks/:host/:event`. */
export function hookRoutes(app: App, receive: ReceiveHook): void {
  route(app, "POST /api/hooks/:host/:event", {
    summary: "One event of a host agent; answers the output of its hook.",
    params: hookParams,
    body: hookBody,
    response: {
      200: {
        content: { "application/json": { schema: hookAnswer }, "text/plain": { schema: hookAnswer } },
      },
      ...changeErrors,
    },
    async errorHandler(thrown, { params, raw }, reply) {
      const named = hookParams.safeParse(params);
      if (named.success && unreadable.has(toMemError(thrown).code)) {
        await receive(named.data.host, named.data.event, null, { hasLeft: () => raw.socket.destroyed });
      }
      sendError(reply, thrown);
    },
    handler: async ({ params, body, raw }, reply) => {
      const hasLeft = () => raw.socket.destroyed;
      const payload = raw.headers["content-length"] === "0" ? null : body;
      const text = await receive(params.host, params.event, payload, { hasLeft });
      const type = text.startsWith("{") ? "application/json" : "text/plain";
      return reply.type(`${type}; charset=utf-8`).send(text);
    },
  });
}

// The payload is no JSON object: no later delivery of it can succeed.
const unreadable: ReadonlySet<ErrorCode> = new Set(["invalid_json", "invalid_request"]);
