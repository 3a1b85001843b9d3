// Renames and merges projects: sessions get their label immediately, records follow in batches.
import { indexedTables } from "./derived-rebuild.ts";
import { createDerivedRows, type Indexed, type IndexedTable } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import type { NamedProject } from "./projects.ts";
import { createSql } from "./sql.ts";

/** A project with its identities and counts. */
interface ProjectRow {
  project: string;
  /** Its top folder. */
  folder: string | null;
  identities: string[];
  /** Earlier labels, and labels merged into it. */
  aliases: string[];
  /** True when its records go to the user's other devices, once a hub is set up. */
  synced: boolean;
  /** Project of the team's server that its records go to. */
  team_project: string | null;
  sessions: number;
  observations: number;
  last_active_at_epoch: number | null;
}

interface Move {
  from_label: string;
  to_label: string;
  /** 1 when the full text scopes the records by another project id. */
  reindex: 0 | 1;
}

/** Every function runs in the caller's transaction. */
export type ProjectMoves = ReturnType<typeof createProjectMoves>;

export function createProjectMoves(db: Sqlite) {
  const sql = createSql(db);
  const begin = createBegin(db);
  const relabel = sql.run<[label: string, id: number]>("update projects set label = ? where id = ?");
  const forgetAlias = sql.run<[label: string]>("delete from project_aliases where label = ?");
  const addAlias = sql.run<[label: string, id: number]>(
    `insert into project_aliases (label, project_id) values (?, ?)
     on conflict (label) do update set project_id = excluded.project_id`,
  );
  const takeOver = ["project_aliases", "project_identities"].map((table) =>
    sql.run<[into: number, from: number]>(`update ${table} set project_id = ? where project_id = ?`),
  );
  const takeFolder = sql.run<[from: number, into: number]>(
    `update projects
     set folder = coalesce(folder, (select folder from projects where id = ?))
     where id = ?`,
  );
  const tellDevices = sql.run<[from: string, to: string]>(
    "insert into sync_remaps (from_label, to_label) values (?, ?)",
  );
  const follow = sql.run<[to: string, from: string]>(
    "update team_projects set project = ? where project = ?",
  );
  const leaveTeam = sql.run<[from: string]>("delete from team_projects where project = ?");
  const left = indexedTables.map((table) =>
    sql.value<[], number>(
      `select count(*) from ${table} where project in (select from_label from project_moves)`,
    ),
  );
  const pending = createPending(db);
  return {
    list: createList(db),
    /** Gives the project another label; its records follow by `step`. `isOwn` is false for what another device did. */
    rename(id: number, from: string, to: string, isOwn = true): void {
      if (isOwn) tellDevices(from, to);
      forgetAlias(to);
      relabel(to, id);
      follow(to, from);
      addAlias(from, id);
      begin({ from_label: from, to_label: to, reindex: 0 });
    },
    /** Gives everything of a project to another; its records follow by `step`. */
    merge(from: NamedProject, into: NamedProject, isOwn = true): void {
      if (isOwn) tellDevices(from.label, into.label);
      for (const take of takeOver) take(into.id, from.id);
      takeFolder(from.id, into.id);
      addAlias(from.label, into.id);
      // The records of the other project would leave the device unasked.
      leaveTeam(from.label);
      begin({ from_label: from.label, to_label: into.label, reindex: 1 });
    },
    /** Moves some records; false when none is left. */
    step: pending.step,
    /** Ends moves from these labels before one is taken: records that still leave it must not mix with others. */
    free(...labels: string[]): void {
      for (const label of labels) while (pending.isLeaving(label)) pending.step(recordsPerStep);
    },
    /** Records that still have an old label. */
    left: () => left.reduce((sum, count) => sum + (count() ?? 0), 0),
    /** True until the last batch of the last move. */
    isMoving: pending.isMoving,
  };
}

const recordsPerStep = 1_000;

function createPending(db: Sqlite) {
  const sql = createSql(db);
  const takeSteps = createSteps(db);
  const first = sql.get<[], Move>("select from_label, to_label, reindex from project_moves");
  const isLeaving = sql.value<[label: string], number>("select 1 from project_moves where from_label = ?");
  return {
    step(limit: number): boolean {
      const move = first();
      return move !== undefined && takeSteps(move, limit);
    },
    isLeaving: (label: string) => isLeaving(label) !== undefined,
    isMoving: () => first() !== undefined,
  };
}

const sharedAgain = ", shared_project = null, revision = revision + 1, synced_at = null";

// Sessions move immediately: new records take their label from them. So do context files in folders, which only their
// project's refresh deletes, and branches, by which the moved sessions' records are marked.
function createBegin(db: Sqlite): (move: Move) => void {
  const sql = createSql(db);
  const redirect = sql.run<[Move]>(
    `update project_moves
     set to_label = @to_label, reindex = max(reindex, @reindex)
     where to_label = @from_label`,
  );
  const add = sql.run<[Move]>(
    `insert into project_moves (from_label, to_label, reindex) values (@from_label, @to_label, @reindex)
     on conflict (from_label) do update
     set to_label = excluded.to_label, reindex = max(reindex, excluded.reindex)`,
  );
  const dropCircles = sql.run("delete from project_moves where from_label = to_label");
  const relabels = ["sessions", "folder_files", "trash"].map((table) =>
    sql.run<[to: string, from: string]>(
      `update ${table} set project = ?${table === "sessions" ? sharedAgain : ""} where project = ?`,
    ),
  );
  const joinBranches = sql.run<[to: string, from: string]>(
    `insert into branches (project, branch, tip, has_commits, merged_until_epoch, seen_at_epoch)
     select ?, branch, tip, has_commits, merged_until_epoch, seen_at_epoch from branches where project = ?
     on conflict (project, branch) do update
     set tip = iif(excluded.seen_at_epoch > seen_at_epoch, excluded.tip, tip),
       seen_at_epoch = max(seen_at_epoch, excluded.seen_at_epoch),
       has_commits = max(has_commits, excluded.has_commits),
       merged_until_epoch = max(merged_until_epoch, excluded.merged_until_epoch)`,
  );
  const dropBranches = sql.run<[from: string]>("delete from branches where project = ?");
  return (move) => {
    redirect(move);
    add(move);
    dropCircles();
    for (const relabel of relabels) relabel(move.to_label, move.from_label);
    joinBranches(move.to_label, move.from_label);
    dropBranches(move.from_label);
  };
}

/** Moves a batch of one move; the last batch ends it. Always true: there may be another move. */
function createSteps(db: Sqlite): (move: Move, limit: number) => true {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const steps = [moverOf("user_prompts"), moverOf("session_summaries"), moverOf("observations")];
  const moveSpend = sql.run<[to: string, from: string]>(
    "update model_calls set project = ? where project = ?",
  );
  const dropRow = sql.run<[label: string]>("delete from projects where label = ?");
  const finish = sql.run<[label: string]>("delete from project_moves where from_label = ?");

  function moverOf<T extends IndexedTable>(table: T): (move: Move, limit: number) => number {
    const relabel = sql.all<[{ from: string; to: string; limit: number }], Indexed[T]>(
      `update ${table}
       set project = @to${sharedAgain}
       where id in (select id from ${table} where project = @from order by id limit @limit)
       returning *`,
    );
    return ({ from_label, to_label, reindex }, limit) => {
      const moved = relabel({ from: from_label, to: to_label, limit });
      if (reindex === 1) for (const record of moved) derived.rewrite(table, record);
      return moved.length;
    };
  }

  return (move, limit) => {
    let room = limit;
    for (const step of steps) if (room > 0) room -= step(move, room);
    if (room > 0) {
      moveSpend(move.to_label, move.from_label);
      // A renamed project keeps its row, under its new label.
      if (move.reindex === 1) dropRow(move.from_label);
      finish(move.from_label);
    }
    return true;
  };
}

function createList(db: Sqlite): () => ProjectRow[] {
  interface Flat extends Omit<ProjectRow, "identities" | "aliases" | "synced"> {
    identities: string;
    aliases: string;
    synced: 0 | 1;
  }
  const all = db.prepare<[], Flat>(
    `select l.project, p.folder, coalesce(s.sessions, 0) as sessions, coalesce(o.observations, 0) as observations,
       s.last_active_at_epoch,
       coalesce(p.synced, (select value + 0 from sync_state where name = 'projects_default'), 0) as synced,
       (select team_project from team_projects t where t.project = l.project) as team_project,
       (select json_group_array(identity) from project_identities i where i.project_id = p.id) as identities,
       (select json_group_array(label) from project_aliases a where a.project_id = p.id) as aliases
     from (select label as project from projects union select project from sessions) l
     left join projects p on p.label = l.project
     left join (
       select project, count(*) as sessions, max(last_active_at_epoch) as last_active_at_epoch
       from sessions
       group by project
     ) s on s.project = l.project
     left join (select project, count(*) as observations from observations group by project) o
       on o.project = l.project
     where l.project not in (select from_label from project_moves)
     order by s.last_active_at_epoch desc nulls last, l.project`,
  );
  return () =>
    all.all().map((row) => ({
      ...row,
      identities: JSON.parse(row.identities) as string[],
      aliases: JSON.parse(row.aliases) as string[],
      synced: row.synced === 1,
    }));
}
