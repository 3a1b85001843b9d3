// Review of observations: superseded, rejected, pinned, edited; and standing rules.
import type { RecordEdits } from "../../context/freshness/edit-record.ts";
import type { EditText } from "../../context/freshness/edit-text.ts";
import type { Review } from "../../context/freshness/review.ts";
import type { Rules } from "../../context/freshness/rules.ts";
import { MemError } from "../../core/errors.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import { observation, prompt, summary } from "../schemas/records.ts";
import {
  observationChange,
  pinBody,
  promptChange,
  rememberBody,
  remembered,
  rulesAnswer,
  rulesQuery,
  statusBody,
  summaryChange,
  textBody,
} from "../schemas/review.ts";
import { renameBody, session } from "../schemas/session.ts";

/** `GET` and `POST /api/rules`, `POST /api/observations/:id/text`. */
export function ruleRoutes(app: App, rules: Rules, editText: EditText): void {
  route(app, "GET /api/rules", {
    summary: "Standing rules that apply everywhere, and the rules of a project.",
    querystring: rulesQuery,
    response: { 200: rulesAnswer, ...readErrors },
    handler: ({ query }) => rules.list(query),
  });
  route(app, "POST /api/rules", {
    summary: "Add a rule of the user. Adding the same text again changes nothing.",
    body: rememberBody,
    response: { 200: remembered, 201: remembered, ...writeErrors },
    handler: async ({ body }, reply) => {
      const answer = await rules.remember(body);
      return reply.code(answer.status === "stored" ? 201 : 200).send(answer);
    },
  });
  route(app, "POST /api/observations/:id/text", {
    summary: "Replace the title or text of an observation.",
    params: idParams,
    body: textBody,
    response: { 200: observation, ...changeErrors },
    handler: ({ params: { id }, body }) => editText(id, body),
  });
}

export interface EditPorts {
  observation: EditText;
  /** Undefined without such a record; likewise below. */
  summary: RecordEdits["summary"];
  prompt: RecordEdits["prompt"];
  session: RecordEdits["session"];
}

/** `PATCH /api/observations|summaries|prompts|sessions/:id`; each answers the changed record. */
export function editRoutes(app: App, edits: EditPorts): void {
  const schemaOf = <B, A>(what: string, body: B, answer: A) => ({
    summary: `Edit ${what}. The text before can be restored for 30 days.`,
    params: idParams,
    body,
    response: { 200: answer, ...changeErrors },
  });
  app.patch(
    "/api/observations/:id",
    { schema: schemaOf("an observation", observationChange, observation) },
    ({ params: { id }, body }) => edits.observation(id, body),
  );
  app.patch(
    "/api/summaries/:id",
    { schema: schemaOf("a session summary", summaryChange, summary) },
    async ({ params: { id }, body }) => (await edits.summary(id, body)) ?? noRecord("summary", id),
  );
  app.patch(
    "/api/prompts/:id",
    { schema: schemaOf("a prompt", promptChange, prompt) },
    async ({ params: { id }, body }) => (await edits.prompt(id, body)) ?? noRecord("prompt", id),
  );
  app.patch(
    "/api/sessions/:id",
    { schema: schemaOf("the title of a session", renameBody, session) },
    async ({ params: { id }, body }) => (await edits.session(id, body.title)) ?? noRecord("session", id),
  );
}

function noRecord(kind: string, id: number): never {
  throw new MemError("not_found", {
    message: `There is no ${kind} ${id}.`,
    hint: "Ids come from the lists and from GET /api/search. Deleted records: GET /api/trash.",
  });
}

/** `POST /api/observations/:id/status` and `/api/observations/:id/pin`; both answer the changed record. */
export function reviewRoutes(app: App, review: Review): void {
  const response = { 200: observation, ...changeErrors, 409: errorBody };
  route(app, "POST /api/observations/:id/status", {
    summary: "Mark an observation as superseded or rejected; `active` undoes either.",
    params: idParams,
    body: statusBody,
    response,
    handler: ({ params: { id }, body }) => {
      if (body.status === "superseded") return review(id, { is: "superseded", by: body.superseded_by });
      return review(id, { is: body.status === "rejected" ? "rejected" : "restored" });
    },
  });
  route(app, "POST /api/observations/:id/pin", {
    summary: "Pin an observation, which puts it first in the injected context, or unpin it.",
    params: idParams,
    body: pinBody,
    response,
    handler: ({ params: { id }, body }) => review(id, { is: body.pinned ? "pinned" : "unpinned" }),
  });
}
