// Statements of one turn, shown together: one that adds nothing to the others is left out.
import type { QuotedRecord } from "../core/records/records.ts";
import { namesIn } from "../statements/text/names.ts";
import { topicTermsOf } from "../statements/text/topic-terms.ts";
import { type OfTurn, turnKey } from "./past-turns.ts";

/** What a reader is shown of each turn. */
export interface ShownTurns {
  /** True when shown statements of the turn have its names, its numbers and most of its words. */
  isRepeated(record: OfTurn & Pick<QuotedRecord, "summary">): boolean;
  /** The record is shown with this text. */
  add(record: OfTurn, text: string): void;
}

export function createShownTurns(): ShownTurns {
  const shown = new Map<string, Set<string>>();
  return {
    isRepeated(record) {
      const known = shown.get(turnKey(record));
      if (known === undefined) return false;
      const terms = topicTermsOf(record.summary);
      const telling = [
        ...namesIn(record.summary).flatMap((name) => topicTermsOf(name)),
        ...terms.filter((term) => /\d/.test(term)),
      ];
      const common = terms.filter((term) => known.has(term)).length;
      return telling.every((term) => known.has(term)) && common >= terms.length * leastShare;
    },
    add(record, text) {
      const key = turnKey(record);
      const known = shown.get(key) ?? new Set();
      for (const term of topicTermsOf(text)) known.add(term);
      shown.set(key, known);
    },
  };
}

/**
 * The records with those of one turn together, where the first of them stands; `isFirst` of its turn. One that
 * `standsAlone` is of no turn.
 */
export function byTurn<R extends OfTurn>(
  records: readonly R[],
  standsAlone: (record: R) => boolean = () => false,
): { record: R; isFirst: boolean }[] {
  const turns = new Map<string, R[]>();
  for (const record of records) {
    const key = standsAlone(record) ? `#${record.id}` : turnKey(record);
    turns.set(key, [...(turns.get(key) ?? []), record]);
  }
  return [...turns.values()].flatMap((turn) => turn.map((record, at) => ({ record, isFirst: at === 0 })));
}

const leastShare = 0.7;
