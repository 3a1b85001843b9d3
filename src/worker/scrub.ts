// Applies the redaction of today to everything that was stored before, in steps. A stopped run goes on in the next worker.
import { rmSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Cleaner } from "../capture/cleaner.ts";
import type { IntakeDeps } from "../capture/inputs.ts";
import type { Clock } from "../core/clock.ts";
import { MemError, toMemError } from "../core/errors.ts";
import type { DataPaths } from "../core/paths.ts";
import type { ScrubReceipt, ScrubRow } from "../core/records/scrub.ts";
import type { TrashKind } from "../core/records/trash.ts";
import type { ScrubPorts } from "../http/api/scrub.ts";
import type { ScrubState } from "../http/schemas/scrub.ts";
import type { Store } from "../store/sqlite/store.ts";
import { copiedFiles, type Erasure, searchFiles } from "./erasure.ts";
import { publishText, type TrashDeps } from "./trash.ts";

interface ScrubDeps extends Pick<TrashDeps, "store" | "publish" | "vectors"> {
  clock: Clock;
  paths: DataPaths;
  cleaner: Cleaner;
  erasure: Pick<Erasure, "now" | "emptyLog">;
  onWithdrawn: IntakeDeps["onWithdrawn"];
  /** Writes the context files of folders whose records changed. */
  refreshFolders(): Promise<void>;
  warn(sentence: string): void;
}

export interface Scrub {
  ports: ScrubPorts;
  /** Goes on with what a stopped worker left. */
  resume(): void;
  /** Resolves when what runs has stopped after its present step. */
  close(): Promise<void>;
}

interface Run {
  stopped: boolean;
  state: ScrubState;
  ended: Promise<void>;
  /** Words that were redacted, to search the files for. */
  words: Set<string>;
}

const idle: ScrubState = {
  ...{ running: false, dry_run: false, done: 0, total: 0, changed: {} },
  ...{ erased: false, files: null, error: null, last: null },
};

export function createScrub(deps: ScrubDeps): Scrub {
  const { store } = deps;
  let run: Run = { stopped: false, state: idle, ended: Promise.resolve(), words: new Set() };
  let isClosing = false;

  function begin(isDry: boolean, work: (own: Run) => Promise<void>): void {
    const state = { ...idle, running: true, dry_run: isDry };
    const begun: Run = { stopped: isClosing, state, ended: Promise.resolve(), words: new Set() };
    begun.ended = work(begun)
      .catch((thrown: unknown) => {
        const { message } = toMemError(thrown);
        begun.state = { ...begun.state, error: message };
        deps.warn(`A scrub ended early: ${message}`);
      })
      .finally(() => {
        begun.state = { ...begun.state, running: false };
      });
    run = begun;
  }

  const state = (): ScrubState => ({ ...run.state, last: lastOf(store) });
  return {
    ports: {
      state,
      start({ dry_run }) {
        if (run.state.running) {
          throw new MemError("conflict", {
            message: "Another scrub is running.",
            hint: "Wait until it ends: GET /api/scrub shows its progress.",
          });
        }
        begin(dry_run, async (own) => scrub(deps, own, dry_run ? fresh : await receiptOf(deps)));
        return state();
      },
    },
    resume() {
      const left = store.scrubs.newest();
      if (left === undefined || left.ended_at_epoch !== null || run.state.running) return;
      begin(false, (own) => scrub(deps, own, left));
    },
    async close() {
      isClosing = true;
      run.stopped = true;
      await run.ended;
    },
  };
}

const fresh: ScrubReceipt = {
  ...{ id: 0, at_epoch: 0, position: { place: 0, after: 0 }, rows_read: 0, changed: {} },
  ...{ ended_at_epoch: null, erased_at_epoch: null },
};

/** Of a run that failed, what it changed is kept: its words still stand in the log and in freed pages. */
async function receiptOf({ store, clock }: ScrubDeps): Promise<ScrubReceipt> {
  const left = store.scrubs.newest();
  if (left?.ended_at_epoch === null) return { ...left, position: fresh.position, rows_read: 0 };
  return { ...fresh, id: await store.commit(() => store.scrubs.begin(clock.now())) };
}

function lastOf({ scrubs }: Store): ScrubState["last"] {
  const newest = scrubs.newest();
  if (newest === undefined) return null;
  const { position: _position, ...last } = newest;
  return last;
}

async function scrub(deps: ScrubDeps, run: Run, receipt: ScrubReceipt): Promise<void> {
  const { store, clock } = deps;
  const { places } = store.scrubs;
  const total = places.reduce((sum, place) => sum + place.count(), 0);
  run.state = { ...run.state, total, done: receipt.rows_read, changed: receipt.changed };
  const { place: first, after } = receipt.position ?? { place: places.length, after: 0 };
  let noted = receipt;
  for (let n = first; n < places.length; n += 1) {
    const done = await scrubPlace(deps, run, noted, n === first ? after : 0, n);
    if (done === undefined) return;
    noted = done;
  }
  if (run.state.dry_run) return;
  const isChanged = Object.keys(noted.changed).length > 0;
  if (isChanged) {
    await deps.refreshFolders();
    await leaveText(deps);
    // They may have the same texts.
    for (const file of copiedFiles(deps.paths)) rmSync(file, { force: true });
  }
  await store.commit(() => {
    store.scrubs.note({ ...noted, position: null });
    store.scrubs.forgetBranches();
    if (isChanged) store.forgets.erasure.deleted(clock.now());
    store.scrubs.ended(clock.now(), noted.id);
  });
  if (!isChanged || run.stopped) return;
  await deps.erasure.emptyLog();
  const erased = await deps.erasure.now();
  run.state = { ...run.state, erased, files: await searchFiles(deps.paths, [...run.words]) };
}

const rowsPerStep = 100;
const bytesPerStep = 256_000;

/** Undefined when it was stopped. */
async function scrubPlace(
  deps: ScrubDeps,
  run: Run,
  receipt: ScrubReceipt,
  from: number,
  number: number,
): Promise<ScrubReceipt | undefined> {
  const { store } = deps;
  const place = store.scrubs.places[number];
  let noted = receipt;
  for (let after = from; place !== undefined; await setImmediate()) {
    if (run.stopped) return undefined;
    const rows = place.rows(after, rowsPerStep, bytesPerStep);
    const last = rows.at(-1);
    if (last === undefined) break;
    const changes = await changesOf(deps, run, rows);
    after = last.scrub_key;
    noted = run.state.dry_run
      ? counted(noted, place.table, changes.length)
      : await writeAll(deps, { place, number, changes, noted });
    noted = { ...noted, position: { place: number, after }, rows_read: noted.rows_read + rows.length };
    const read = noted;
    if (!run.state.dry_run) await store.commit(() => store.scrubs.note(read));
    run.state = { ...run.state, done: noted.rows_read, changed: noted.changed };
  }
  return noted;
}

interface Change {
  row: ScrubRow;
  changed: Record<string, string>;
}

const stepMs = 10;

async function changesOf(
  { cleaner, clock }: ScrubDeps,
  run: Run,
  rows: readonly ScrubRow[],
): Promise<Change[]> {
  const changes: Change[] = [];
  let since = clock.monotonicMs();
  for (const row of rows) {
    const cleaned = cleaner.row(row);
    const changed = cleaned instanceof Promise ? await cleaned : cleaned;
    if (changed !== null) {
      changes.push({ row, changed });
      noteWords(run.words, row, changed);
    }
    if (clock.monotonicMs() - since < stepMs) continue;
    await setImmediate();
    since = clock.monotonicMs();
  }
  return changes;
}

const mostWords = 50;
// A shorter or plainer word may be in texts that stay.
const tellingWord = /[A-Za-z0-9_+/-]{12,200}/g;

function noteWords(words: Set<string>, row: ScrubRow, changed: Readonly<Record<string, string>>): void {
  if (words.size >= mostWords) return;
  for (const [name, cleaned] of Object.entries(changed))
    for (const [word] of String(row[name]).matchAll(tellingWord))
      if (/\d/.test(word) && !cleaned.includes(word) && words.size < mostWords) words.add(word);
}

const writesPerStep = 20;

interface Writes {
  place: Store["scrubs"]["places"][number];
  number: number;
  changes: readonly Change[];
  noted: ScrubReceipt;
}

/** Writes and counts the changes together, so that a run that goes on knows what an earlier one changed. */
async function writeAll(deps: ScrubDeps, { place, number, changes, noted }: Writes): Promise<ScrubReceipt> {
  const { store } = deps;
  let now = noted;
  for (let from = 0; from < changes.length; from += writesPerStep) {
    const part = changes.slice(from, from + writesPerStep);
    const after = part.at(-1)?.row.scrub_key ?? 0;
    const before = now;
    const done = await store.commit(() => {
      // A row that was changed or deleted meanwhile is left: what changed it was cleaned.
      const written = part.filter(({ row, changed }) => place.write(row, changed));
      const next = { ...counted(before, place.table, written.length), position: { place: number, after } };
      store.scrubs.note(next);
      const isPrompts = place.table === "user_prompts";
      return { written, next, withdrawn: isPrompts ? written.flatMap(({ row }) => hide(deps, row)) : [] };
    });
    now = done.next;
    for (const one of done.withdrawn) await deps.onWithdrawn(one);
    report(deps, place.table, done.written);
    await setImmediate();
  }
  return now;
}

function counted(receipt: ScrubReceipt, table: string, count: number): ScrubReceipt {
  if (count === 0) return receipt;
  return { ...receipt, changed: { ...receipt.changed, [table]: (receipt.changed[table] ?? 0) + count } };
}

type Withdrawal = Parameters<IntakeDeps["onWithdrawn"]>[0];

/** A prompt that is private as a whole today, with what was made of it. */
function hide({ store }: ScrubDeps, { scrub_key: id, prompt_text }: ScrubRow): Withdrawal[] {
  const hidden = store.scrubs.hidePrivate(id, String(prompt_text));
  if (hidden?.session_id === undefined || hidden.session_id === null) return [];
  const { session_id: sessionDbId, event_key, project } = hidden;
  return [{ sessionDbId, project, ...store.withdrawals.ofPrompt(sessionDbId, event_key) }];
}

const kinds: Record<string, TrashKind | undefined> = {
  observations: "observation",
  session_summaries: "summary",
  user_prompts: "prompt",
};

function report(deps: ScrubDeps, table: string, changes: readonly Change[]): void {
  const kind = kinds[table];
  if (kind === undefined) return;
  const ids = changes.map(({ row }) => row.scrub_key);
  for (const id of ids) publishText(deps, kind, id);
  if (kind === "observation") deps.vectors.notify(ids);
}

/** Merges the full text without the former words. */
async function leaveText({ store }: ScrubDeps): Promise<void> {
  while (await store.commit(() => store.scrubs.mergeText())) await setImmediate();
}
