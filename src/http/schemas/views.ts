// Wire shapes of the viewer's pages: what a session was injected.
import * as z from "zod";
import { injectionMoments } from "../../core/records/injection.ts";
import { epochMs, optionalText, pageOf, wholeNumberOr } from "./fields.ts";
import { observation, prompt, summary } from "./records.ts";

/** Answer of `GET /api/sessions/:id/injections`. */
export const sessionInjections = z.lazy(() =>
  z.object({
    session: z.object({ id: z.int(), claude_session_id: z.string(), project: z.string() }),
    injections: z.array(injection()).meta({ description: "The newest 1,000, oldest first." }),
    total_tokens: z.int().meta({ description: "Of everything that the session was injected." }),
  }),
);

export type SessionInjections = z.output<typeof sessionInjections>;

/** Query of `GET /api/sessions/:id/records`. */
export const sessionRecordsQuery = z.lazy(() =>
  z.object({
    offset: wholeNumberOr(0, 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumberOr(50, 1, 200),
  }),
);

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
