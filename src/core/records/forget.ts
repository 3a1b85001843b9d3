// Deleting many records with one command: what is chosen, what goes, and the receipt.
import { counted } from "../../text/quantities.ts";
import { spaceCharacters } from "../../text/unspaced.ts";
import { foldedLetters } from "../../text/words.ts";
import type { AgeLimit } from "./retention.ts";
import type { RecordCounts } from "./trash.ts";

/** Which records to delete. All that is given must apply; ids stand alone. */
export interface ForgetChoice {
  /** 12 is an observation, S12 a session summary, P12 a prompt. */
  ids?: readonly string[] | undefined;
  /** Words that a record contains, all of them. */
  query?: string | undefined;
  project?: string | undefined;
  /** Id of a session, or the host's id of it. */
  session?: string | undefined;
  /** Records from before this time (epoch ms). */
  before?: number | undefined;
}

export const chosenBy = ["ids", "query", "project", "session", "before", "retention"] as const;
export type ChosenBy = (typeof chosenBy)[number];

/** How many records of each kind go. */
export interface ForgetCounts extends RecordCounts {
  /** Tool uses and other events without a record that goes. */
  events: number;
}

export const noForgetCounts: ForgetCounts = {
  observations: 0,
  summaries: 0,
  prompts: 0,
  sessions: 0,
  events: 0,
};

/** Ids of what goes. A session goes with all that belongs to it. */
export interface ForgetSelection {
  sessions: number[];
  observations: number[];
  summaries: number[];
  prompts: number[];
  /**
   * Raw events, causes of injections, sessions of which only a title or first prompt contains the words, and injections
   * whose text does: a record was edited since.
   */
  events: number[];
  causes: number[];
  titles: number[];
  texts: number[];
}

/** A selection of nothing. */
export const noSelection = (): ForgetSelection => ({
  ...{ sessions: [], observations: [], summaries: [], prompts: [] },
  ...{ events: [], causes: [], titles: [], texts: [] },
});

/** What a forget does: kept until it is done, so that the next worker goes on when this one was stopped. */
export interface ForgetWork {
  choice: ForgetChoice;
  /** Spares rules, pinned observations, and sessions with one of them. */
  spareKept: boolean;
  /** Deletes from the trash too. */
  forever: boolean;
  /** Words that only the records have. */
  words: readonly string[];
  /** By age, project by project; the choice is empty then. */
  ages?: readonly AgeLimit[] | undefined;
}

export interface ForgetReceipt {
  id: number;
  /** The entry of the trash that restores it; null when nothing of it is there. */
  trash_id: number | null;
  chosen_by: ChosenBy;
  at_epoch: number;
  counts: ForgetCounts;
  /** When it left the tables, the full text and the log; null while it can be restored. */
  gone_at_epoch: number | null;
  /** When the database file was written again without bytes of it. */
  erased_at_epoch: number | null;
  words: number;
  found: number;
}

// In a shorter word's neighborhood are too many others: `cat` is in `category`.
const minPartChars = 6;

/**
 * True for texts that contain every word of `query`, as search compares letters: a word of six characters or more also
 * inside another word, a shorter one alone. A word of a script without spaces is alone anywhere.
 */
export function wordMatcher(query: string): (text: string) => boolean {
  const words = foldedLetters(query)
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map((word) => {
      const part = spaceCharacters(word)
        .trim()
        .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
      const isShort = word.length < minPartChars;
      return new RegExp(isShort ? `(?<![\\p{L}\\p{N}])${part}(?![\\p{L}\\p{N}])` : part, "u");
    });
  return (text) => {
    const within = spaceCharacters(foldedLetters(text));
    return words.every((word) => word.test(within));
  };
}

/** `12 sessions, 340 observations`, without kinds that have none. */
export function countsInWords({
  sessions,
  observations,
  summaries,
  prompts,
  events = 0,
}: RecordCounts & { events?: number }): string {
  const words = [
    counted(sessions, "session"),
    counted(observations, "observation"),
    counted(summaries, "summary", "summaries"),
    counted(prompts, "prompt"),
    counted(events, "other event"),
  ].filter((text) => !text.startsWith("0 "));
  return words.length === 0 ? "nothing" : words.join(", ");
}

/** What a forget deleted; without a record it was such copies. */
export function deletedInWords(counts: ForgetCounts): string {
  const records = countsInWords(counts);
  return records === "nothing" ? "titles, causes or injected texts" : records;
}
