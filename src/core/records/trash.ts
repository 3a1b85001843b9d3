// Deleted and edited records that can be restored.

/** Days for which a deletion or an edit can be undone. */
export const undoDays = 30;

export const trashKinds = ["observation", "summary", "prompt", "session"] as const;
export type TrashKind = (typeof trashKinds)[number];

/** How many records of each kind. */
export interface RecordCounts {
  observations: number;
  summaries: number;
  prompts: number;
  sessions: number;
}

export interface TrashEntry {
  trash_id: number;
  kind: TrashKind;
  /** Of the record. */
  id: number;
  action: "deleted" | "edited";
  title: string;
  project: string;
  at_epoch: number;
  /** The forget that it is a part of. */
  forget_id: number | null;
}

/** A record that was deleted or restored. */
export interface MovedRecord {
  trash_id: number;
  kind: TrashKind;
  id: number;
  project: string;
  counts: RecordCounts;
  /** Ids of all its observations. */
  observations: number[];
  /** The session that it belongs to, or is; null without one. */
  session: number | null;
}

/** Why an entry cannot be restored. */
export type Refusal =
  | { is: "unknown" }
  /** Its session is deleted; `by` is the entry of that. */
  | { is: "without_session"; session: number; by: number | undefined }
  /** The same prompt came again, as this record. */
  | { is: "stored_again"; kind: "prompt" | "session"; by: number }
  /** The record of an edit is deleted; `by` is the entry of that. */
  | { is: "deleted"; by: number | undefined }
  /** The text was changed after the edit. */
  | { is: "changed" };

export type Restored = MovedRecord & {
  action: TrashEntry["action"];
  /** Ids of observations that a restored one replaces again. */
  changed: readonly number[];
  /** A running model call was sent the text from before: its answer must be discarded. */
  isSent: boolean;
  /** Messages wait again. */
  isQueued: boolean;
};

/** The counts together; with -1, less the others. */
export function sumOfCounts<K extends string>(
  one: Record<K, number>,
  other: Partial<Record<K, number>>,
  times: 1 | -1 = 1,
): Record<K, number> {
  const sum = { ...one };
  for (const kind of Object.keys(one) as K[]) sum[kind] += times * (other[kind] ?? 0);
  return sum;
}
