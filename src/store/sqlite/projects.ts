// Projects: the label that records carry, the id that scopes a full-text match, and the project's identities.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export interface NamedProject {
  id: number;
  label: string;
}

export function createProjects(db: Sqlite) {
  const sql = createSql(db);
  const byLabel = sql.get<[label: string], NamedProject>("select id, label from projects where label = ?");
  const insert = sql.run<[label: string]>(
    "insert into projects (label) values (?) on conflict (label) do nothing",
  );
  const setFolder = sql.run<[folder: string, id: number]>("update projects set folder = ? where id = ?");
  const folderOf = sql.value<[id: number], string | null>("select folder from projects where id = ?");
  return {
    byLabel,
    /** The id of the label, or undefined when no record has it. */
    find: (label: string) => byLabel(label)?.id,
    /** The id of the label; the project is created when it is new. */
    ensure(label: string): number {
      const known = byLabel(label);
      if (known === undefined) insert(label);
      return (known ?? byLabel(label))?.id ?? 0;
    },
    /** Labels that have sessions or records, newest activity first. */
    labels: sql.values<[], string>(
      `select project
       from sessions
       group by project
       order by max(last_active_at_epoch) desc, project`,
    ),
    byIdentity: sql.get<[identity: string], NamedProject>(
      `select p.id, p.label
       from project_identities i
       join projects p on p.id = i.project_id
       where i.identity = ?`,
    ),
    /** The project that had the label before it was renamed or merged. */
    byAlias: sql.get<[label: string], NamedProject>(
      `select p.id, p.label
       from project_aliases a
       join projects p on p.id = a.project_id
       where a.label = ?`,
    ),
    /** Earlier labels of the project. */
    aliasesOf: sql.values<[id: number], string>(
      "select label from project_aliases where project_id = ? order by label",
    ),
    identitiesOf: sql.values<[id: number], string>(
      "select identity from project_identities where project_id = ?",
    ),
    /** Gives the identity to the project, whichever project had it before. */
    identify: sql.run<[identity: string, id: number]>(
      `insert into project_identities (identity, project_id) values (?, ?)
       on conflict (identity) do update set project_id = excluded.project_id`,
    ),
    /** Top folder of the project's work tree: where it was first seen, while that folder exists. */
    folderOf: (id: number) => folderOf(id) ?? null,
    setFolder: (id: number, folder: string) => setFolder(folder, id),
  };
}
