// Rows derived from a record: full text, terms and files. Written with the record, and rebuilt from it.
import { ownSubtitle, packTerms } from "../../core/records/record-terms.ts";
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { parseLists } from "../../core/records/records.ts";
import { projectToken, typeToken } from "../../core/records/scope-token.ts";
import { summaryContent, withoutTemplateWords } from "../../core/records/template-words.ts";
import { indexText } from "../../text/index-text.ts";
import { wellFormedText } from "../../text/storable.ts";
import type { Sqlite } from "./open.ts";
import { createProjects } from "./projects.ts";

/** The records of each table that has derived rows. */
export interface Indexed {
  observations: Observation;
  session_summaries: SessionSummary;
  /** A private prompt has no derived rows. */
  user_prompts: UserPrompt & { private: 0 | 1 };
}

export type IndexedTable = keyof Indexed;

export interface DerivedRows {
  /** Writes the rows of a record that has none. */
  write<T extends IndexedTable>(table: T, record: Indexed[T]): void;
  drop(table: IndexedTable, id: number): void;
  rewrite<T extends IndexedTable>(table: T, record: Indexed[T]): void;
}

/** Runs in the transaction of the record. */
export function createDerivedRows(db: Sqlite): DerivedRows {
  const drops = createDrops(db);
  const summary = db.prepare<[number, string, string]>(
    "insert into session_summaries_fts (rowid, scope, body) values (?, ?, ?)",
  );
  const prompt = db.prepare<[number, string, string]>(
    "insert into user_prompts_fts (rowid, scope, body) values (?, ?, ?)",
  );
  const projects = createProjects(db);
  // A record that still has the old label of a renamed project belongs to the project: no new one is created.
  const scopeOf = (label: string): string =>
    projectToken(projects.byAlias(label)?.id ?? projects.ensure(label));
  const writers: { [T in IndexedTable]: (record: Indexed[T]) => void } = {
    observations: createObservationWriter(db, scopeOf),
    session_summaries(record) {
      const { facts, files_touched } = parseLists(record);
      const body = summaryContent([record.summary_text, ...facts].join("\n"), record.generator);
      summary.run(record.id, scopeOf(record.project), indexText([body, ...files_touched].join("\n")));
    },
    user_prompts(record) {
      if (record.private === 0) prompt.run(record.id, scopeOf(record.project), indexText(record.prompt_text));
    },
  };

  function drop(table: IndexedTable, id: number): void {
    for (const statement of drops[table]) statement.run(id);
  }

  return {
    write: (table, record) => writers[table](record),
    drop,
    rewrite(table, record) {
      drop(table, record.id);
      writers[table](record);
    },
  };
}

function createDrops(db: Sqlite) {
  const drop = (table: string, key = "rowid") =>
    db.prepare<[number]>(`delete from ${table} where ${key} = ?`);
  return {
    observations: [
      drop("observation_files", "observation_id"),
      drop("observation_terms", "observation_id"),
      drop("observations_fts"),
    ],
    session_summaries: [drop("session_summaries_fts")],
    user_prompts: [drop("user_prompts_fts")],
  };
}

function createObservationWriter(db: Sqlite, scopeOf: (label: string) => string) {
  const addFile = db.prepare<[string, number, string]>(
    "insert into observation_files (path, observation_id, access) values (?, ?, ?) on conflict do nothing",
  );
  const index = db.prepare<[number, string, string, string, string, string]>(
    "insert into observations_fts (rowid, scope, title, facts, narrative, files) values (?, ?, ?, ?, ?, ?)",
  );
  const putTerms = db.prepare<[number, number, Uint8Array]>(
    `insert into observation_terms (observation_id, created_at_epoch, terms) values (?, ?, ?)
     on conflict (observation_id)
     do update set created_at_epoch = excluded.created_at_epoch, terms = excluded.terms`,
  );
  return (record: Observation): void => {
    const { facts, files_read, files_modified, files_touched } = parseLists(record);
    for (const path of files_read) addFile.run(wellFormedText(path), record.id, "read");
    for (const path of files_modified) addFile.run(wellFormedText(path), record.id, "modified");
    const own = (text: string) => indexText(withoutTemplateWords(text, record.generator));
    index.run(
      record.id,
      `${scopeOf(record.project)} ${typeToken(record.obs_type)}`,
      own(joined(record.title, ownSubtitle(record))),
      own(facts.join("\n")),
      own(joined(record.summary, record.narrative, ownSubtitle(record) === "" ? record.subtitle : null)),
      indexText(files_touched.join(" ")),
    );
    putTerms.run(record.id, record.created_at_epoch, packTerms(record));
  };
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join("\n");
}
