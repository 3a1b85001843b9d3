// What sync remembers of itself: device, log, cursor; what was set aside; which projects leave this device.

import { parseList } from "../../../core/records/records.ts";
import type { FailedOp, OutgoingOp, SyncState } from "../../../core/records/sync.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";
import { createNewestRows, originId, type SyncedTable, tables } from "./identities.ts";
import { type Launch, theBeginning } from "./leaving.ts";

/** Writing functions run in the caller's transaction. */
export function createSyncMemory(db: Sqlite) {
  const sql = createSql(db);
  const read = sql.value<[name: string], string>("select value from sync_state where name = ?");
  const write = sql.run<[name: string, value: string]>(
    "insert into sync_state (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
  );
  const takeOver = [...tables.map((table) => createTakeOver(db, table)), createRenameSuccessors(db)];
  const ownDeletions = sql.run<[device: string]>(
    "update or ignore sync_deletions set device = ? where device = ''",
  );
  const requeue = createRequeue(db);
  const renew = createRenew(db);

  function state(): SyncState {
    const flushed = read("last_flush_at_epoch");
    return {
      device_id: read("device_id"),
      nonce: read("nonce"),
      epoch: read("epoch"),
      cursor: read("cursor") ?? "0",
      cursor_digest: read("cursor_digest") || undefined,
      paused: read("paused") === "1",
      last_flush_at_epoch: flushed === undefined ? null : Number(flushed),
    };
  }

  function setCursor(cursor: string, digest?: string): void {
    write("cursor", cursor);
    write("cursor_digest", digest ?? "");
  }

  const earlierIds = () => parseList(read("earlier_ids") ?? "[]");

  return {
    state,
    ...createLaunchMemory(db, read, write),
    /** Ids that this data directory had before. */
    earlierIds,
    /** True when what reads the log was another before: other keys, or another version. */
    noteReader(name: string): boolean {
      const before = read("reader");
      write("reader", name);
      return before !== name;
    },
    includeEarlier: () => write("includes_earlier", "1"),
    setCursor,
    setPaused: (paused: boolean) => write("paused", paused ? "1" : "0"),
    noteFlush: (now: number) => write("last_flush_at_epoch", String(now)),
    adoptEpoch(epoch: string): void {
      const { epoch: before, device_id } = state();
      if (before === epoch) return;
      write("epoch", epoch);
      setCursor("0");
      if (before !== undefined) requeue([...(device_id === undefined ? [] : [device_id]), ...earlierIds()]);
    },
    restartLog(): void {
      const { device_id } = state();
      setCursor("0");
      const ids = [...(device_id === undefined ? [] : [device_id]), ...earlierIds()];
      renew(ids);
      requeue(ids);
    },
    adoptDevice(device_id: string, nonce: string): void {
      const before = state().device_id;
      if (before !== undefined && before !== device_id) {
        for (const take of takeOver) take(before);
        ownDeletions(before);
        write("earlier_ids", JSON.stringify([...earlierIds(), before]));
        setCursor("0");
      }
      write("device_id", device_id);
      write("nonce", nonce);
    },
  };
}

function createLaunchMemory(
  db: Sqlite,
  read: (name: string) => string | undefined,
  write: (name: string, value: string) => void,
) {
  const newest = createNewestRows(db);
  return {
    launch(): Launch | undefined {
      if (read("includes_earlier") === "1") return theBeginning;
      const at_epoch = read("launch_epoch");
      const last = JSON.parse(read("launch_ids") ?? "{}") as Launch["last"];
      return at_epoch === undefined ? undefined : { at_epoch: Number(at_epoch), last };
    },
    /** Only the first call counts. */
    noteLaunch(now: number): void {
      if (read("launch_epoch") !== undefined) return;
      const { at_epoch, ...last } = newest();
      // After every record that there is, also where the clock was set back since.
      write("launch_epoch", String(Math.max(now, at_epoch + 1)));
      write("launch_ids", JSON.stringify(last));
    },
  };
}

// What was sent under the old id is that device's record for everyone else.
function createTakeOver(db: Sqlite, table: SyncedTable): (device: string) => void {
  return createSql(db).run<[device: string]>(
    `update ${table}
     set origin_device_id = ?, origin_local_id = ${originId}
     where origin_device_id is null and sent_revision > 0`,
  );
}

/** A successor that was never sent has the new id in its name, which others know by the old one. */
function createRenameSuccessors(db: Sqlite): () => void {
  const rename = createSql(db).run<[]>(
    `update observations
     set revision = revision + 1, synced_at = null
     where origin_device_id is not null
       and superseded_by in (select id from observations where origin_device_id is null)`,
  );
  return () => rename();
}

/** Queues what this device wrote under any of its ids for another log: records, changes of others, and all deletions. */
function createRequeue(db: Sqlite): (ids: readonly string[]) => void {
  const sql = createSql(db);
  const rows = tables.map((table) =>
    sql.run<[{ ids: string }]>(
      `update ${table}
       set synced_at = null
       where synced_at is not null
         and (origin_device_id is null or coalesce(revised_by, origin_device_id) in (select value from json_each(@ids)))`,
    ),
  );
  // The present writer may be gone for good: this device takes its place.
  const takenOver = tables.map((table) =>
    sql.run<[{ ids: string }]>(
      `update ${table}
       set revision = revision + 1, revised_by = null
       where origin_device_id is null and revised_by not in (select value from json_each(@ids))`,
    ),
  );
  const others = ["sync_deletions", "sync_remaps"].map((table) =>
    sql.run<[]>(`update ${table} set synced_at = null`),
  );
  return (ids) => {
    for (const step of [...takenOver, ...rows]) step({ ids: JSON.stringify(ids) });
    for (const requeue of others) requeue();
  };
}

/**
 * Raises the revision of everything that this device wrote and a hub acknowledged: a log that lost its end may still have the
 * present revision, sealed in other bytes.
 */
function createRenew(db: Sqlite): (ids: readonly string[]) => void {
  const sql = createSql(db);
  const rows = tables.map((table) =>
    sql.run<[{ ids: string }]>(
      `update ${table}
       set revision = revision + 1
       where synced_at is not null
         and coalesce(revised_by, origin_device_id, '') in (select value from json_each(@ids) union all select '')`,
    ),
  );
  const deletions = sql.run<[]>(
    "update sync_deletions set revision = revision + 1 where synced_at is not null",
  );
  // All of them: a later renaming builds on the earlier ones, and their numbers are the order in which they leave.
  const remaps = sql.run<[]>("update sync_remaps set id = id + (select max(id) from sync_remaps)");
  const refused = sql.run<[]>(
    `update sync_failures
     set origin_id = 'remap/' || (substr(origin_id, 7) + (select coalesce(max(id), 0) from sync_remaps))
     where direction = 'push' and device = '' and kind = 'mutation' and origin_id like 'remap/%'`,
  );
  return (ids) => {
    for (const step of rows) step({ ids: JSON.stringify(ids) });
    deletions();
    refused();
    remaps();
  };
}

export type SyncFailures = ReturnType<typeof createSyncFailures>;

export function createSyncFailures(db: Sqlite) {
  const sql = createSql(db);
  const add = sql.run<[FailedOp & { now: number }]>(
    `insert into sync_failures (direction, device, kind, origin_id, revision, reason, at_epoch)
     values (@direction, @device, @kind, @id, @revision, @reason, @now)
     on conflict (direction, device, kind, origin_id) do update
     set revision = excluded.revision, reason = excluded.reason, at_epoch = excluded.at_epoch`,
  );
  return {
    push: ({ kind, id, revision }: OutgoingOp, reason: string, now: number) =>
      add({ direction: "push", device: "", kind, id, revision, reason, now }),
    pull: (op: FailedOp, now: number) => add({ ...op, now }),
    /** The newest first, at most 1,000. */
    list: sql.all<[], FailedOp>(
      `select direction, device, kind, origin_id as id, revision, reason
       from sync_failures
       order by at_epoch desc
       limit 1000`,
    ),
    dropPush: sql.run<[kind: string, id: string]>(
      "delete from sync_failures where direction = 'push' and device = '' and kind = ? and origin_id = ?",
    ),
    clearPushes: sql.run<[]>("delete from sync_failures where direction = 'push'"),
    clearPulls: sql.changes<[]>("delete from sync_failures where direction = 'pull'"),
  };
}

export function createProjectChoices(db: Sqlite) {
  const sql = createSql(db);
  const ensure = sql.run<[label: string]>(
    "insert into projects (label) values (?) on conflict (label) do nothing",
  );
  const set = sql.run<[synced: 0 | 1, label: string]>("update projects set synced = ? where label = ?");
  const defaultChoice = sql.value<[], string>("select value from sync_state where name = 'projects_default'");
  const setDefault = sql.run<[value: string]>(
    `insert into sync_state (name, value) values ('projects_default', ?)
     on conflict (name) do update set value = excluded.value`,
  );
  return {
    /** Null for a project that the user was not asked about. */
    list: sql.all<[], { project: string; synced: 0 | 1 | null }>(
      "select label as project, synced from projects order by label",
    ),
    /** Labels of the projects that leave this device. */
    synced: sql.values<[], string>(
      `select label
       from projects
       where coalesce(synced, (select value + 0 from sync_state where name = 'projects_default'), 0) = 1
       order by label`,
    ),
    /** The choice for projects that have none. */
    isDefault: () => defaultChoice() === "1",
    setDefault: (synced: boolean) => setDefault(synced ? "1" : "0"),
    set(label: string, synced: boolean): void {
      ensure(label);
      set(synced ? 1 : 0, label);
    },
  };
}
