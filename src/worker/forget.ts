// Deletes many records into the trash, or for good; keeps a receipt. A stopped one goes on in the next worker.

import { setImmediate } from "node:timers/promises";
import { dayMs } from "../core/clock.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import type { DataPaths } from "../core/paths.ts";
import {
  type ChosenBy,
  type ForgetChoice,
  type ForgetSelection,
  type ForgetWork,
  noForgetCounts,
} from "../core/records/forget.ts";
import type { AgeLimit } from "../core/records/retention.ts";
import { undoDays } from "../core/records/trash.ts";
import type { ForgetPorts } from "../http/api/forget.ts";
import type { ForgetPlan, ForgetState } from "../http/schemas/forget.ts";
import { storageError } from "../store/sqlite/storage-error.ts";
import type { Store } from "../store/sqlite/store.ts";
import { copiedFiles, type Erasure, searchFiles } from "./erasure.ts";
import { countOf, earlierEntries, inSteps, refuseUnknown, select } from "./forget-choice.ts";
import { removeAll } from "./forget-steps.ts";
import type { TrashDeps } from "./trash.ts";

interface ForgetDeps extends TrashDeps {
  paths: DataPaths;
  maintenance: { purge(): Promise<void>; drain(): Promise<void> };
  erasure: Pick<Erasure, "now">;
  /** Writes the context files of folders whose records changed. */
  refreshFolders(): Promise<void>;
  /** What to do with an error in the background. */
  warn(sentence: string): void;
}

export interface Forget extends ForgetPorts {
  /** What `retain` would move to the trash. */
  planByAge(ages: readonly AgeLimit[]): Promise<ForgetPlan>;
  /** Moves what is older than its project's limit to the trash; false while another forget runs, and when it failed. */
  retain(ages: readonly AgeLimit[]): Promise<boolean>;
  /** Goes on with what a stopped worker left. */
  resume(): void;
  /** Resolves when what runs has stopped after its present step. */
  close(): Promise<void>;
}

interface Run {
  stopped: boolean;
  state: ForgetState;
  ended: Promise<void>;
}

/** A forget in progress: its receipt, and when it began. */
interface Begun {
  id: number;
  at_epoch: number;
}

const checkedWords = 20;
const samples = 5;

export function createForget(deps: ForgetDeps): Forget {
  const { store } = deps;
  let run: Run = { stopped: false, state: idle, ended: Promise.resolve() };
  let isClosing = false;

  function begin(work: (run: Run) => Promise<void>): Run {
    if (run.state.running) {
      throw new MemError("conflict", {
        message: "Another forget is running.",
        hint: "Wait until it ends: GET /api/forget shows its progress.",
      });
    }
    const begun: Run = { stopped: isClosing, state: { ...idle, running: true }, ended: Promise.resolve() };
    begun.ended = work(begun)
      .catch((thrown: unknown) => {
        const { code, message } = storageError(thrown);
        // What is kept of it was written before the failure.
        const goes_on = failOpenSync("reading what a forget left", store.forgets.unfinished) !== undefined;
        begun.state = { ...begun.state, error: message, error_code: code, goes_on };
        deps.warn(`A forget ended early: ${message}`);
      })
      .finally(() => {
        begun.state = { ...begun.state, running: false };
      });
    run = begun;
    return begun;
  }

  async function plan(work: Pick<ForgetWork, "choice" | "spareKept" | "ages">): Promise<ForgetPlan> {
    await deps.maintenance.drain();
    refuseUnknown(store, work.choice);
    const selection = await select(store, work);
    const size = await countOf(store, selection);
    const isOfMany = size.projects.length > 1;
    const trashed = await earlierEntries(store, { choice: work.choice, forget: undefined });
    return {
      ...size,
      copies: selection.titles.length + selection.causes.length + selection.texts.length,
      trashed: trashed.size,
      left_rules: store.forgetSelections.ofNoProject(work.choice.project ?? null),
      samples: store.forgetSelections
        .samples(selection, samples)
        .map(({ project, title }) => (isOfMany ? `${project}: ${title}` : title)),
      files: copiedFiles(deps.paths).length,
    };
  }

  return {
    plan: (choice) => plan({ choice, spareKept: false }),
    planByAge: (ages) => plan({ choice: {}, spareKept: true, ages }),
    async start({ forever, ...choice }) {
      await deps.maintenance.drain();
      refuseUnknown(store, choice);
      return begin((own) => forgetChosen(deps, own, { choice, forever, spareKept: false })).state;
    },
    async retain(ages) {
      if (run.state.running || isClosing) return false;
      const own = begin((one) =>
        forgetChosen(deps, one, { choice: {}, forever: false, spareKept: true, ages }),
      );
      await own.ended;
      return own.state.error === null;
    },
    state: () => run.state,
    receipts: () => store.forgets.page(100),
    resume() {
      const left = store.forgets.unfinished();
      if (left === undefined) return;
      begin(async (own) => {
        const selection = await select(store, left.work);
        await forgetSelected(deps, own, { forget: left, work: left.work, selection });
      });
    },
    async close() {
      isClosing = true;
      run.stopped = true;
      await run.ended;
    },
  };
}

const idle: ForgetState = {
  running: false,
  ...{ done: 0, total: 0 },
  counts: noForgetCounts,
  ...{
    trash_id: null,
    undo_until_epoch: null,
    gone: false,
    erased: false,
    checked: null,
    files: null,
    error: null,
    error_code: null,
    goes_on: false,
  },
};

async function forgetChosen(deps: ForgetDeps, run: Run, chosen: Omit<ForgetWork, "words">): Promise<void> {
  const { store, clock } = deps;
  await deps.maintenance.drain();
  const selection = await select(store, chosen);
  const work = { ...chosen, words: await wordsToCheck(store, chosen.choice, selection) };
  if (sizeOf(selection) === 0) {
    // The trash may have such records.
    if (work.forever) await eraseAll(deps, run, { work, forget: undefined });
    return;
  }
  const at_epoch = clock.now();
  const id = await store.commit(() => store.forgets.begin(chosenByOf(work), work, at_epoch));
  await forgetSelected(deps, run, { forget: { id, at_epoch }, work, selection });
}

const maxCandidates = 400;

// What a forget by words deletes may share its other words with records that stay.
async function wordsToCheck(
  { forgetSelections }: Store,
  { query }: ForgetChoice,
  selection: ForgetSelection,
): Promise<string[]> {
  const single = query?.trim() ?? "";
  if (/^[\p{L}\p{N}]+$/u.test(single)) return [single];
  const { candidates, isOwn } = await inSteps(forgetSelections.words.of(selection));
  const words: string[] = [];
  for (const word of candidates.slice(0, maxCandidates)) {
    if (words.length === checkedWords) break;
    if (isOwn(word)) words.push(word);
    await setImmediate();
  }
  return words;
}

function sizeOf(selection: ForgetSelection): number {
  return Object.values(selection).reduce((sum, ids: readonly number[]) => sum + ids.length, 0);
}

function chosenByOf({ choice: { ids, query, session, project }, ages }: ForgetWork): ChosenBy {
  if (ages !== undefined) return "retention";
  if (ids !== undefined) return "ids";
  if (query !== undefined) return "query";
  if (session !== undefined) return "session";
  return project === undefined ? "before" : "project";
}

interface Selected {
  forget: Begun;
  work: ForgetWork;
  selection: ForgetSelection;
}

async function forgetSelected(
  deps: ForgetDeps,
  run: Run,
  { forget, work, selection }: Selected,
): Promise<void> {
  const { store } = deps;
  const { id, at_epoch: at } = forget;
  run.state = { ...run.state, total: sizeOf(selection), undo_until_epoch: at + undoDays * dayMs };
  const isMoved = await removeAll(deps, {
    forget: id,
    selection,
    at,
    isStopped: () => run.stopped,
    onStep(records) {
      const { counts } = store.forgets.byId(id) ?? { counts: noForgetCounts };
      run.state = { ...run.state, counts, done: run.state.done + records };
    },
  });
  if (!isMoved) return;
  await deps.refreshFolders();
  const found = store.forgetSelections.words.found(work.words);
  const checked = { words: work.words.length, found };
  run.state = { ...run.state, checked, trash_id: store.forgets.byId(id)?.trash_id ?? null };
  // Until here a worker that is killed begins again.
  if (work.forever) await eraseAll(deps, run, { work, forget: { id, ...checked } });
  else await store.commit(() => store.forgets.done({ id, ...checked }));
}

interface Erased {
  work: ForgetWork;
  forget: { id: number; words: number; found: number } | undefined;
}

/** Deletes what was forgotten from the trash too, with earlier entries of it, and searches the files for its words. */
async function eraseAll(
  deps: ForgetDeps,
  run: Run,
  { work: { choice, words }, forget }: Erased,
): Promise<void> {
  const { store } = deps;
  const entries = await earlierEntries(store, { choice, forget: forget?.id });
  await store.commit(() => {
    store.trash.empty([...entries]);
    if (forget !== undefined) store.forgets.done(forget);
    if (choice.project !== undefined) store.forgets.dropProject(choice.project);
  });
  await deps.maintenance.purge();
  deps.signals.emit("labelsChanged");
  if (run.stopped) return;
  const gone = forget !== undefined && store.forgets.byId(forget.id)?.gone_at_epoch !== null;
  run.state = { ...run.state, trash_id: null, undo_until_epoch: null, gone };
  const erased = await deps.erasure.now();
  const files = await searchFiles(deps.paths, words);
  run.state = { ...run.state, erased, files };
}
