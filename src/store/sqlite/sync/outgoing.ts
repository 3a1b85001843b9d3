// What this device has to push: changed records of synced projects, deletions, renamed projects.
import type { OutgoingOp, PendingCounts } from "../../../core/records/sync.ts";
import { nameText, payloadOf, recordKinds, type SyncedKind } from "../../../core/records/sync-payload.ts";
import type { JsonObject } from "../../../text/json.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";
import { type FoundRow, nameOf, originId, tableOf } from "./identities.ts";
import { createStaying, type Launch, type LaunchRow, launchRow, leaves } from "./leaving.ts";
import type { SyncFailures } from "./state.ts";

interface Wish {
  /** This device's id. */
  self: string;
  projects: readonly string[];
  /** Own records from before are not pushed. */
  launch: Launch;
  limit: number;
}

/** `take` and `stamp` run in the caller's transaction. */
export function createOutgoing(db: Sqlite, failures: SyncFailures) {
  const kinds = recordKinds.map((kind) => createKind(db, kind));
  const staying = createStaying(db);
  const deletions = createDeletionOps(db);
  const remaps = createRemapOps(db);
  const stampOf = { ...Object.fromEntries(kinds.map(({ table, stamp }) => [table, stamp])) };
  const reviseOf = { ...Object.fromEntries(kinds.map(({ table, revise }) => [table, revise])) };
  return {
    /** Finds out for the next records whether they leave; false when there are none. `take` does a step of it. */
    sortNext: staying.next,
    /** `isSorted` is false while it is not known of all records whether they leave. */
    take(wish: Wish): { ops: OutgoingOp[]; isSorted: boolean } {
      const isSorted = !staying.next(wish.launch);
      const until = staying.lookedUntil(wish.launch);
      const ops: OutgoingOp[] = [...remaps.take(wish), ...deletions.take(wish)];
      for (const kind of kinds) {
        const limit = wish.limit - ops.length;
        if (limit > 0) ops.push(...kind.take({ ...wish, limit }, until[kind.table] ?? noEnd));
      }
      return { ops: ops.slice(0, wish.limit), isSorted };
    },
    stamp(sent: readonly OutgoingOp[], self: string, now: number): void {
      for (const op of sent) {
        const { table, id, revision } = op.row;
        if (table === "sync_deletions") deletions.stamp(op, now);
        else if (table === "sync_remaps") remaps.stamp(id, now);
        else stampOf[table]?.({ id, revision, self, now });
        failures.dropPush(op.kind, op.id);
      }
    },
    revise(sent: readonly OutgoingOp[]): void {
      for (const op of sent) {
        const { table, id, revision } = op.row;
        if (table === "sync_deletions") deletions.revise(op);
        else if (table === "sync_remaps") remaps.revise(id);
        else reviseOf[table]?.({ id, revision });
      }
    },
    pending(wish: Pick<Wish, "projects" | "launch">): PendingCounts {
      const [observations = 0, summaries = 0, prompts = 0, sessions = 0] = kinds.map(({ count }) =>
        count(wish),
      );
      const counts = { observations, summaries, prompts, sessions };
      return { ...counts, deletions: deletions.count(), remaps: remaps.count() };
    },
  };
}

type OfProject = LaunchRow & { project: string; until: number };

const noEnd = Number.MAX_SAFE_INTEGER;

const notPrivate = { observation: "", summary: "", session: "", prompt: "and private = 0" };

function createKind(db: Sqlite, kind: SyncedKind) {
  const table = tableOf[kind];
  const sql = createSql(db);
  const own = `synced_at is null and stays_here = 0 and project = @project and id <= @until and ${leaves(kind)}
       and origin_device_id is null ${notPrivate[kind]}`;
  // The hub has their former text whatever their project is; the text of an edit it has not.
  const pulled = `synced_at is null and origin_device_id is not null
       and project not in (select label from projects where synced = 0)`;
  // A refused operation waits until its record changes.
  const unpushed = (where: string) => `select *
     from ${table}
     where ${where}
       and not exists (
         select 1
         from sync_failures f
         where f.direction = 'push' and f.device = '' and f.revision = ${table}.revision || ''
           and f.kind = iif(origin_device_id is null, '${kind}', 'mutation')
           and f.origin_id = iif(origin_device_id is null, '', origin_device_id || '/${kind}/') || ${originId})
     order by id
     limit @limit`;
  const ownRows = sql.all<[OfProject & { limit: number }], FoundRow>(unpushed(own));
  const pulledRows = sql.all<[{ limit: number }], FoundRow>(unpushed(pulled));
  const countOwn = sql.value<[OfProject], number>(`select count(*) from ${table} where ${own}`);
  const countPulled = sql.value<[], number>(`select count(*) from ${table} where ${pulled}`);
  const markSent = sql.run<[ids: string]>(
    `update ${table} set sent_revision = revision where id in (select value from json_each(?))`,
  );
  const stamp = sql.run<[{ id: number; revision: number; self: string; now: number }]>(
    `update ${table}
     set synced_at = @now, revised_by = iif(origin_device_id is null, null, @self)
     where id = @id and revision = @revision and synced_at is null`,
  );
  const revise = sql.run<[{ id: number; revision: number }]>(
    `update ${table} set revision = revision + 1 where id = @id and revision = @revision and synced_at is null`,
  );
  const extras = kind === "observation" ? createLinks(db) : undefined;
  return {
    table,
    stamp,
    revise,
    count: ({ projects, launch }: Pick<Wish, "projects" | "launch">) =>
      projects.reduce(
        (sum, project) => sum + (countOwn({ project, until: noEnd, ...launchRow(launch, table) }) ?? 0),
        countPulled() ?? 0,
      ),
    take({ self, projects, launch, limit }: Wish, until: number): OutgoingOp[] {
      const rows = pulledRows({ limit });
      for (const project of projects) {
        const left = limit - rows.length;
        if (left > 0) rows.push(...ownRows({ project, until, ...launchRow(launch, table), limit: left }));
      }
      markSent(JSON.stringify(rows.map(({ id }) => id)));
      return rows.map((row) => {
        const payload = { ...payloadOf(kind, row), ...extras?.(row, self) };
        return opOf(kind, row, payload);
      });
    },
  };

  function opOf(of: SyncedKind, row: FoundRow, payload: JsonObject): OutgoingOp {
    const name = nameOf(of, row);
    const isOwn = name.device === "";
    return {
      kind: isOwn ? of : "mutation",
      id: isOwn ? String(name.origin_id) : nameText(name),
      revision: String(row.revision),
      deleted: false,
      payload,
      row: { table, id: row.id, revision: row.revision },
    };
  }
}

/** Fields of an observation's payload that are no columns. */
function createLinks(db: Sqlite): (row: FoundRow, self: string) => JsonObject {
  const sql = createSql(db);
  const successor = sql.get<[id: number], { device: string | null; origin_id: number }>(
    `select origin_device_id as device, ${originId} as origin_id from observations where id = ?`,
  );
  const awaited = sql.get<[id: number], { device: string | null; origin_id: number }>(
    "select nullif(device, '') as device, origin_id from sync_references where observation_id = ?",
  );
  const families = sql.values<[id: number], string>(
    "select family from fix_commands where observation_id = ? order by family",
  );
  return ({ id, superseded_by }, self) => {
    const by = typeof superseded_by === "number" ? successor(superseded_by) : awaited(id);
    const name = by && nameText({ device: by.device ?? self, kind: "observation", origin_id: by.origin_id });
    return { superseded_by: name ?? null, families: families(id) };
  };
}

interface DeletionRow {
  device: string;
  kind: SyncedKind;
  origin_id: number;
  revision: number;
}

function createDeletionOps(db: Sqlite) {
  const sql = createSql(db);
  const unpushed = sql.all<[limit: number], DeletionRow>(
    `select device, kind, origin_id, revision
     from sync_deletions d
     where synced_at is null
       and not exists (
         select 1
         from sync_failures f
         where f.direction = 'push' and f.device = '' and f.revision = d.revision || ''
           and f.kind = iif(d.device = '', d.kind, 'mutation')
           and f.origin_id = iif(d.device = '', '', d.device || '/' || d.kind || '/') || d.origin_id)
     limit ?`,
  );
  const count = sql.value<[], number>("select count(*) from sync_deletions where synced_at is null");
  const stamp = sql.run<[{ device: string; kind: string; origin_id: number; now: number }]>(
    `update sync_deletions
     set synced_at = @now
     where device = @device and kind = @kind and origin_id = @origin_id`,
  );
  const revise = sql.run<[{ device: string; kind: string; origin_id: number }]>(
    `update sync_deletions
     set revision = revision + 1
     where device = @device and kind = @kind and origin_id = @origin_id and synced_at is null`,
  );
  return {
    count: () => count() ?? 0,
    take: ({ limit }: Wish): OutgoingOp[] =>
      unpushed(limit).map((row) => {
        const isOwn = row.device === "";
        return {
          kind: isOwn ? row.kind : "mutation",
          id: isOwn ? String(row.origin_id) : nameText(row),
          revision: String(row.revision),
          deleted: isOwn,
          payload: isOwn ? null : { gone: true },
          row: { table: "sync_deletions", id: 0, revision: row.revision },
        };
      }),
    stamp: (op: OutgoingOp, now: number) => stamp({ ...placeOf(op), now }),
    revise: (op: OutgoingOp) => revise(placeOf(op)),
  };
}

function placeOf({ kind, id }: OutgoingOp): { device: string; kind: string; origin_id: number } {
  if (kind !== "mutation") return { device: "", kind, origin_id: Number(id) };
  const [device = "", foreignKind = "", foreignId = ""] = id.split("/");
  return { device, kind: foreignKind, origin_id: Number(foreignId) };
}

function createRemapOps(db: Sqlite) {
  const sql = createSql(db);
  const leaving = `from sync_remaps r
     cross join projects p on p.id = coalesce(
       (select id from projects where label = r.to_label),
       (select project_id from project_aliases where label = r.to_label))
     where r.synced_at is null
       and coalesce(p.synced, (select value + 0 from sync_state where name = 'projects_default'), 0) = 1`;
  const count = sql.value<[], number>(`select count(*) ${leaving}`);
  const unpushed = sql.all<[limit: number], { id: number; from_label: string; to_label: string }>(
    `select r.id, r.from_label, r.to_label
     ${leaving}
       and not exists (
         select 1
         from sync_failures f
         where f.direction = 'push' and f.device = '' and f.kind = 'mutation' and f.origin_id = 'remap/' || r.id)
     order by r.id
     limit ?`,
  );
  const stamp = sql.run<[now: number, id: number]>("update sync_remaps set synced_at = ? where id = ?");
  // Its number is its identity, and a renaming that arrives twice changes nothing.
  const revise = sql.run<[id: number]>(
    `update sync_remaps
     set id = (select max(id) + 1 from sync_remaps)
     where id = ? and synced_at is null`,
  );
  return {
    revise,
    count: () => count() ?? 0,
    take: ({ limit }: Wish): OutgoingOp[] =>
      unpushed(limit).map(({ id, from_label, to_label }) => ({
        kind: "mutation",
        id: `remap/${id}`,
        revision: "1",
        deleted: false,
        payload: { remap: { from: from_label, to: to_label } },
        row: { table: "sync_remaps", id, revision: 1 },
      })),
    stamp: (id: number, now: number) => stamp(now, id),
  };
}
