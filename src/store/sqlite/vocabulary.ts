// The words of a full-text index, as the tokenizer stems them.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export interface Vocabulary {
  /** The stems that begin with `prefix`, in alphabetical order, at most `limit`. */
  termsFrom(prefix: string, limit: number): { term: string; records: number }[];
  /** The id of a record that has this stem. */
  recordWith(term: string): number | undefined;
}

/** Its virtual tables are created with the first question: most searches need none. */
export function createVocabulary(db: Sqlite, fts: string): Vocabulary {
  let opened: Vocabulary | undefined;
  const open = () => (opened ??= openVocabulary(db, fts));
  return {
    termsFrom: (prefix, limit) => open().termsFrom(prefix, limit),
    recordWith: (term) => open().recordWith(term),
  };
}

function openVocabulary(db: Sqlite, fts: string): Vocabulary {
  db.exec(`
    create virtual table if not exists temp.${fts}_terms using fts5vocab('main', '${fts}', 'row');
    create virtual table if not exists temp.${fts}_places using fts5vocab('main', '${fts}', 'instance')`);
  const sql = createSql(db);
  // Scope tokens are not words.
  const from = sql.all<[from: string, to: string, limit: number], { term: string; records: number }>(
    `select term, doc as records
     from temp.${fts}_terms
     where term >= ? and term < ? and term not glob 'x[ptu]*'
     limit ?`,
  );
  return {
    termsFrom: (prefix, limit) => from(prefix, `${prefix}\u{10ffff}`, limit),
    recordWith: sql.value<[term: string], number>(
      `select doc from temp.${fts}_places where term = ? limit 1`,
    ),
  };
}
