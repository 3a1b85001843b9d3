// Relabels the records of a project that was renamed or merged: at once what decides, by batches what is long.
import { indexedTables } from "./derived-rebuild.ts";
import { createDerivedRows, type Indexed, type IndexedTable } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";

/** A project with what is known of it and what it holds. */
export interface ProjectRow {
  project: string;
  /** Where it was seen last. */
  folder: string | null;
  identities: string[];
  /** Labels that it had, or that were merged into it. */
  aliases: string[];
  sessions: number;
  observations: number;
  last_active_at_epoch: number | null;
}

export interface ProjectMoves {
  list(): ProjectRow[];
  /** Gives the project another label; its records follow by `step`. */
  rename(id: number, from: string, to: string): void;
  /** All that is known of a project becomes another's; its records follow by `step`. */
  merge(from: { id: number; label: string }, into: { id: number; label: string }): void;
  /** Moves some records; false when nothing is left to move. */
  step(limit: number): boolean;
  /** Records that still have an old label. */
  left(): number;
  /** True until the last batch of the last move. */
  isMoving(): boolean;
}

interface Move {
  from_label: string;
  to_label: string;
  /** 1 when the records are scoped by another id in the full text. */
  reindex: 0 | 1;
}

/** Every method runs in the caller's transaction. */
export function createProjectMoves(db: Sqlite): ProjectMoves {
  const takeSteps = createSteps(db);
  const relabel = db.prepare<[string, number]>("update projects set label = ? where id = ?");
  const forgetAlias = db.prepare<[string]>("delete from project_aliases where label = ?");
  const addAlias = db.prepare<[string, number]>(
    `insert into project_aliases (label, project_id) values (?, ?)
     on conflict (label) do update set project_id = excluded.project_id`,
  );
  const takeAliases = db.prepare<[number, number]>(
    "update project_aliases set project_id = ? where project_id = ?",
  );
  const takeIdentities = db.prepare<[number, number]>(
    "update project_identities set project_id = ? where project_id = ?",
  );
  const takeFolder = db.prepare<[number, number]>(
    `update projects
     set folder = coalesce(folder, (select folder from projects where id = ?))
     where id = ?`,
  );
  const redirect = db.prepare<Move>(
    `update project_moves
     set to_label = @to_label, reindex = max(reindex, @reindex)
     where to_label = @from_label`,
  );
  const add = db.prepare<Move>(
    `insert into project_moves (from_label, to_label, reindex) values (@from_label, @to_label, @reindex)
     on conflict (from_label) do update
     set to_label = excluded.to_label, reindex = max(reindex, excluded.reindex)`,
  );
  const dropCircles = db.prepare("delete from project_moves where from_label = to_label");
  const moveSessions = db.prepare<[string, string]>("update sessions set project = ? where project = ?");
  const moveFiles = db.prepare<[string, string]>("update folder_files set project = ? where project = ?");
  const waiting = db.prepare<[], Move>("select from_label, to_label, reindex from project_moves");
  const left = indexedTables.map((table) =>
    db.prepare<[], { n: number }>(
      `select count(*) as n from ${table} where project in (select from_label from project_moves)`,
    ),
  );

  // Sessions go at once: what is stored from now on takes its label from them. So do context files in folders, which only
  // their project's refresh takes away.
  function begin(move: Move): void {
    redirect.run(move);
    add.run(move);
    dropCircles.run();
    moveSessions.run(move.to_label, move.from_label);
    moveFiles.run(move.to_label, move.from_label);
  }

  return {
    list: createList(db),
    rename(id, from, to) {
      forgetAlias.run(to);
      relabel.run(to, id);
      addAlias.run(from, id);
      begin({ from_label: from, to_label: to, reindex: 0 });
    },
    merge(from, into) {
      takeIdentities.run(into.id, from.id);
      takeAliases.run(into.id, from.id);
      takeFolder.run(from.id, into.id);
      addAlias.run(from.label, into.id);
      begin({ from_label: from.label, to_label: into.label, reindex: 1 });
    },
    step(limit) {
      const move = waiting.get();
      return move !== undefined && takeSteps(move, limit);
    },
    isMoving: () => waiting.get() !== undefined,
    left: () => left.reduce((sum, statement) => sum + (statement.get()?.n ?? 0), 0),
  };
}

/** Moves a batch of one move; the last batch ends it. Always true: there may be another move. */
function createSteps(db: Sqlite): (move: Move, limit: number) => true {
  const derived = createDerivedRows(db);
  const steps = [moverOf("user_prompts"), moverOf("session_summaries"), moverOf("observations")];
  const moveSpend = db.prepare<[string, string]>("update model_calls set project = ? where project = ?");
  const dropRow = db.prepare<[string]>("delete from projects where label = ?");
  const finish = db.prepare<[string]>("delete from project_moves where from_label = ?");

  function moverOf<T extends IndexedTable>(table: T): (move: Move, limit: number) => number {
    const relabel = db.prepare<{ from: string; to: string; limit: number }, Indexed[T]>(
      `update ${table}
       set project = @to, revision = revision + 1, synced_at = null
       where id in (select id from ${table} where project = @from order by id limit @limit)
       returning *`,
    );
    return ({ from_label, to_label, reindex }, limit) => {
      const moved = relabel.all({ from: from_label, to: to_label, limit });
      if (reindex === 1) for (const record of moved) derived.rewrite(table, record);
      return moved.length;
    };
  }

  return (move, limit) => {
    let room = limit;
    for (const step of steps) if (room > 0) room -= step(move, room);
    if (room > 0) {
      moveSpend.run(move.to_label, move.from_label);
      dropRow.run(move.from_label);
      finish.run(move.from_label);
    }
    return true;
  };
}

function createList(db: Sqlite): () => ProjectRow[] {
  interface Flat extends Omit<ProjectRow, "identities" | "aliases"> {
    identities: string;
    aliases: string;
  }
  const all = db.prepare<[], Flat>(
    `select l.project, p.folder, coalesce(s.sessions, 0) as sessions, coalesce(o.observations, 0) as observations,
       s.last_active_at_epoch,
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
    }));
}
