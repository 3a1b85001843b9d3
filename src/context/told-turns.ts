// Statements of one turn tell one story: what adds nothing to it is left out, and the rest stands together.
import type { QuotedRecord } from "../domain/records.ts";
import { namesIn } from "../statements/names.ts";
import { topicTermsOf } from "../statements/topic-terms.ts";

type OfTurn = Pick<QuotedRecord, "id" | "sdk_session_id" | "prompt_number">;

/** What a reader is told of each turn. */
export interface ToldTurns {
  /** True when the reader has it from other statements of the turn: its names, its numbers and most of its words. */
  isRetold(record: OfTurn & Pick<QuotedRecord, "summary">): boolean;
  /** The reader is told this text of the record. */
  tell(record: OfTurn, text: string): void;
}

export function createToldTurns(): ToldTurns {
  const told = new Map<string, Set<string>>();
  return {
    isRetold(record) {
      const known = told.get(turnKey(record));
      if (known === undefined) return false;
      const terms = topicTermsOf(record.summary);
      const telling = [
        ...namesIn(record.summary).flatMap((name) => topicTermsOf(name)),
        ...terms.filter((term) => /\d/.test(term)),
      ];
      const common = terms.filter((term) => known.has(term)).length;
      return telling.every((term) => known.has(term)) && common >= terms.length * leastShare;
    },
    tell(record, text) {
      const key = turnKey(record);
      const known = told.get(key) ?? new Set();
      for (const term of topicTermsOf(text)) known.add(term);
      told.set(key, known);
    },
  };
}

/** The records with those of one turn together, where the first of them stands; `isFirst` of its turn. */
export function byTurn<R extends OfTurn>(records: readonly R[]): { record: R; isFirst: boolean }[] {
  const turns = new Map<string, R[]>();
  for (const record of records) turns.set(turnKey(record), [...(turns.get(turnKey(record)) ?? []), record]);
  return [...turns.values()].flatMap((turn) => turn.map((record, at) => ({ record, isFirst: at === 0 })));
}

// What belongs to no turn is a story of its own.
function turnKey({ id, sdk_session_id, prompt_number }: OfTurn): string {
  return prompt_number === null ? `#${id}` : `${sdk_session_id}:${prompt_number}`;
}

const leastShare = 0.7;
