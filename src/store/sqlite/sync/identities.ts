// Rows by the name that all devices know them by: the device that made them, and its number for them.
import type { RecordName, SyncedKind, SyncedRow } from "../../../core/records/sync-payload.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";

export const tableOf = {
  observation: "observations",
  summary: "session_summaries",
  prompt: "user_prompts",
  session: "sessions",
} as const satisfies Record<SyncedKind, string>;

export type SyncedTable = (typeof tableOf)[SyncedKind];

export const tables = Object.values(tableOf);

// Numbers of restored rows; as in the triggers of migration 18.
const incarnationStep = 2 ** 40;

/** The number of a row within its origin device. */
export const originId = `coalesce(origin_local_id, id + incarnation * ${incarnationStep})`;

/** Columns that are no part of a record's state. */
export interface SyncFields {
  id: number;
  origin_device_id: string | null;
  origin_local_id: number | null;
  incarnation: number;
  revision: number;
  revised_by: string | null;
  synced_at: number | null;
  /** The newest revision that was given to a push; 0 for none. */
  sent_revision: number;
}

export type FoundRow = SyncFields & SyncedRow;

/** The name of a row; its device is empty when the row is of this device. */
export function nameOf(kind: SyncedKind, row: SyncFields): RecordName {
  return {
    device: row.origin_device_id ?? "",
    kind,
    origin_id: row.origin_local_id ?? row.id + row.incarnation * incarnationStep,
  };
}

/** Row id and incarnation of an own record's number. */
export function ownPlace(origin_id: number): { id: number; incarnation: number } {
  return { id: origin_id % incarnationStep, incarnation: Math.floor(origin_id / incarnationStep) };
}

/** The number of each table's newest own row, and the newest time of any; 0 without one. */
export type NewestRows = Record<SyncedTable | "at_epoch", number>;

export function createNewestRows(db: Sqlite): () => NewestRows {
  const newest = (column: string) =>
    tables.map(
      (table) => `coalesce((select max(${column}) from ${table} where origin_device_id is null), 0)`,
    );
  const ids = newest("id").map((value, at) => `${value} as ${tables[at]}`);
  const read = createSql(db).get<[], NewestRows>(
    `select ${ids.join(", ")}, max(${newest("created_at_epoch").join(", ")}) as at_epoch`,
  );
  return () => read() ?? { observations: 0, session_summaries: 0, user_prompts: 0, sessions: 0, at_epoch: 0 };
}

interface PushedState {
  columns: SyncedRow;
  revision: number;
  now: number;
}

export function createIdentities(db: Sqlite) {
  const sql = createSql(db);
  const finders = (table: SyncedTable) => ({
    own: sql.get<[id: number, incarnation: number], FoundRow>(
      `select * from ${table} where id = ? and incarnation = ? and origin_device_id is null`,
    ),
    pulled: sql.get<[device: string, origin_id: number], FoundRow>(
      `select * from ${table} where origin_device_id = ? and origin_local_id = ?`,
    ),
    claim: sql.get<[SyncedRow], FoundRow>(
      `update ${table}
       set origin_device_id = @device, origin_local_id = @origin_id, synced_at = iif(revision > @revision, null, @now)
       where id = @id and incarnation = @incarnation and origin_device_id is null and sent_revision = 0
         and created_at_epoch = @created_at_epoch and sdk_session_id = @sdk_session_id
       returning *`,
    ),
  });
  const find = {
    observation: finders(tableOf.observation),
    summary: finders(tableOf.summary),
    prompt: finders(tableOf.prompt),
    session: finders(tableOf.session),
  };
  return {
    find({ device, kind, origin_id }: RecordName): FoundRow | undefined {
      if (device !== "") return find[kind].pulled(device, origin_id);
      const { id, incarnation } = ownPlace(origin_id);
      return find[kind].own(id, incarnation);
    },
    /** Gives the unsent own row of that number to the device, if it is the same record as `pushed`. */
    claim({ device, kind, origin_id }: RecordName, pushed: PushedState): FoundRow | undefined {
      const { created_at_epoch = null, sdk_session_id = null } = pushed.columns;
      const { revision, now } = pushed;
      const place = ownPlace(origin_id);
      return find[kind].claim({
        device,
        origin_id,
        created_at_epoch,
        sdk_session_id,
        revision,
        now,
        ...place,
      });
    },
  };
}
