// The port of sync in memory: last writer wins by revision and writer, deletions are final.
import type {
  Applied,
  FailedOp,
  IncomingOp,
  IncomingPage,
  OutgoingOp,
  PendingCounts,
  SyncState,
} from "../../src/core/records/sync.ts";
import type { SyncKind } from "../../src/core/records/sync-op.ts";
import type { SyncStore } from "../../src/sync/store.ts";
import type { JsonObject } from "../../src/text/json.ts";

interface Row {
  number: number;
  /** Null for a record of this device. */
  origin: string | null;
  kind: SyncKind;
  id: string;
  payload: JsonObject;
  revision: number;
  /** Of the present revision; this device while it is not synced. */
  writer: string;
  isGone: boolean;
  isSynced: boolean;
  /** Was given to a push. */
  isSent: boolean;
  aside: string | undefined;
}

export interface MemoryStore extends SyncStore {
  /** Writes a record of this device; returns its id. */
  write(payload: JsonObject, kind?: SyncKind): string;
  /** Changes or deletes the record at `index` of the live ones; nothing without records. */
  edit(index: number, payload: JsonObject): void;
  remove(index: number): void;
  /** A store with the same contents, as a copied data directory has it. */
  copy(): MemoryStore;
  /** Live records by name, with their payload. */
  digest(): Record<string, string>;
  /** Names of unsynced records. */
  unsynced(): string[];
  /** Names of stamped records of this device. */
  stamped(): string[];
  /** Makes the next call of `method` throw, as a full disk does. */
  breakNext(method: "apply" | "stamp"): void;
}

export function createMemoryStore(from?: { rows: Map<string, Row>; state: SyncState }): MemoryStore {
  const rows = structuredClone(from?.rows) ?? new Map<string, Row>();
  let reader: string | undefined;
  const pulledFailures: FailedOp[] = [];
  const broken = new Set<string>();
  let numbers = rows.size;
  let state: SyncState = from?.state ?? {
    device_id: undefined,
    nonce: undefined,
    epoch: undefined,
    cursor: "0",
    cursor_digest: undefined,
    paused: false,
    last_flush_at_epoch: null,
  };
  const self = () => state.device_id ?? "unnamed";
  const nameOf = (row: Row) => `${row.origin ?? self()}/${row.kind}/${row.id}`;
  const keyOf = (origin: string | null, kind: string, id: string) => `${origin ?? ""}/${kind}/${id}`;
  const writerOf = (row: Row) => (row.isSynced ? row.writer : self());
  const live = () => [...rows.values()].filter(({ isGone }) => !isGone);
  const waiting = () => [...rows.values()].filter(({ isSynced, aside }) => !isSynced && aside === undefined);

  function add(row: Omit<Row, "number">): void {
    numbers += 1;
    rows.set(keyOf(row.origin, row.kind, row.id), { number: numbers, ...row });
  }

  function failOnce(method: string): void {
    if (broken.delete(method)) throw new Error("disk full");
  }

  /** A change by this device. */
  function change(index: number, changed: Partial<Row>): void {
    const rowsNow = live();
    const row = rowsNow[index % Math.max(1, rowsNow.length)];
    if (row === undefined) return;
    Object.assign(row, changed, { revision: row.revision + 1, isSynced: false, aside: undefined });
    // A record that never left needs no tombstone.
    if (row.isGone && row.origin === null && !row.isSent) row.isSynced = true;
  }

  function take(op: IncomingOp): void {
    const [first = "", kind = "", ...id] =
      op.kind === "mutation" ? op.id.split("/") : [op.device, op.kind, op.id];
    const origin = first === self() ? null : first;
    const isGone = op.deleted || op.payload?.gone === true;
    const revision = Number(op.revision);
    const row = rows.get(keyOf(origin, kind, id.join("/")));
    const isForeign = op.device !== self();
    const made = { payload: op.payload ?? {}, revision, writer: op.device, isGone, aside: undefined };
    if (row === undefined) {
      const base = { origin, kind: kind as SyncKind, id: id.join("/"), isSent: true };
      add({ ...made, ...base, isSynced: !(isGone && origin === null && isForeign) });
      return;
    }
    if (row.isGone) return;
    if (isGone) {
      // The origin deletes its record on the hub, so that the hub drops the text.
      const own = origin === null && isForeign;
      const next = own ? Math.max(row.revision, revision) + 1 : revision;
      Object.assign(row, made, { revision: next, isSynced: !own });
      return;
    }
    const isNewer = revision > row.revision || (revision === row.revision && op.device > writerOf(row));
    if (isNewer) Object.assign(row, made, { isSynced: true });
  }

  function outgoingOf(row: Row): OutgoingOp {
    const at = { row: { table: "observations", id: row.number, revision: row.revision } } as const;
    const revision = String(row.revision);
    if (row.origin === null) {
      const { kind, id, isGone } = row;
      return { kind, id, revision, deleted: isGone, payload: isGone ? null : row.payload, ...at };
    }
    const payload = row.isGone ? { gone: true } : row.payload;
    return { kind: "mutation", id: nameOf(row), revision, deleted: false, payload, ...at };
  }
  return {
    state: () => ({ ...state }),
    async outgoing(limit) {
      const due = waiting().slice(0, limit);
      for (const row of due) row.isSent = true;
      return due.map(outgoingOf);
    },
    async stamp(sent, now) {
      failOnce("stamp");
      const byNumber = new Map([...rows.values()].map((row) => [row.number, row]));
      for (const { row: place } of sent) {
        const row = byNumber.get(place.id);
        if (row === undefined || row.isSynced || row.revision !== place.revision) continue;
        Object.assign(row, { isSynced: true, writer: self() });
      }
      state = { ...state, last_flush_at_epoch: now };
    },
    async revise(sent) {
      for (const { row: place } of sent) {
        const row = [...rows.values()].find(({ number }) => number === place.id);
        if (row !== undefined && !row.isSynced && row.revision === place.revision) row.revision += 1;
      }
    },
    async fail(op, reason) {
      const row = [...rows.values()].find(({ number }) => number === op.row.id);
      if (row !== undefined) row.aside = reason;
    },
    failed: () => [
      ...pulledFailures,
      ...[...rows.values()].flatMap((row): FailedOp[] => {
        const { kind, id, revision } = outgoingOf(row);
        return row.aside === undefined
          ? []
          : [{ direction: "push", device: self(), kind, id, revision, reason: row.aside }];
      }),
    ],
    async noteReader(name) {
      if (name !== reader && pulledFailures.length > 0) {
        pulledFailures.length = 0;
        state = { ...state, cursor: "0", cursor_digest: undefined };
      }
      reader = name;
    },
    async retryFailed() {
      for (const row of rows.values()) row.aside = undefined;
    },
    async apply({ epoch, cursor, digest, ops, failed }: IncomingPage): Promise<Applied> {
      failOnce("apply");
      if (epoch !== state.epoch) return { changed: [], deleted: [], isRemapped: false };
      for (const op of ops) take(op);
      pulledFailures.push(...failed);
      state = { ...state, cursor, cursor_digest: digest };
      return { changed: [], deleted: [], isRemapped: false };
    },
    async adoptEpoch(epoch) {
      if (state.epoch !== undefined && state.epoch !== epoch) {
        for (const row of rows.values()) {
          const isOwn = row.origin === null;
          if (!isOwn && writerOf(row) !== self()) continue;
          // The new log has no version by the writer: the origin's must be newer than every one of that revision.
          if (isOwn && writerOf(row) !== self()) row.revision += 1;
          row.isSynced = row.isGone && isOwn && !row.isSent;
        }
      }
      state = { ...state, epoch, cursor: "0", cursor_digest: undefined };
    },
    async restartLog() {
      pulledFailures.length = 0;
      for (const row of rows.values()) {
        if (!row.isSynced || writerOf(row) !== self() || (row.isGone && !row.isSent)) continue;
        Object.assign(row, { isSynced: false, revision: row.revision + 1 });
      }
      state = { ...state, cursor: "0", cursor_digest: undefined };
    },
    async adoptDevice(device_id, nonce) {
      const old = state.device_id;
      state = { ...state, device_id, nonce };
      if (old === undefined) return;
      for (const [key, row] of [...rows]) {
        if (row.origin !== null || !row.isSent) continue;
        rows.delete(key);
        row.origin = old;
        rows.set(keyOf(old, row.kind, row.id), row);
      }
    },
    async setPaused(paused) {
      state = { ...state, paused };
    },
    pending(): PendingCounts {
      const rowsNow = waiting();
      const count = (kind: SyncKind) => rowsNow.filter((row) => row.kind === kind && !row.isGone).length;
      return {
        observations: count("observation"),
        summaries: count("summary"),
        prompts: count("prompt"),
        sessions: count("session"),
        deletions: rowsNow.filter(({ isGone }) => isGone).length,
        remaps: 0,
      };
    },
    write(payload, kind = "observation") {
      const id = String(numbers + 1);
      add({
        ...{ origin: null, kind, id, payload, revision: 0, writer: self() },
        ...{ isGone: false, isSynced: false, isSent: false, aside: undefined },
      });
      return id;
    },
    edit: (index, payload) => change(index, { payload }),
    remove: (index) => change(index, { isGone: true }),
    copy: () => createMemoryStore({ rows, state }),
    digest: () =>
      Object.fromEntries(
        live()
          .map((row): [string, string] => [nameOf(row), JSON.stringify(row.payload)])
          .toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ),
    unsynced: () => [...rows.values()].filter(({ isSynced }) => !isSynced).map(nameOf),
    stamped: () =>
      [...rows.values()].filter(({ isSynced, origin }) => isSynced && origin === null).map(nameOf),
    breakNext: (method) => broken.add(method),
  };
}
