// Standing rules over HTTP, and the text that the user writes in place of an observation's.
import type { EditText } from "../../context/freshness/edit-text.ts";
import type { Rules } from "../../context/freshness/rules.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, readErrors, writeErrors } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import { observation } from "../schemas/observation.ts";
import { rememberBody, remembered, rulesAnswer, rulesQuery, textBody } from "../schemas/rules.ts";

/** `GET` and `POST /api/rules`, `POST /api/observations/:id/text`. */
export function ruleRoutes(app: App, rules: Rules, editText: EditText): void {
  app.get(
    "/api/rules",
    {
      schema: {
        summary: "Standing rules: those that apply everywhere, and those of a project.",
        querystring: rulesQuery,
        response: { 200: rulesAnswer, ...readErrors },
      },
    },
    ({ query }) => rules.list(query),
  );
  app.post(
    "/api/rules",
    {
      schema: {
        summary: "Add a rule of the user. The same text again stores nothing.",
        body: rememberBody,
        response: { 200: remembered, 201: remembered, ...writeErrors },
      },
    },
    async ({ body }, reply) => {
      const answer = await rules.remember(body);
      return reply.code(answer.status === "stored" ? 201 : 200).send(answer);
    },
  );
  app.post(
    "/api/observations/:id/text",
    {
      schema: {
        summary: "Write another title or text in place of an observation's.",
        params: idParams,
        body: textBody,
        response: { 200: observation, ...changeErrors },
      },
    },
    ({ params: { id }, body }) => editText(id, body),
  );
}
