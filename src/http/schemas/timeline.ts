// Wire shapes of the timeline.
import * as z from "zod";
import { parseRecordName } from "../../core/records/record-name.ts";
import { observationStatuses, provenances } from "../../core/records/records.ts";
import { epochMs, gitPlace, isoTimestamp, optionalText, wholeNumberOr } from "./fields.ts";
import { statementMarks } from "./records.ts";

/** Query of `GET /api/timeline`: `anchor`, or `query` for the observation that fits it best. */
export const timelineQuery = z.lazy(() =>
  z
    .object({
      anchor: optionalText(64)
        .transform((text, context) => anchorOf(text, context))
        .meta({
          description:
            "12 for an observation, S12 for a session summary, P12 for a prompt, or an ISO date or time.",
        }),
      query: optionalText(1_000_000).meta({
        description: "Instead of an anchor: the observation that fits these words best is the anchor.",
      }),
      depth_before: wholeNumberOr(10, 0, 100),
      depth_after: wholeNumberOr(10, 0, 100),
      project: optionalText(),
      branch: optionalText().meta({ description: "Records made on this git branch, around the anchor." }),
      cwd: optionalText().meta({ description: "Directory of the reader, for `merged`." }),
    })
    .refine(({ anchor, query }) => (anchor === undefined) !== (query === undefined), {
      path: ["anchor"],
      error: "must be given, or `query` instead of it: a record such as 12, S12 or P12, or an ISO time",
    }),
);

/** Answer of `GET /api/timeline`: oldest first. */
export const timelineAnswer = z.lazy(() => z.array(timelineItem));

/** `timelineAnswer`, inferred. */
export type TimelineAnswer = z.output<typeof timelineAnswer>;

/** A record in short form. */
export const timelineItem = z.lazy(() =>
  z.discriminatedUnion("type", [observationItem(), sessionItem(), promptItem()]).meta({ id: "TimelineItem" }),
);

function observationItem() {
  return z.object({
    type: z.literal("observation"),
    ...base(),
    sdk_session_id: z.string(),
    obs_type: z.string(),
    title: z.string(),
    subtitle: z.string().nullable(),
    summary: z.string(),
    files_touched: z.array(z.string()),
    prompt_number: z.int().nullable(),
    status: z.enum(observationStatuses),
    superseded_by: z.int().nullable(),
    provenance: z.enum(provenances),
    ...statementMarks(),
  });
}

function sessionItem() {
  return z.object({
    type: z.literal("session"),
    ...base(),
    sdk_session_id: z.string(),
    summary_text: z.string(),
    request: z.string().nullable(),
    learned: z.string().nullable(),
    completed: z.string().nullable(),
    next_steps: z.string().nullable(),
  });
}

function promptItem() {
  return z.object({
    type: z.literal("prompt"),
    ...base(),
    claude_session_id: z.string(),
    sdk_session_id: z.string(),
    prompt_number: z.int(),
    prompt_text: z.string().meta({ description: "On one line, its first 1,000 characters." }),
  });
}

function base() {
  return {
    id: z.int(),
    project: z.string(),
    created_at_epoch: epochMs(),
    ...gitPlace(),
    anchor: z.literal(true).optional().meta({ description: "The record that was asked for." }),
  };
}

function anchorOf(text: string | undefined, context: z.RefinementCtx) {
  if (text === undefined) return undefined;
  const name = parseRecordName(text);
  if (name !== undefined) return name;
  const at = isoTimestamp("start").safeParse(text).data;
  if (at !== undefined) return { kind: "time" as const, at };
  context.addIssue({
    code: "custom",
    message:
      "must be 12 for an observation, S12 for a session summary, P12 for a prompt, or an ISO time such as 2026-01-31T12:00:00Z",
  });
  return z.NEVER;
}
