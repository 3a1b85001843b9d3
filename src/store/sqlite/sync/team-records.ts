// The outbox of the team's server: which records of chosen projects wait, what is sent of them, what the server answered.
import { newSecret } from "../../../core/ids.ts";
import type { SharedKind } from "../../../core/records/shared-record.ts";
import type {
  RefusedRecord,
  TeamBatch,
  TeamCounts,
  TeamOutcome,
  TeamProject,
  TeamRecord,
} from "../../../core/records/team.ts";
import type { JsonObject } from "../../../text/json.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";
import { createNewestRows, type NewestRows } from "./identities.ts";
import { createTeamContent } from "./team-content.ts";

export type TeamRecords = ReturnType<typeof createTeamRecords>;

interface WaitingRow {
  kind: SharedKind;
  record_id: number;
  changed: number;
  acked: number;
  team_project: string | null;
  device: string | null;
}

/** Every writing function is one transaction. */
export function createTeamRecords(db: Sqlite, { commit }: Pick<GroupCommit, "commit">) {
  const sql = createSql(db);
  const projects = createTeamProjects(db);
  const contentOf = createTeamContent(db);
  const stamp = createStamp(db);
  const isWaiting = "changed > acked and ended = 0 and refused is null";
  const waiting = sql.all<[limit: number], WaitingRow>(
    `select kind, record_id, changed, acked, team_project, device
     from team_records
     where ${isWaiting}
     order by kind, record_id
     limit ?`,
  );
  const retry = sql.run<[]>("update team_records set refused = null where refused is not null");
  const countWaiting = sql.value<[], number>(`select count(*) from team_records where ${isWaiting}`);
  const counted = sql.get<[], Omit<TeamCounts, "waiting">>(
    `select coalesce(sum(ended = 0 and team_project is not null), 0) as shared, coalesce(sum(ended), 0) as deleted_by_team
     from team_records`,
  );
  const settle = sql.run<[Pick<WaitingRow, "kind" | "record_id" | "changed">]>(
    `update team_records
     set acked = @changed
     where kind = @kind and record_id = @record_id and changed = @changed`,
  );

  const team = createTeam(db);

  return {
    team: team.id,
    secret: () => commit(() => team.secret()),
    projects: {
      list: projects.list,
      /** Another team than before has nothing yet: its projects are connected one by one, and all is sent. */
      connect: (project: ConnectedProject, id: string, now: number) =>
        commit(() => {
          if (id !== team.id()) team.startOver(id);
          projects.connect(project, now);
        }),
      /** What the team has stays there. False when the project was not connected. */
      disconnect: (project: string) => commit(() => projects.disconnect(project)),
      setProblem: (teamProject: string, problem: string | null) =>
        commit(() => projects.setProblem(problem, teamProject)),
    },
    /** The next records to send, by project of the team; `self` names this device. */
    take: (self: string, limit: number): Promise<TeamBatch[]> =>
      commit(() => {
        const batches = new Map<string, TeamRecord[]>();
        // What is not to be sent is settled, so that the next rows come into view.
        for (let rows = waiting(limit); rows.length > 0 && batches.size === 0; rows = waiting(limit)) {
          for (const row of rows) {
            const found = sendable(row, self, { contentOf, targetOf: projects.targetOf });
            if (found === undefined) settle(row);
            else batches.set(found.to, [...(batches.get(found.to) ?? []), found.record]);
          }
        }
        return [...batches].map(([team_project, records]) => ({ team_project, records }));
      }),
    stamp: (team_project: string, outcomes: readonly TeamOutcome[]) =>
      commit(() => {
        for (const outcome of outcomes) stamp(team_project, outcome);
      }),
    refuse: ({ kind, record_id, revision }: TeamRecord, reason: string) =>
      commit(() => stamp.refuse(kind, record_id, revision, reason)),
    retryRefused: () => commit(() => retry()),
    refused: sql.all<[limit: number], RefusedRecord>(
      `select kind, record_id, refused as reason from team_records where refused is not null limit ?`,
    ),
    waiting: () => countWaiting() ?? 0,
    counts: (): TeamCounts => ({
      waiting: countWaiting() ?? 0,
      ...(counted() ?? { shared: 0, deleted_by_team: 0 }),
    }),
  };
}

interface Known {
  contentOf: ReturnType<typeof createTeamContent>;
  targetOf(project: string): string | undefined;
}

/** Where a record goes and what is sent; undefined when there is nothing to send. */
function sendable(
  row: WaitingRow,
  self: string,
  { contentOf, targetOf }: Known,
): { to: string; record: TeamRecord } | undefined {
  const { kind, record_id, changed, team_project } = row;
  const content = contentOf[kind](record_id);
  const to = content === undefined ? undefined : targetOf(content.project);
  // A change of a project that is no longer connected stays here; a deletion follows the record.
  if (content !== undefined && to === undefined) return undefined;
  const name = { kind, record_id, revision: changed, device: row.device ?? self };
  const moves = to !== undefined;
  if (team_project !== null && team_project !== to)
    return { to: team_project, record: { ...name, content: null, moves } };
  if (content === undefined || to === undefined) return undefined;
  return { to, record: { ...name, content: content.fields, moves: false } };
}

/** Which team the records go to. */
function createTeam(db: Sqlite) {
  const sql = createSql(db);
  const leave = [
    "delete from team_projects",
    `update team_records
     set changed = changed + 1, team_project = null, ended = 0, refused = null`,
  ].map((text) => sql.run<[]>(text));
  const read = sql.value<[name: string], string>("select value from sync_state where name = ?");
  const set = sql.run<[name: string, value: string]>(
    "insert into sync_state (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
  );
  return {
    id: () => read("team"),
    /** In the file of the records: a copy has it too. */
    secret(): string {
      const secret = read("team_secret") ?? newSecret();
      set("team_secret", secret);
      return secret;
    },
    /** Another team has nothing yet, and deleted nothing. */
    startOver(id: string): void {
      for (const step of leave) step();
      set("team", id);
    },
  };
}

const fromTheBeginning = { at_epoch: 0, observations: 0, session_summaries: 0, user_prompts: 0, sessions: 0 };

interface ConnectedProject {
  project: string;
  team_project: string;
  /** Records from before go too. */
  earlier: boolean;
}

function createTeamProjects(db: Sqlite) {
  const sql = createSql(db);
  const newest = createNewestRows(db);
  const add = sql.run<[Omit<ConnectedProject, "earlier"> & NewestRows]>(
    `insert into team_projects (project, team_project, since_epoch, last_observation, last_summary, last_prompt, last_session)
     values (@project, @team_project, @at_epoch, @observations, @session_summaries, @user_prompts, @sessions)
     on conflict (project) do update
     set team_project = excluded.team_project, since_epoch = min(since_epoch, excluded.since_epoch), problem = null,
       last_observation = min(last_observation, excluded.last_observation),
       last_summary = min(last_summary, excluded.last_summary), last_prompt = min(last_prompt, excluded.last_prompt),
       last_session = min(last_session, excluded.last_session)`,
  );
  const tables = { observation: "observations", summary: "session_summaries" } as const;
  const queue = (["observation", "summary"] as const).map((kind) =>
    sql.run<[project: string]>(
      `insert into team_records (kind, record_id)
       select '${kind}', id
       from ${tables[kind]}
       where project = ?
         and (origin_device_id is null or origin_device_id in (
           select each.value
           from sync_state, json_each(sync_state.value) each
           where sync_state.name = 'earlier_ids'))
       on conflict (kind, record_id) do nothing`,
    ),
  );
  const again = (["observation", "summary"] as const).map((kind) =>
    sql.run<[project: string]>(
      `update team_records
       set changed = changed + 1, refused = null
       where kind = '${kind}' and record_id in (select id from ${tables[kind]} where project = ?)`,
    ),
  );
  // What the team has not got stays here; a deletion of what it has still waits.
  const settle = (["observation", "summary"] as const).map((kind) =>
    sql.run<[project: string]>(
      `update team_records
       set acked = changed
       where kind = '${kind}' and changed > acked and record_id in (select id from ${tables[kind]} where project = ?)`,
    ),
  );
  const remove = sql.changes<[project: string]>("delete from team_projects where project = ?");
  const target = sql.value<[project: string], string>(
    "select team_project from team_projects where project = ?",
  );
  return {
    list: sql.all<[], TeamProject>(
      "select project, team_project, since_epoch, problem from team_projects order by project",
    ),
    targetOf: target,
    connect({ project, team_project, earlier }: ConnectedProject, now: number): void {
      // What changed while the project was not connected is not known; at another place the team has nothing of it.
      const isElsewhere = target(project) !== team_project;
      const rows = newest();
      // After every record that there is, also where the clock was set back since.
      const boundary = { ...rows, at_epoch: Math.max(now, rows.at_epoch + 1) };
      add({ project, team_project, ...(earlier ? fromTheBeginning : boundary) });
      if (isElsewhere) for (const step of again) step(project);
      if (earlier) for (const step of queue) step(project);
    },
    disconnect(project: string): boolean {
      for (const step of settle) step(project);
      return remove(project) > 0;
    },
    setProblem: sql.run<[problem: string | null, teamProject: string]>(
      "update team_projects set problem = ? where team_project = ?",
    ),
  };
}

/** Notes an answer of the server. A record that changed meanwhile keeps waiting. */
function createStamp(db: Sqlite) {
  const sql = createSql(db);
  const acknowledge = sql.run<[JsonObject]>(
    `update team_records
     set acked = max(acked, @revision), team_project = @team_project, device = @device,
       changed = max(changed, @next)
     where kind = @kind and record_id = @record_id`,
  );
  const end = sql.run<[kind: SharedKind, record_id: number]>(
    "update team_records set ended = 1, team_project = null where kind = ? and record_id = ?",
  );
  const refuse = sql.run<[reason: string, kind: SharedKind, record_id: number, revision: number]>(
    "update team_records set refused = ? where kind = ? and record_id = ? and changed = ?",
  );

  function stamp(
    team_project: string,
    { record: { kind, record_id, revision, device, content, moves }, result }: TeamOutcome,
  ): void {
    if (result.outcome === "deleted") {
      end(kind, record_id);
      return;
    }
    // The server knows a newer revision, as after a restored backup: the present state follows as the newest.
    const isBehind = result.revision > revision;
    const next = isBehind || moves ? Math.max(result.revision, revision) + 1 : 0;
    const place = content === null ? null : team_project;
    acknowledge({ kind, record_id, revision, device, team_project: place, next });
  }
  stamp.refuse = (kind: SharedKind, record_id: number, revision: number, reason: string): void =>
    refuse(reason, kind, record_id, revision);
  return stamp;
}
