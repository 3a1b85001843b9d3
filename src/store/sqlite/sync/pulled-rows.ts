// Writes the state of a pulled record: its row, derived rows, session, successor and fix commands.
import { activityGrainMs } from "../../../core/records/records.ts";
import {
  type Links,
  type RecordName,
  recordKinds,
  type SyncedKind,
  type SyncedRow,
  syncedColumns,
} from "../../../core/records/sync-payload.ts";
import { createDerivedRows, type Indexed } from "../derived-rows.ts";
import type { Sqlite } from "../open.ts";
import { createProjects } from "../projects.ts";
import { createSql, insertInto } from "../sql.ts";
import { createIdentities, type FoundRow, ownPlace, tableOf } from "./identities.ts";

export interface Version {
  revision: number;
  /** The device that made the revision. */
  writer: string;
}

interface PulledRow {
  name: RecordName;
  columns: SyncedRow;
  links: Links;
  /** The row that the record has here. */
  present: FoundRow | undefined;
  version: Version;
  now: number;
}

export function createPulledRows(db: Sqlite) {
  const sql = createSql(db);
  const writers = Object.fromEntries(recordKinds.map((kind) => [kind, createWriter(db, kind)]));
  const derived = createDerivedRows(db);
  const projects = createProjects(db);
  const links = createPulledLinks(db);
  const sessionOf = sql.value<[sdkSessionId: string], number>(
    "select id from sessions where sdk_session_id = ?",
  );
  const join = (["user_prompts", "observations", "session_summaries"] as const).map((table) =>
    sql.run<[id: number, sdkSessionId: string]>(
      `update or ignore ${table} set session_id = ? where sdk_session_id = ? and session_id is null`,
    ),
  );

  const represent = sql.run<[{ id: number; until: number }]>(
    `update sessions
     set represented_until_epoch = max(coalesce(represented_until_epoch, 0), @until)
     where id = @id`,
  );

  return {
    /** Writes it and returns its row id; undefined when its place is taken by another record. */
    write({ name, columns, links: linked, present, version, now }: PulledRow): number | undefined {
      const { kind, device } = name;
      const label = String(columns.project);
      const project = projects.byAlias(label)?.label ?? label;
      const row: SyncedRow = {
        ...columns,
        project,
        shared_project: project === label ? null : label,
        revision: version.revision,
        revised_by: device === version.writer ? null : version.writer,
        synced_at: now,
      };
      const session_id = sessionOf(String(columns.sdk_session_id)) ?? null;
      const stored =
        present === undefined
          ? writers[kind]?.insert(name, { ...row, session_id })
          : writers[kind]?.update({ ...row, id: present.id });
      if (stored === undefined) return undefined;
      if (kind === "session") {
        for (const each of join) each(stored.id, String(stored.sdk_session_id));
        // An own session that is here has its events here too.
        if (present === undefined || device !== "")
          represent({ id: stored.id, until: Number(columns.last_active_at_epoch) + activityGrainMs - 1 });
      } else derived.rewrite(tableOf[kind], stored as unknown as Indexed[(typeof tableOf)[typeof kind]]);
      if (kind === "observation") links.write(stored.id, name, linked);
      return stored.id;
    },
  };
}

function createWriter(db: Sqlite, kind: SyncedKind) {
  const sql = createSql(db);
  const table = tableOf[kind];
  const state = [...syncedColumns(kind), "shared_project", "revision", "revised_by", "synced_at"];
  const names = [...state, "origin_device_id", "origin_local_id", "id", "incarnation", "sent_revision"];
  // What only the device has on which the session runs.
  const own = {
    observation: ["session_id"],
    summary: ["session_id"],
    prompt: ["session_id", "event_key"],
    session: ["status", "completed_at_epoch"],
  }[kind];
  const all = [...names, ...own];
  const insert = sql.get<[SyncedRow], FoundRow>(
    `${insertInto(table, all)}
     on conflict do nothing
     returning *`,
  );
  const update = sql.get<[SyncedRow], FoundRow>(
    `update ${table}
     set ${state.map((name) => `${name} = ${unlessLeftOut(name)}`).join(", ")}
     where id = @id
     returning *`,
  );
  return {
    update,
    insert({ device, origin_id }: RecordName, row: SyncedRow): FoundRow | undefined {
      const isOwn = device === "";
      const place = isOwn ? ownPlace(origin_id) : { id: null, incarnation: 0 };
      const full: SyncedRow = {
        ...row,
        ...place,
        origin_device_id: isOwn ? null : device,
        origin_local_id: isOwn ? null : origin_id,
        sent_revision: isOwn ? (row.revision ?? 0) : 0,
        event_key: `sync:${device}:${origin_id}`,
        status: kind === "session" ? "completed" : (row.status ?? null),
        completed_at_epoch: row.last_active_at_epoch ?? null,
      };
      // A number of a prompt that its session has twice: only one of both belongs to the session's row.
      return insert(full) ?? (kind === "prompt" ? insert({ ...full, session_id: null }) : undefined);
    },
  };
}

// A device of an older version says nothing of branches.
function unlessLeftOut(name: string): string {
  return name === "branch" || name === "git_commit" ? `coalesce(@${name}, ${name})` : `@${name}`;
}

/** What replaces an observation, and what it replaces; the commands that it is a fix for. */
function createPulledLinks(db: Sqlite) {
  const sql = createSql(db);
  const identities = createIdentities(db);
  const refer = sql.run<[by: number | null, id: number]>(
    "update observations set superseded_by = ? where id = ?",
  );
  const dropAwaited = sql.run<[id: number]>("delete from sync_references where observation_id = ?");
  const await_ = sql.run<[id: number, device: string, origin_id: number]>(
    "insert into sync_references (observation_id, device, origin_id) values (?, ?, ?)",
  );
  const awaiting = sql.values<[device: string, origin_id: number], number>(
    "select observation_id from sync_references where device = ? and origin_id = ?",
  );
  const dropFamilies = sql.run<[id: number]>("delete from fix_commands where observation_id = ?");
  const addFamily = sql.run<[family: string, id: number]>(
    "insert into fix_commands (family, observation_id) values (?, ?) on conflict do nothing",
  );
  return {
    write(id: number, name: RecordName, { superseded_by, families }: Links): void {
      dropAwaited(id);
      const successor = superseded_by && identities.find(superseded_by);
      refer(successor?.id === id ? null : (successor?.id ?? null), id);
      if (superseded_by && successor === undefined) await_(id, superseded_by.device, superseded_by.origin_id);
      for (const waiting of awaiting(name.device, name.origin_id)) {
        if (waiting !== id) refer(id, waiting);
        dropAwaited(waiting);
      }
      dropFamilies(id);
      for (const family of families) addFamily(family, id);
    },
  };
}
