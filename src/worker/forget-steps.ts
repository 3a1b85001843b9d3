// Moves chosen records into the trash in steps of some milliseconds, between which the worker answers.
import { setImmediate } from "node:timers/promises";
import type { ForgetSelection } from "../core/records/forget.ts";
import type { TrashKind } from "../core/records/trash.ts";
import { reportDeleted, type TrashDeps } from "./trash.ts";

interface Removal {
  /** The receipt. */
  forget: number;
  selection: ForgetSelection;
  at: number;
  /** Checked before every step. */
  isStopped(): boolean;
  /** Called after every step. */
  onStep(records: number): void;
}

type Removing = Removal & TrashDeps;

/** False when it was stopped. */
export async function removeAll(deps: TrashDeps, removal: Removal): Promise<boolean> {
  const run: Removing = { ...deps, ...removal };
  const { sessions, observations, summaries, prompts, causes, titles, texts } = removal.selection;
  const events = chunks(removal.selection.events, 10).map((some) => ({ events: some }));
  for (const session of sessions) if (!(await removeSession(run, session))) return false;
  // Copies come last: most of them go with their record.
  return (
    (await removeRecords(run, "observation", observations)) &&
    (await removeRecords(run, "summary", summaries)) &&
    (await removeRecords(run, "prompt", prompts)) &&
    (await removeCopiesIn(run, events, "counted")) &&
    (await removeCopies(run, { causes, titles, texts })) &&
    (await removeShown(run))
  );
}

// More would take longer than a step.
const wholeSession = { records: 10, events: 100, bytes: 500_000 };

/** A long session goes in parts: its own step moves what is left of it. */
async function removeSession(run: Removing, session: number): Promise<boolean> {
  const { observations, summaries, events } = run.store.forgetSelections.partsOf(session);
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
  const isLong =
    observations.length > wholeSession.records ||
    events.length > wholeSession.events ||
    bytes > wholeSession.bytes;
  if (isLong) {
    const isGone =
      (await removeRecords(run, "observation", observations)) &&
      (await removeRecords(run, "summary", summaries)) &&
      (await removeEventsBySize(run, events));
    if (!isGone) return false;
  }
  return removeRecords(run, "session", [session]);
}

const stepMs = 15;

async function removeRecords(run: Removing, kind: TrashKind, ids: readonly number[]): Promise<boolean> {
  const { store, clock, forget, at } = run;
  for (let next = 0; next < ids.length; ) {
    if (run.isStopped()) return false;
    const { deleted, seen } = await store.commit(() => {
      const deleted = [];
      const since = clock.monotonicMs();
      let seen = next;
      while (seen < ids.length && (seen === next || clock.monotonicMs() - since < stepMs)) {
        const id = ids[seen] ?? 0;
        const done =
          kind === "prompt" ? store.deletions.prompt(id, at) : store.deletions[kind](id, at, "later");
        if (done !== undefined) {
          store.forgets.add(forget, done.trash_id, done.counts);
          deleted.push(done);
        }
        seen += 1;
      }
      return { deleted, seen };
    });
    for (const done of deleted) await reportDeleted(run, done);
    run.onStep(seen - next);
    next = seen;
    await setImmediate();
  }
  return true;
}

const eventsPerStep = 50;
const bytesPerStep = 500_000;

function removeEventsBySize(run: Removing, events: readonly { id: number; bytes: number }[]) {
  const steps: number[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const event of events) {
    if (bytes + event.bytes > bytesPerStep || (steps.at(-1)?.length ?? 0) >= eventsPerStep) {
      steps.push([]);
      bytes = 0;
    }
    steps.at(-1)?.push(event.id);
    bytes += event.bytes;
  }
  return removeCopiesIn(
    run,
    steps.map((ids) => ({ events: ids })),
  );
}

type Copies = Parameters<TrashDeps["store"]["wordCopies"]>[0];

function removeCopies(run: Removing, copies: Copies): Promise<boolean> {
  const of = (name: "causes" | "titles" | "texts") =>
    chunks(copies[name] ?? [], 50).map((some) => ({ [name]: some }));
  return removeCopiesIn(run, [...of("causes"), ...of("titles"), ...of("texts")]);
}

const scannedPerStep = 1_000;

/** Texts of injections that show a record of the forget; one search for all of them. */
async function removeShown(run: Removing): Promise<boolean> {
  const { forgets } = run.store;
  const projects = new Map<string, string>();
  for (let after = 0; ; await setImmediate()) {
    const rows = forgets.names({ forget: run.forget, after, limit: scannedPerStep });
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { names, project } of rows)
      for (const name of names?.split(",") ?? []) projects.set(name, project);
    after = last.id;
  }
  const found = new Map<string, number[]>();
  for (let after = 0; projects.size > 0; await setImmediate()) {
    const rows = forgets.shownRecords(after, scannedPerStep);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { id, records } of rows) {
      const name = records.split(",").find((each) => projects.has(each));
      const project = projects.get(name ?? "");
      if (project === undefined) continue;
      const ids = found.get(project) ?? [];
      ids.push(id);
      found.set(project, ids);
    }
    after = last.id;
  }
  return removeCopiesIn(
    run,
    [...found].flatMap(([project, ids]) => chunks(ids, 100).map((texts) => ({ texts, project }))),
  );
}

async function removeCopiesIn(
  run: Removing,
  steps: readonly Copies[],
  events: "counted" | "not counted" = "not counted",
): Promise<boolean> {
  const { store, forget, at } = run;
  for (const copies of steps) {
    if (run.isStopped()) return false;
    const moved = await store.commit(() => {
      const done = store.wordCopies(copies, at);
      for (const one of done)
        store.forgets.add(forget, one.trash_id, events === "counted" ? { events: one.events } : {});
      return done;
    });
    for (const session of moved.flatMap(({ sessions }) => sessions)) {
      await run.scheduler.cancel(session);
      run.scheduler.notify(session);
    }
    run.onStep(events === "counted" ? (copies.events?.length ?? 0) : 0);
    await setImmediate();
  }
  return true;
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}
