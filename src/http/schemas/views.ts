// Wire shapes of the viewer's pages: feed, injections, records of a session, details, activity, open work.
import * as z from "zod";
import { injectionMoments } from "../../core/records/injection.ts";
import { parseRecordName } from "../../core/records/record-name.ts";
import { epochMs, epochMsOrNull, gitPlace, optionalText, pageOf, wholeNumberOr } from "./fields.ts";
import { observation, parsedObservation, prompt, summary } from "./records.ts";
import { timelineItem } from "./timeline.ts";

/** Query of `GET /api/feed`: `before` and `before_epoch` together are the place of the last record that was read. */
export const feedQuery = z.lazy(() =>
  z
    .object({
      before: optionalText(64)
        .transform((text, context) => {
          const name = text === undefined ? undefined : parseRecordName(text);
          if (text === undefined || name !== undefined) return name;
          const message = "must be 12 for an observation, S12 for a session summary or P12 for a prompt";
          context.addIssue({ code: "custom", message });
          return z.NEVER;
        })
        .meta({ description: "12 for an observation, S12 for a session summary, P12 for a prompt." }),
      before_epoch: z.coerce
        .number()
        .int()
        .min(0)
        .max(253_402_300_799_999)
        .optional()
        .meta({ description: "Epoch milliseconds of that record. It need not exist any more." }),
      limit: wholeNumberOr(100, 1, 200),
      project: optionalText(),
      cwd: optionalText().meta({ description: "Directory of the reader, for `merged`." }),
    })
    .refine(({ before, before_epoch }) => (before === undefined) === (before_epoch === undefined), {
      path: ["before"],
      error: "must be given together with `before_epoch`",
    }),
);

/** Answer of `GET /api/feed`: newest first. */
export const feed = z.lazy(() => z.object({ items: z.array(timelineItem), hasMore: z.boolean() }));

export type FeedAnswer = z.output<typeof feed>;

/** Query of the pages of a session: its injections and its records. */
export const ofSessionQuery = z.lazy(() =>
  z.object({
    offset: wholeNumberOr(0, 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumberOr(50, 1, 200),
  }),
);

/** Answer of `GET /api/sessions/:id/injections`: a page, oldest first. */
export const sessionInjections = z.lazy(() =>
  pageOf(injection()).extend({
    session: z.object({ id: z.int(), claude_session_id: z.string(), project: z.string() }),
    totals: z
      .object({
        injections: z.int(),
        records: z.int().meta({ description: "Different records." }),
        tokens: z.int(),
        sub_agent_tokens: z.int(),
        moments: z.array(z.object({ moment: z.enum(injectionMoments), tokens: z.int() })),
      })
      .meta({ description: "Of everything that the session was injected. Only with offset 0." })
      .optional(),
  }),
);

export type SessionInjections = z.output<typeof sessionInjections>;

/** A page of a session's records, oldest first. */
export const sessionRecords = z.lazy(() =>
  pageOf(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("prompt"), record: prompt }),
      z.object({ kind: z.literal("observation"), record: observation }),
      z.object({ kind: z.literal("summary"), record: summary }),
    ]),
  ),
);

export type SessionRecords = z.output<typeof sessionRecords>;

/** Query of `GET /api/activity`. */
export const activityQuery = z.lazy(() =>
  z.object({ days: wholeNumberOr(30, 1, 366), project: optionalText() }),
);

/** Answer of `GET /api/activity`: the last days, oldest first, today included. */
export const activity = z.lazy(() =>
  z.object({
    days: z.array(
      z
        .object({
          day: z.string().meta({ description: "In the time zone of the worker, as 2026-01-31." }),
          observations: z.int(),
          summaries: z.int(),
          prompts: z.int(),
          injections: z.int(),
          injected_tokens: z.int(),
          model_tokens: z.int().meta({ description: "Input and output tokens of model calls." }),
        })
        .meta({ id: "DayActivity" }),
    ),
  }),
);

export type Activity = z.output<typeof activity>;

/** Answer of `GET /api/observations/:id/details`. */
export const observationDetails = z.lazy(() =>
  z
    .object({
      record: parsedObservation,
      sources: z.array(observationSource()).meta({
        description: "Raw events that it was made from or cites, as far as they are kept; at most 50.",
      }),
      session: z.object({ id: z.int(), title: z.string().nullable(), host: z.string() }).nullable(),
      prompt: z.object({ id: z.int(), prompt_number: z.int(), prompt_text: z.string() }).nullable(),
      freshness: z.object({
        state: fileState().meta({ description: "`changed` or `gone` when one of its files is." }),
        files: z.array(z.object({ path: z.string(), state: fileState() })),
      }),
      supersedes: z.array(titled()),
      superseded_by: titled().nullable(),
      injected: z.object({
        times: z.int(),
        last_at_epoch: epochMsOrNull(),
        sessions: z.int().meta({ description: "Sessions in which it was injected." }),
      }),
      tokens: z.object({
        text: z.int().meta({ description: "To read it, estimated." }),
        work: z.int().meta({ description: "Of the work behind it, estimated." }),
      }),
    })
    .meta({ id: "ObservationDetails" }),
);

export type ObservationDetails = z.output<typeof observationDetails>;

/** Answer of `GET /api/open-work`. */
export const openWork = z.lazy(() =>
  z.object({
    items: z.array(
      z.object({
        id: z.int().meta({ description: "Of its observation." }),
        session_id: z.int().nullable(),
        project: z.string(),
        text: z.string(),
        created_at_epoch: epochMs(),
        ...unmergedBranch(),
      }),
    ),
  }),
);

export type OpenWorkAnswer = z.output<typeof openWork>;

function unmergedBranch() {
  const { branch, merged } = gitPlace();
  return { branch, merged };
}

function observationSource() {
  return z.object({
    id: z.int(),
    kind: z.enum(["observation", "summarize", "other"]),
    tool_name: z.string().nullable(),
    summary: z.string().meta({ description: "One line: the command, the file or the last message." }),
    at_epoch: epochMs(),
    is_cited: z.boolean(),
  });
}

function fileState() {
  return z.enum(["fresh", "changed", "gone", "unknown"]);
}

function titled() {
  return z.object({ id: z.int(), title: z.string() });
}

function injection() {
  return z
    .object({
      id: z.int(),
      reader: z.string().meta({ description: "Id of the sub-agent; empty for the main agent." }),
      moment: z.enum(injectionMoments),
      at_epoch: epochMs(),
      tokens: z.int(),
      cause: z.string().nullable().meta({
        description: "The start of the prompt, the file or the command; null at a start.",
      }),
      records: z.array(
        z.object({
          id: z.int(),
          kind: z.enum(["observation", "summary", "prompt"]),
          title: z.string().meta({ description: "As it is now; empty for a deleted record." }),
          obs_type: z.string().nullable(),
          is_rule: z.boolean().meta({ description: "A rule that stands." }),
          is_deleted: z.boolean(),
        }),
      ),
      text: z.string().nullable().meta({
        description:
          "As it was injected; null when it is older than raw events are kept, or a record of it was deleted.",
      }),
    })
    .meta({ id: "Injection" });
}
