// Review of observations: superseded, rejected, pinned, edited; and standing rules.

import type { AgentRecords } from "../../capture/agent-records.ts";
import type { RecordEdits } from "../../context/freshness/edit-record.ts";
import type { EditText } from "../../context/freshness/edit-text.ts";
import type { Review } from "../../context/freshness/review.ts";
import type { Rules } from "../../context/freshness/rules.ts";
import { MemError } from "../../core/errors.ts";
import { wholeText } from "../../core/records/quoted-text.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import { observation, prompt, summary } from "../schemas/records.ts";
import {
  acceptedRule,
  keepBody,
  keptAnswer,
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
  verdictBody,
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
  app.post(
    "/api/rules/:id/accept",
    {
      schema: {
        summary: "Make a proposal a rule.",
        params: idParams,
        response: { 200: acceptedRule, ...changeErrors },
      },
    },
    ({ params: { id } }) => rules.accept(id),
  );
  route(app, "POST /api/observations/:id/text", {
    summary: "Replace the title or text of an observation.",
    params: idParams,
    body: textBody,
    response: { 200: observation, ...changeErrors },
    handler: ({ params: { id }, body }) => editText(id, body),
  });
}

/** `POST /api/agent/records` and `/api/agent/records/:id/verdict`: what the host's agent keeps and takes back. */
export function agentRoutes(app: App, agent: AgentRecords): void {
  route(app, "POST /api/agent/records", {
    summary:
      "Keep what the agent learned. A rule is sure only with words that the user typed in the session.",
    body: keepBody,
    response: { 200: keptAnswer, 201: keptAnswer, ...writeErrors, 409: errorBody },
    handler: async ({ body }, reply) => {
      const kept = await agent.keep(body);
      if (kept.status === "skipped") return kept;
      const { observation, replaced, ...rest } = kept;
      const old = replaced && { id: replaced.id, text: wholeText(replaced) };
      return reply
        .code(kept.status === "stored" ? 201 : 200)
        .send({ ...rest, id: observation.id, replaced: old });
    },
  });
  route(app, "POST /api/agent/records/:id/verdict", {
    summary: "Say that a record is wrong, outdated or done. It can be restored.",
    params: idParams,
    body: verdictBody,
    response: { 200: observation, ...changeErrors, 409: errorBody },
    handler: ({ params: { id }, body }) => agent.judge({ id, ...body }),
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
      if (body.status === "superseded")
        return review(id, { is: "superseded", by: body.superseded_by ?? null });
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
