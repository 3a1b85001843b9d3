// Projects: the label that records carry, the id that scopes a full-text match, and what a project is known by.
import type { Sqlite } from "./open.ts";

export interface NamedProject {
  id: number;
  label: string;
}

export interface Projects {
  /** The id of the label; made when it is new. */
  ensure(label: string): number;
  /** The id of the label, or undefined when no record has it. */
  find(label: string): number | undefined;
  /** Labels that have sessions or records, newest activity first. */
  labels(): string[];
  byIdentity(identity: string): NamedProject | undefined;
  identitiesOf(id: number): string[];
  byLabel(label: string): NamedProject | undefined;
  /** The project that had the label before it was renamed or merged. */
  byAlias(label: string): NamedProject | undefined;
  /** Labels that the project had before. */
  aliasesOf(id: number): string[];
  /** The identity is that of the project from now on, whichever had it. */
  identify(identity: string, id: number): void;
  /** Top folder of the project's work tree: the one in which it was seen first, as long as it is there. */
  folderOf(id: number): string | null;
  setFolder(id: number, folder: string): void;
}

export function createProjects(db: Sqlite): Projects {
  const find = db.prepare<[string], NamedProject>("select id, label from projects where label = ?");
  const insert = db.prepare<[string]>(
    "insert into projects (label) values (?) on conflict (label) do nothing",
  );
  const labels = db.prepare<[], { project: string }>(
    `select project
     from sessions
     group by project
     order by max(last_active_at_epoch) desc, project`,
  );
  const byIdentity = db.prepare<[string], NamedProject>(
    `select p.id, p.label
     from project_identities i
     join projects p on p.id = i.project_id
     where i.identity = ?`,
  );
  const byAlias = db.prepare<[string], NamedProject>(
    `select p.id, p.label
     from project_aliases a
     join projects p on p.id = a.project_id
     where a.label = ?`,
  );
  const aliasesOf = db.prepare<[number], { label: string }>(
    "select label from project_aliases where project_id = ? order by label",
  );
  const identitiesOf = db.prepare<[number], { identity: string }>(
    "select identity from project_identities where project_id = ?",
  );
  const identify = db.prepare<[string, number]>(
    `insert into project_identities (identity, project_id) values (?, ?)
     on conflict (identity) do update set project_id = excluded.project_id`,
  );
  const folderOf = db.prepare<[number], { folder: string | null }>(
    "select folder from projects where id = ?",
  );
  const setFolder = db.prepare<[string, number]>("update projects set folder = ? where id = ?");

  return {
    find: (label) => find.get(label)?.id,
    labels: () => labels.all().map((row) => row.project),
    ensure(label) {
      insert.run(label);
      return find.get(label)?.id ?? 0;
    },
    byIdentity: (identity) => byIdentity.get(identity),
    aliasesOf: (id) => aliasesOf.all(id).map((row) => row.label),
    identitiesOf: (id) => identitiesOf.all(id).map((row) => row.identity),
    byLabel: (label) => find.get(label),
    byAlias: (label) => byAlias.get(label),
    identify: (identity, id) => void identify.run(identity, id),
    folderOf: (id) => folderOf.get(id)?.folder ?? null,
    setFolder: (id, folder) => void setFolder.run(folder, id),
  };
}
