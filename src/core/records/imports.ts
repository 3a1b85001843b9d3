// What an import sends to the worker: events of transcripts, and the counts of what was new.
import type { Json, JsonObject } from "../../text/json.ts";

/** What the hook of a host would have sent, read from a transcript. */
export interface ImportedEvent {
  /** The host's name of the event. */
  event: string;
  /** When it happened, epoch ms. */
  at: number;
  /** Id of the entry in its transcript, used where the payload names none. */
  key: string;
  /** Id of the prompt it belongs to; null before the first one, or where the transcript does not say. */
  turn: string | null;
  /** The git branch, and the commit, that its transcript names. */
  branch?: string | undefined;
  commit?: string | undefined;
  /** The URL of the repository's remote, where its transcript names it: the work tree may be gone. */
  remote?: string | undefined;
  payload: JsonObject;
}

/** A part of one source, in its order. */
export interface ImportBatch {
  /** The source; see `position`. */
  source: string;
  /** Host agent of the events. */
  host: string;
  /** The host's folder of settings in which the transcript is, where that is known: its agent's memory is there too. */
  folder?: string | undefined;
  events: readonly ImportedEvent[];
  /** Where the source can be continued after this batch; absent where it cannot, or where a filter left things out. */
  position?: Json | undefined;
}

/** New records of a batch, and what was left out. */
export interface ImportCounts {
  sessions: number;
  prompts: number;
  toolUses: number;
  turns: number;
  /** It was there already: recorded live, or imported before. */
  known: number;
  /** Private, of an excluded tool, deleted by the user, or not readable. */
  skipped: number;
}

export const noImports: ImportCounts = {
  sessions: 0,
  prompts: 0,
  toolUses: 0,
  turns: 0,
  known: 0,
  skipped: 0,
};

/** The counts of both. */
export function addCounts<C extends Record<keyof C, number>>(a: C, b: C): C {
  const names = Object.keys(a) as (keyof C)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as C;
}
