// Wire shapes of session summaries.
import * as z from "zod";
import { epochMs, listsAsText, listsParsed, pageOf, syncColumns } from "./fields.ts";

/** A session summary as the data routes answer it: its list columns are JSON arrays, as text. */
export const summary = z.lazy(() =>
  z.object({ ...ownFields(), ...listsAsText(), ...syncColumns() }).meta({ id: "Summary" }),
);

/** A session summary as search and context answer it: its list columns are arrays. */
export const parsedSummary = z.lazy(() => z.object(parsedSummaryFields()).meta({ id: "ParsedSummary" }));

/** The fields of `parsedSummary`, for shapes that add to it. */
export function parsedSummaryFields() {
  return { ...ownFields(), ...listsParsed(), ...syncColumns() };
}

/** A page of summaries, newest first. */
export const summaryPage = z.lazy(() => pageOf(summary));

function ownFields() {
  const part = z.string().nullable();
  return {
    id: z.int(),
    sdk_session_id: z.string(),
    project: z.string(),
    summary_text: z.string(),
    request: part,
    investigated: part,
    learned: part,
    completed: part,
    next_steps: part,
    notes: part,
    prompt_number: z.int().nullable(),
    generator: z.string(),
    created_at_epoch: epochMs(),
  };
}
