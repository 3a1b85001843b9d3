// Which records do not agree with what follows from them, as queries for ids: of all records, or of some after one another.

import { projectToken } from "../../core/records/scope-token.ts";
import type { Sqlite } from "./open.ts";

/** What has a full text, and which of it. */
export const indexed = [
  { kind: "observations", name: "full text of observations", is: "true" },
  { kind: "session_summaries", name: "full text of summaries", is: "true" },
  { kind: "user_prompts", name: "full text of prompts", is: "private = 0" },
] as const;

export type Indexed = (typeof indexed)[number];

/** The condition that an id, by the name of its column, is among those that are looked at. */
export type Among = (id: string) => string;

export const all: Among = () => "true";

/** Those behind `@after` up to `@until`. */
export const some: Among = (id) => `${id} > @after and ${id} <= @until`;

/** The ids that are in a full-text index and should not be, or the other way round. */
export function indexFaults({ kind, is }: Indexed, among: Among): string {
  // Asked row by row: `not in` would read the other table whole for a few.
  return `select r.id
    from ${kind} r
    where ${is} and ${among("r.id")} and not exists (select 1 from ${kind}_fts_docsize x where x.id = r.id)
    union
    select x.id
    from ${kind}_fts_docsize x
    where ${among("x.id")} and not exists (select 1 from ${kind} r where r.id = x.id and ${is})`;
}

/** The ids of observations whose files are not those of their lists. */
export function fileFaults(among: Among): string {
  return [
    ["read", "files_read"],
    ["modified", "files_modified"],
  ]
    .map(
      ([access, column]) => `
    select o.id
    from observations o, json_each(iif(json_valid(o.${column}), o.${column}, '[]')) f
    where ${among("o.id")} and f.type = 'text' and not exists (
      select 1 from observation_files x
      where x.path = f.value and x.observation_id = o.id and x.access = '${access}')
    union
    select x.observation_id
    from observation_files x
    left join observations o on o.id = x.observation_id
    where ${among("x.observation_id")} and x.access = '${access}' and (o.id is null or not exists (
      select 1 from json_each(iif(json_valid(o.${column}), o.${column}, '[]')) f where f.value = x.path))`,
    )
    .join(" union ");
}

/** The ids of vectors that fit no set or no observation. */
export function vectorFaults(among: Among): string {
  return `select v.id
    from observation_vectors v
    left join vector_sets s on s.id = v.set_id
    where ${among("v.id")}
      and (length(v.vector) is not s.dimension or v.observation_id not in (select id from observations))`;
}

/** Reads the ids of records that the full text has not under their own project; those that are moved are not wrong. */
export function createStrangers(db: Sqlite, { kind, is }: Indexed, among: Among) {
  // Asked from the records, not from the projects: a row can stand under the number of a project that is gone.
  const labels = db.prepare<object, { label: string; id: number }>(
    `select r.project as label, coalesce(p.id, 0) as id
     from (select distinct project from ${kind} where ${is} and ${among("id")}) r
     left join projects p on p.label = r.project
     where r.project not in (select from_label from project_moves)
       and r.project not in (select to_label from project_moves)`,
  );
  // The `+` keeps the index of projects out: a project may hold everything, what is looked at is little.
  const strangers = db
    .prepare<object, number>(
      `select r.id
       from ${kind} r
       where +r.project = @label and ${is} and ${among("r.id")}
         and exists (select 1 from ${kind}_fts_docsize x where x.id = r.id)
         and r.id not in (select rowid from ${kind}_fts where ${kind}_fts match @scope and ${among("rowid")})`,
    )
    .pluck();
  return (range: object = {}): number[] =>
    labels
      .all(range)
      .flatMap(({ label, id }) => strangers.all({ ...range, scope: `scope:${projectToken(id)}`, label }));
}
