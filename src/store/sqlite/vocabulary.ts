// The words of a full-text index, as the tokenizer stems them.
import type { Sqlite } from "./open.ts";

/** A stem, and how many records have it. */
export interface KnownTerm {
  term: string;
  records: number;
}

export interface Vocabulary {
  /** The stems that begin with `prefix`, in the order of the alphabet, `limit` at most. */
  termsFrom(prefix: string, limit: number): KnownTerm[];
  /** The id of a record that has this stem. */
  recordWith(term: string): number | undefined;
}

/** Prepared with the first question: most searches ask for none. */
export function createVocabulary(db: Sqlite, fts: string): Vocabulary {
  let prepared: Vocabulary | undefined;
  const vocabulary = (): Vocabulary => (prepared ??= prepare(db, fts));
  return {
    termsFrom: (prefix, limit) => vocabulary().termsFrom(prefix, limit),
    recordWith: (term) => vocabulary().recordWith(term),
  };
}

function prepare(db: Sqlite, fts: string): Vocabulary {
  db.exec(`
    create virtual table if not exists temp.${fts}_terms using fts5vocab('main', '${fts}', 'row');
    create virtual table if not exists temp.${fts}_places using fts5vocab('main', '${fts}', 'instance')`);
  // Tokens of the scope are no words.
  const from = db.prepare<[string, string, number], KnownTerm>(
    `select term, doc as records
     from temp.${fts}_terms
     where term >= ? and term < ? and term not glob 'x[ptu]*'
     limit ?`,
  );
  const first = db
    .prepare<[string], number>(`select doc from temp.${fts}_places where term = ? limit 1`)
    .pluck();
  return {
    termsFrom: (prefix, limit) => from.all(prefix, `${prefix}\u{10ffff}`, limit),
    recordWith: (term) => first.get(term),
  };
}
