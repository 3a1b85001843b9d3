// Wire shapes of `GET /stream`: every event, by `type`.
import * as z from "zod";
import { trashKinds } from "../../core/records/trash.ts";
import { epochMs, optionalText } from "./fields.ts";
import { observation, summary } from "./records.ts";
import { pause } from "./status.ts";

/** Query of `GET /stream`. */
export const streamQuery = z.lazy(() => z.object({ project: optionalText() }));

/** One message of the stream; each frame is `data: <this as JSON>`. */
export const streamEvent = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("processing_status"), ...processing() }),
    z.object({ type: z.literal("session_started"), ...sessionRef() }),
    z.object({ type: z.literal("session_completed"), ...sessionRef() }),
    z.object({ type: z.literal("observation_queued"), sessionDbId: z.int() }),
    z.object({ type: z.literal("summarize_queued") }),
    z.object({ type: z.literal("observation_created"), observation }),
    z.object({ type: z.literal("observation_changed"), observation }),
    z.object({ type: z.literal("summary_created"), summary }),
    z.object({ type: z.literal("summary_changed"), summary }),
    z.object({ type: z.literal("new_prompt"), ...shownPrompt() }),
    z.object({ type: z.literal("prompt_changed"), ...shownPrompt() }),
    z.object({ type: z.literal("record_deleted"), ...recordRef() }),
    z.object({ type: z.literal("record_restored"), ...recordRef() }),
    z.object({ type: z.literal("initial_load"), projects: z.array(z.string()), ...processing() }),
    z.object({
      type: z.literal("new_observation"),
      id: z.int(),
      title: z.string(),
      subtitle: z.string().nullable(),
      obs_type: z.string(),
      project: z.string(),
      created_at_epoch: epochMs(),
    }),
  ]),
);

function processing() {
  return { isProcessing: z.boolean(), queueDepth: z.int(), paused: pause.nullable() };
}

function shownPrompt() {
  return {
    id: z.int(),
    claude_session_id: z.string(),
    project: z.string(),
    prompt_number: z.int(),
    prompt_text: z.string(),
    created_at_epoch: epochMs(),
  };
}

function recordRef() {
  return { kind: z.enum(trashKinds), id: z.int(), project: z.string() };
}

function sessionRef() {
  return { sessionDbId: z.int(), project: z.string() };
}
