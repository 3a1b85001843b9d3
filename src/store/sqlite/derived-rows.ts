// Rows that follow from a record: files, full-text row, terms. Written with it, and made anew after a repair.

import { packTerms } from "../../core/records/record-terms.ts";
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { parseLists } from "../../core/records/records.ts";
import { projectToken, typeToken } from "../../core/records/scope-token.ts";
import { summaryContent, withoutTemplateWords } from "../../core/records/template-words.ts";
import { indexText } from "../../text/index-text.ts";
import type { Sqlite } from "./open.ts";
import { createProjects } from "./projects.ts";

export interface DerivedRows {
  ofObservation(observation: Observation): void;
  ofSummary(summary: SessionSummary): void;
  ofPrompt(prompt: UserPrompt): void;
  /** Takes the rows of an observation away, before they are written anew or the record goes. */
  dropObservation(id: number): void;
  dropSummary(id: number): void;
  dropPrompt(id: number): void;
}

/** Writers of the derived rows; they run in the transaction of the record. */
export function createDerivedRows(db: Sqlite): DerivedRows {
  const projects = createProjects(db);
  const addFile = db.prepare<[string, number, string]>(
    "insert into observation_files (path, observation_id, access) values (?, ?, ?) on conflict do nothing",
  );
  const indexObservation = db.prepare<[number, string, string, string, string, string]>(
    "insert into observations_fts (rowid, scope, title, facts, narrative, files) values (?, ?, ?, ?, ?, ?)",
  );
  const putTerms = db.prepare<[number, number, Uint8Array]>(
    `insert into observation_terms (observation_id, created_at_epoch, terms) values (?, ?, ?)
     on conflict (observation_id)
     do update set created_at_epoch = excluded.created_at_epoch, terms = excluded.terms`,
  );
  const dropTerms = db.prepare<[number]>("delete from observation_terms where observation_id = ?");
  const indexSummary = db.prepare<[number, string, string]>(
    "insert into session_summaries_fts (rowid, scope, body) values (?, ?, ?)",
  );
  const indexPrompt = db.prepare<[number, string, string]>(
    "insert into user_prompts_fts (rowid, scope, body) values (?, ?, ?)",
  );
  const dropFiles = db.prepare<[number]>("delete from observation_files where observation_id = ?");
  const unindexObservation = db.prepare<[number]>("delete from observations_fts where rowid = ?");
  const unindexSummary = db.prepare<[number]>("delete from session_summaries_fts where rowid = ?");
  const unindexPrompt = db.prepare<[number]>("delete from user_prompts_fts where rowid = ?");
  // A record that waits for its new label is its project's already: the old label is made no project again.
  const scopeOf = (project: string): string =>
    projectToken(projects.byAlias(project)?.id ?? projects.ensure(project));

  return {
    ofObservation(observation) {
      const { facts, files_read, files_modified, files_touched } = parseLists(observation);
      for (const path of files_read) addFile.run(path, observation.id, "read");
      for (const path of files_modified) addFile.run(path, observation.id, "modified");
      const own = (text: string) => indexText(withoutTemplateWords(text, observation.generator));
      indexObservation.run(
        observation.id,
        `${scopeOf(observation.project)} ${typeToken(observation.obs_type)}`,
        own(joined(observation.title, observation.subtitle)),
        own(facts.join("\n")),
        own(joined(observation.summary, observation.narrative)),
        indexText(files_touched.join(" ")),
      );
      putTerms.run(observation.id, observation.created_at_epoch, packTerms(observation));
    },
    ofSummary(summary) {
      const { facts, files_touched } = parseLists(summary);
      const body = summaryContent([summary.summary_text, ...facts].join("\n"), summary.generator);
      indexSummary.run(summary.id, scopeOf(summary.project), indexText([body, ...files_touched].join("\n")));
    },
    ofPrompt(prompt) {
      indexPrompt.run(prompt.id, scopeOf(prompt.project), indexText(prompt.prompt_text));
    },
    dropObservation(id) {
      dropFiles.run(id);
      dropTerms.run(id);
      unindexObservation.run(id);
    },
    dropSummary: (id) => void unindexSummary.run(id),
    dropPrompt: (id) => void unindexPrompt.run(id),
  };
}

/** Empties the derived rows and makes them again from the records. */
export function rebuildDerived(db: Sqlite): void {
  const derived = createDerivedRows(db);
  for (const table of ["observations_fts", "session_summaries_fts", "user_prompts_fts"]) {
    db.prepare(`insert into ${table} (${table}) values ('delete-all')`).run();
  }
  for (const table of ["observation_files", "observation_terms", "stale_derived"]) {
    db.prepare(`delete from ${table}`).run();
  }
  for (const row of rowsOf<Observation>(db, "observations")) derived.ofObservation(row);
  for (const row of rowsOf<SessionSummary>(db, "session_summaries")) derived.ofSummary(row);
  for (const row of rowsOf<UserPrompt & { private: 0 | 1 }>(db, "user_prompts"))
    if (row.private === 0) derived.ofPrompt(row);
}

// By pages: a connection that iterates cannot write, and a table may be larger than memory.
function* rowsOf<Row extends { id: number }>(db: Sqlite, table: string): Generator<Row> {
  const page = db.prepare<[number], Row>(`select * from ${table} where id > ? order by id limit 200`);
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.all(after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join("\n");
}
