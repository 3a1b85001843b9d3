// Project labels and their ids: the token that scopes a full-text match.
import type { Sqlite } from "./open.ts";

export interface Projects {
  /** The id of the label; made when it is new. */
  ensure(label: string): number;
  /** The id of the label, or undefined when no record has it. */
  find(label: string): number | undefined;
  /** Labels that have sessions or records, newest activity first. */
  labels(): string[];
}

export function createProjects(db: Sqlite): Projects {
  const find = db.prepare<[string], { id: number }>("select id from projects where label = ?");
  const insert = db.prepare<[string]>(
    "insert into projects (label) values (?) on conflict (label) do nothing",
  );
  const labels = db.prepare<[], { project: string }>(
    `select project
     from sessions
     group by project
     order by max(last_active_at_epoch) desc, project`,
  );

  return {
    find: (label) => find.get(label)?.id,
    labels: () => labels.all().map((row) => row.project),
    ensure(label) {
      insert.run(label);
      return find.get(label)?.id ?? 0;
    },
  };
}
