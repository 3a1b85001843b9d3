// Policies of retention, the time of the last run, and what is known about the clock.
import type { RetentionPolicy } from "../../core/records/retention.ts";
import type { Sqlite } from "./open.ts";
import { createProjects } from "./projects.ts";
import { createSql } from "./sql.ts";

interface RetentionRow {
  days: number | null;
  last_run_epoch: number | null;
  clock_epoch: number;
  steady_since_epoch: number;
}

/** Every write runs in the caller's transaction. */
export function createRetentionStore(db: Sqlite) {
  const sql = createSql(db);
  const projects = createProjects(db);
  const read = sql.get<[], RetentionRow>(
    "select days, last_run_epoch, clock_epoch, steady_since_epoch from retention",
  );
  const ofProjects = sql.all<[], { project: string; days: number }>(
    `select label as project, retention_days as days
     from projects
     where retention_days is not null
     order by label`,
  );
  const setGeneral = sql.run<[days: number | null]>("update retention set days = ?");
  const setOf = sql.run<[days: number | null, project: number]>(
    "update projects set retention_days = ? where id = ?",
  );
  const setClock = sql.run<[{ now: number; steady: number }]>(
    "update retention set clock_epoch = @now, steady_since_epoch = @steady",
  );
  return {
    policy: (): RetentionPolicy => ({ days: read()?.days ?? null, projects: ofProjects() }),
    times: () => read() ?? { days: null, last_run_epoch: null, clock_epoch: 0, steady_since_epoch: 0 },
    setGeneral: (days: number | null) => setGeneral(days),
    /** Null for the general policy again. */
    setProject(label: string, days: number | null): void {
      setOf(days, projects.byAlias(label)?.id ?? projects.ensure(label));
    },
    setClock: (now: number, steady: number) => setClock({ now, steady }),
    ran: sql.run<[now: number | null]>("update retention set last_run_epoch = ?"),
    /** Labels of sessions and records. */
    labels: sql.values<[], string>(
      `select project from sessions
       union
       select project from observations
       union
       select project from session_summaries
       union
       select project from user_prompts`,
    ),
  };
}
