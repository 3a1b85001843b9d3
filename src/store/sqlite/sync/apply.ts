// Applies pulled operations: the last writer of a record wins, a deletion is final, order does not matter.
import type { Applied, IncomingOp } from "../../../core/records/sync.ts";
import {
  type Clean,
  isGone,
  linksOf,
  parseName,
  type RecordName,
  recordKinds,
  rowOf,
  type SyncedKind,
} from "../../../core/records/sync-payload.ts";
import { isJsonObject, type Json } from "../../../text/json.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";
import { createIdentities, type FoundRow } from "./identities.ts";
import { createPulledRows, type Version } from "./pulled-rows.ts";

interface Parts {
  clean: Clean;
  /** Renames a project, or merges it into another. */
  remap(from: string, to: string): void;
  /** Deletes a record that another device deleted. */
  remove(name: RecordName, row: FoundRow, now: number): void;
}

interface Target {
  self: string;
  /** Ids of this data directory before `self`. */
  earlier: readonly string[];
  now: number;
  applied: Applied;
}

/** Runs in the transaction of the page. The returned text says why an operation cannot be applied. */
export function createApply(
  db: Sqlite,
  { clean, remap, remove }: Parts,
): (op: IncomingOp, target: Target) => string | undefined {
  const sql = createSql(db);
  const identities = createIdentities(db);
  const rows = createPulledRows(db);
  const isDeleted = sql.value<[string, SyncedKind, number], number>(
    "select 1 from sync_deletions where device = ? and kind = ? and origin_id = ?",
  );
  const noteDeletion = sql.run<[RecordName & { revision: number; synced_at: number | null }]>(
    `insert into sync_deletions (device, kind, origin_id, revision, synced_at)
     values (@device, @kind, @origin_id, @revision, @synced_at)
     on conflict do update set synced_at = coalesce(synced_at, excluded.synced_at)`,
  );

  function applyDeletion(name: RecordName, op: IncomingOp, { self, now, applied }: Target): void {
    const row = identities.find(name);
    if (row !== undefined) {
      remove(name, row, now);
      applied.deleted.push({ kind: name.kind, id: row.id, project: String(row.project) });
    }
    // An own record that another device deleted: this device deletes its text on the hub.
    const isAnswered = name.device !== "" || op.device === self;
    noteDeletion({ ...name, revision: Number(op.revision) + 1, synced_at: isAnswered ? now : null });
  }

  return (op, target) => {
    const remapped = op.kind === "mutation" ? remapOf(op.payload) : undefined;
    if (remapped !== undefined) {
      if (op.device === target.self) return undefined;
      remap(remapped.from, remapped.to);
      target.applied.isRemapped = true;
      return undefined;
    }
    const name = recordNameOf(op, target.self);
    if (name === undefined) return "it names no record";
    const revision = Number(op.revision);
    if (!Number.isSafeInteger(revision)) return "its revision is too large";
    if (isDeleted(name.device, name.kind, name.origin_id) !== undefined) {
      return undefined;
    }
    if (op.deleted || isGone(op.payload)) {
      applyDeletion(name, op, target);
      return undefined;
    }
    if (op.payload === null) return "it has no payload";
    const columns = rowOf(name.kind, op.payload, clean);
    if (typeof columns === "string") return `its ${columns} is not valid`;
    // A backup from before the record was pushed has it too, as a record of the new id.
    const isOfEarlierSelf = target.earlier.includes(name.device);
    const pushed = { columns, revision, now: target.now };
    const present = identities.find(name) ?? (isOfEarlierSelf ? identities.claim(name, pushed) : undefined);
    const version: Version = { revision, writer: op.device };
    if (present !== undefined && !isNewer(version, versionOf(present, target.self))) return undefined;
    const links = linksOf(op.payload);
    if (links.superseded_by?.device === target.self) links.superseded_by.device = "";
    const id = rows.write({ name, columns, links, present, version, now: target.now });
    if (id !== undefined) target.applied.changed.push({ kind: name.kind, id, isNew: present === undefined });
    return undefined;
  };
}

/**
 * True for a record that this device pushed, where this database has an unsent record of that number: the file was replaced
 * by an older copy, and went on counting from there.
 */
export function createCopyCheck(db: Sqlite): (op: IncomingOp, self: string) => boolean {
  const identities = createIdentities(db);
  return (op, self) => {
    if (op.device !== self || op.kind === "mutation") return false;
    const name = recordNameOf(op, self);
    const row = name === undefined ? undefined : identities.find(name);
    return row !== undefined && row.sent_revision === 0;
  };
}

function recordNameOf({ device, kind, id }: IncomingOp, self: string): RecordName | undefined {
  const name = kind === "mutation" ? parseName(id) : ownNameOf(device, kind, id);
  if (name === undefined) return undefined;
  return name.device === self ? { ...name, device: "" } : name;
}

function ownNameOf(device: string, kindText: string, id: string): RecordName | undefined {
  const kind = recordKinds.find((each) => each === kindText);
  return kind === undefined ? undefined : parseName(`${device}/${kind}/${id}`);
}

/** Who made the present version: a change that was not pushed is this device's. */
function versionOf(row: FoundRow, self: string): Version {
  const writer = row.synced_at === null ? self : (row.revised_by ?? row.origin_device_id ?? self);
  return { revision: row.revision, writer };
}

function isNewer(one: Version, other: Version): boolean {
  return one.revision === other.revision ? one.writer > other.writer : one.revision > other.revision;
}

function remapOf(payload: Json): { from: string; to: string } | undefined {
  if (!isJsonObject(payload) || !isJsonObject(payload.remap ?? null)) return undefined;
  const { from, to } = payload.remap as Record<string, Json>;
  return typeof from === "string" && typeof to === "string" && from !== to ? { from, to } : undefined;
}
