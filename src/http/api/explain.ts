// What an agent would get at each moment of a session, and why, over HTTP.
import type { Explain } from "../../context/explain.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import { contextExplanation, explainQuery } from "../schemas/explain.ts";

/** `GET /api/context/explain`, and `POST` for a prompt that is too long for an address. */
export function explainRoutes(app: App, explain: Explain): void {
  app.get(
    "/api/context/explain",
    {
      schema: {
        summary:
          "What an agent would get at the start of a session, with a prompt, before a file or a command, and why.",
        querystring: explainQuery,
        response: { 200: contextExplanation, ...readErrors },
      },
    },
    ({ query }) => explain(query),
  );
  app.post(
    "/api/context/explain",
    {
      schema: {
        summary: "The same with its parameters in the body, for a prompt that is too long for an address.",
        body: explainQuery,
        response: { 200: contextExplanation, ...writeErrors },
      },
    },
    ({ body }) => explain(body),
  );
}
