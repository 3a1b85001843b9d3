// Reads everything that `mem export` writes, as of one moment, while the worker goes on writing.
import { MemError } from "../../core/errors.ts";
import {
  type ExportCounts,
  type ExportKind,
  type ExportRow,
  exportedFields,
  exportKinds,
} from "../../core/records/memory-export.ts";
import { activityGrainMs } from "../../core/records/records.ts";
import { currentLabel, openReadOnly } from "./read-only.ts";
import { isDamage, storageError } from "./storage-error.ts";

export interface ExportFilter {
  /** Label of one project, or a label that it had before. */
  project?: string | undefined;
  /** Only records from then on. */
  since?: number | undefined;
}

export interface MemorySnapshot {
  counts: ExportCounts;
  /** Messages that no record was made from yet. */
  waiting: number;
  /** Id of this device in sync; undefined where sync was never set up. */
  device: string | undefined;
  /** Every row, in the order of the file. */
  rows(): Generator<{ type: ExportKind; row: ExportRow }>;
  close(): void;
}

/** Later writes are not seen. Throws what `openReadOnly` throws, and `not_found` for an unknown project. */
export function openSnapshot(path: string, { project, since = 0 }: ExportFilter): MemorySnapshot {
  const db = openReadOnly(path);
  try {
    const label = project === undefined ? null : currentLabel(db, project);
    const filter = { project: label, since };
    const counts = Object.fromEntries(
      exportKinds.map((kind) => [
        kind,
        db.prepare<[typeof filter], number>(`select count(*) from (${selects[kind]})`).pluck().get(filter) ??
          0,
      ]),
    ) as ExportCounts;
    const waiting = db.prepare<[], number>("select count(*) from pending_messages").pluck().get() ?? 0;
    const device = db
      .prepare<[], string>("select value from sync_state where name = 'device_id'")
      .pluck()
      .get();
    return {
      counts,
      waiting,
      device,
      *rows() {
        for (const type of exportKinds) {
          const statement = db.prepare<[typeof filter], ExportRow>(`${selects[type]} ${orders[type]}`);
          for (const row of statement.iterate(filter)) yield { type, row };
        }
      },
      close: () => db.close(),
    };
  } catch (cause) {
    db.close();
    throw isDamage(cause) ? new MemError("database_corrupt", { cause }) : storageError(cause);
  }
}

/** Generation keys of imported records begin with it; the rest is the key in the export. */
export const importedKey = "import:";

/**
 * SQL of the key that a record has in every export, wherever it is: its own where it was imported, else the device that
 * made it and its number there, else its session and what it was made from.
 */
function exportKey(alias: string, keyless: string): string {
  const { key, sdk, device, local } = {
    key: `${alias}.generation_key`,
    sdk: `${alias}.sdk_session_id`,
    device: `${alias}.origin_device_id`,
    local: `${alias}.origin_local_id`,
  };
  return `case
      when substr(${key}, 1, ${importedKey.length}) = '${importedKey}' then substr(${key}, ${importedKey.length + 1})
      when ${device} is not null then ${device} || ':' || ${local}
      else ${sdk} || ':' || coalesce(${key}, ${keyless})
    end`;
}

// As in the tombstone of a record without a key.
const keylessRow = (alias: string) => `'#' || ${alias}.id || '@' || ${alias}.created_at_epoch`;

const isWanted = "(@project is null or project = @project)";
const isRecent = "created_at_epoch >= @since";

const sessionOfRow = "(select claude_session_id from sessions s where s.sdk_session_id = t.sdk_session_id)";

/** Fields that are not columns of the table. */
const computed: Partial<Record<ExportKind, Record<string, string>>> = {
  project: {
    identities: `(select json_group_array(identity) from (
      select identity from project_identities where project_id = t.id order by identity))`,
    aliases: `(select json_group_array(label) from (
      select label from project_aliases where project_id = t.id order by label))`,
  },
  session: {
    // Events that wait in the queue have no records yet.
    represented_until_epoch: `coalesce((
      select min(e.created_at_epoch) - 1
      from pending_messages p
      cross join raw_events e on e.id = p.id
      where p.session_id = t.id and p.status <> 'dead'), t.last_active_at_epoch + ${activityGrainMs - 1})`,
  },
  observation: {
    key: exportKey("t", keylessRow("t")),
    claude_session_id: sessionOfRow,
    families: `(select json_group_array(family) from (
      select family from fix_commands where observation_id = t.id order by family))`,
    blobs: `(select json_group_array(json_object('path', path, 'place', place, 'blob_id', blob_id, 'size', size,
        'mtime_ns', mtime_ns, 'spans', spans))
      from (select * from observation_blobs where observation_id = t.id order by path))`,
  },
  replacement: {
    key: exportKey("t", keylessRow("t")),
    by: `(select ${exportKey("s", keylessRow("s"))} from observations s where s.id = t.superseded_by)`,
  },
  summary: { key: exportKey("t", keylessRow("t")), claude_session_id: sessionOfRow },
  deleted: {
    id: "t.record_id",
    key: `case t.kind
      when 'prompt' then coalesce(t.generation_key, '#' || t.record_id)
      else ${exportKey("t", "'#' || t.record_id")}
    end`,
  },
};

function select(kind: ExportKind, table: string, where: string): string {
  const fields = Object.keys(exportedFields[kind]).map((name) => {
    const sql = computed[kind]?.[name];
    return sql === undefined ? `t.${name}` : `${sql} as "${name}"`;
  });
  return `select ${fields.join(", ")} from ${table} t where ${where}`;
}

const selects: Record<ExportKind, string> = {
  project: select("project", "projects", "@project is null or label = @project"),
  // A session can have records in the project of another repository that it worked in.
  session: select(
    "session",
    "sessions",
    `last_active_at_epoch >= @since and (${isWanted}
       or exists (select 1 from observations o where o.sdk_session_id = t.sdk_session_id and o.project = @project)
       or exists (select 1 from user_prompts p where p.session_id = t.id and p.project = @project))`,
  ),
  prompt: select("prompt", "user_prompts", `${isWanted} and ${isRecent}`),
  observation: select("observation", "observations", `${isWanted} and ${isRecent}`),
  replacement: select(
    "replacement",
    "observations",
    `superseded_by is not null and ${isWanted} and ${isRecent}`,
  ),
  summary: select("summary", "session_summaries", `${isWanted} and ${isRecent}`),
  // Of a deleted record only the session is known, and of a deleted session not even the project.
  deleted: select(
    "deleted",
    "tombstones",
    `deleted_at_epoch >= @since and (@project is null or not exists (
      select 1 from sessions s where s.sdk_session_id = t.sdk_session_id and s.project <> @project))`,
  ),
};

const orders: Record<ExportKind, string> = {
  project: "order by label",
  session: "order by t.id",
  prompt: "order by t.id",
  observation: "order by t.id",
  replacement: "order by t.id",
  summary: "order by t.id",
  deleted: "order by t.kind, t.record_id",
};
