// Conditions of a search for each kind of record, and their parameters.
import type { RecordFilter } from "../../core/records/search.ts";
import { inBothForms, listOf } from "./sql.ts";

/** One kind of record, as full-text search sees it. */
export interface Searched {
  table: "observations" | "session_summaries" | "user_prompts";
  /** Weights of the full-text columns; `scope`, the first, never scores. */
  weights: string;
  /** Conditions that every row must meet. */
  always: string;
  /** Conditions of this kind alone; a null parameter disables one. */
  own: string;
  /** All text of a row `r`, for a search inside words; `content` is without template words. */
  text: string;
  content: string;
}

// One fact per line, as templates are parsed.
const facts = `rtrim(replace(substr(r.facts, 3), '","', char(10)), '"]')`;
const observationText = `concat_ws(char(10), r.title, r.subtitle, r.summary, r.narrative, ${facts}, r.files_touched)`;
const summaryText = `concat_ws(char(10), r.summary_text, ${facts}, r.files_touched)`;

// Title 3, facts 2, narrative 1, files 4: fitted on the development half of commit-fixes, held against Cranfield
// (R@10 60.5 and 41.3; equal weights 60.7 and 40.5, title 5 and files 2 59.9 and 41.1).
const hasConcept = `(@concepts is null or exists (
       select 1
       from json_each(iif(json_valid(r.concepts), r.concepts, '[]')) have
       join json_each(@concepts) want on want.value = have.value))`;

export const observations: Searched = {
  table: "observations",
  weights: "0, 3, 2, 1, 4",
  always: "r.status <> 'rejected'",
  text: observationText,
  content: `without_template_words(${observationText}, r.generator)`,
  own: `and (@obs_type is null or r.obs_type = @obs_type)
     and (@lasting = 0 or r.routine = 0)
     and ${hasConcept}
     and (@files is null or exists (
       select 1
       from observation_files have
       join json_each(@files) want on ${pathMatches("have.path", "want.value")}
       where have.observation_id = r.id))`,
};

export const summaries: Searched = {
  table: "session_summaries",
  weights: "0, 1",
  always: "true",
  text: summaryText,
  content: `summary_content(${summaryText}, r.generator)`,
  own: `and ${hasConcept}
     and (@files is null or exists (
       select 1
       from json_each(iif(json_valid(r.files_touched), r.files_touched, '[]')) have
       join json_each(@files) want on ${pathMatches("have.value", "want.value")}))`,
};

export const prompts: Searched = {
  table: "user_prompts",
  weights: "0, 1",
  always: "r.private = 0",
  text: "r.prompt_text",
  content: "r.prompt_text",
  own: "",
};

function pathMatches(path: string, wanted: string): string {
  return `(${path} = ${wanted}
         or substr(${path}, -length(${wanted}) - 1) in ('/' || ${wanted}, '\\' || ${wanted}))`;
}

/** The parameters of the conditions. */
export interface FilterRow {
  project: string | null;
  obs_type: string | null;
  concepts: string | null;
  files: string | null;
  dateStart: number | null;
  dateEnd: number | null;
  branch: string | null;
  lasting: 0 | 1;
  only: string | null;
}

/** Conditions of every row of a kind, besides its project. */
export function conditionsOf({ always, own }: Searched): string {
  return `${always}
     and (@dateStart is null or r.created_at_epoch >= @dateStart)
     and (@dateEnd is null or r.created_at_epoch <= @dateEnd)
     and (@branch is null or r.branch = @branch)
     ${own}`;
}

// The match filters by project too; this condition costs nothing and is right while rows are moved.
export const ofProject = "(@project is null or r.project = @project)";

/** Restricts full-text rows to known ids before their records are read. */
export function isOnly(fts: string): string {
  return `(@only is null or +${fts}.rowid in (select value from json_each(@only)))`;
}

/** True when a filter needs the record itself; project and type are tokens of the match. */
export function restricts(filter: RecordFilter): boolean {
  return (
    filter.lasting === true ||
    filter.branch !== undefined ||
    filter.concepts.length > 0 ||
    filter.files.length > 0 ||
    filter.dateStart !== null ||
    filter.dateEnd !== null
  );
}

/** A filter as parameters. */
export function toRow(filter: RecordFilter): FilterRow {
  return {
    project: filter.project,
    obs_type: filter.obs_type,
    concepts: filter.concepts.length === 0 ? null : listOf(filter.concepts),
    files: filter.files.length === 0 ? null : listOf(inBothForms(filter.files)),
    dateStart: filter.dateStart,
    dateEnd: filter.dateEnd,
    branch: filter.branch ?? null,
    lasting: filter.lasting ? 1 : 0,
    only: filter.only === undefined ? null : JSON.stringify(filter.only),
  };
}
