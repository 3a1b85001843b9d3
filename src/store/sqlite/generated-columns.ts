// Columns of a generated record: where it belongs, and what its draft and its generator fill.
import type { DraftObservation } from "../../core/records/drafts.ts";
import { summaryParts } from "../../core/records/summary-parts.ts";
import { listOf } from "./sql.ts";

/** Written with a new record only. */
export const ownerColumns = [
  ...["session_id", "sdk_session_id", "project", "created_at_epoch", "upgrade"],
  ...["branch", "git_commit"],
];

const common = [
  "facts",
  "concepts",
  "files_touched",
  "files_read",
  "files_modified",
  "prompt_number",
  "generator",
];

/** A regeneration writes them again. */
export const generatedColumns = {
  observation: [
    ...["obs_type", "title", "subtitle", "summary", "narrative", ...common, "provenance"],
    ...["agent_id", "agent_type", "discovery_tokens", "generation_key"],
    ...["said_by", "statement_kind", "standing", "reach", "salience", "routine"],
  ],
  summary: ["summary_text", ...summaryParts, ...common],
};

type Lists = Pick<DraftObservation, "facts" | "concepts" | "files_read" | "files_modified">;

/** The list columns of a draft. */
export function listsOf({ facts, concepts, files_read, files_modified }: Lists): Record<string, string> {
  const files_touched = [...new Set([...files_modified, ...files_read])];
  const lists = { facts, concepts, files_touched, files_read, files_modified };
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, listOf(list)]));
}
