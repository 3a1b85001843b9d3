// Deletes old trash for good: rows, words in the full text, the log of the database, gaps in its file, older copies of it.
import { type ChildProcess, fork } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, dayMs } from "../core/clock.ts";
import { failOpen, MemError } from "../core/errors.ts";
import { type DataPaths, packageFile } from "../core/paths.ts";
import { setAsideFiles } from "../store/sqlite/set-aside.ts";
import type { Store } from "../store/sqlite/store.ts";
import { isJsonObject } from "../text/json.ts";

interface ErasureDeps {
  store: Store;
  clock: Clock;
  paths: DataPaths;
  /** For how long no message came in. */
  restMs(): number;
}

export type Erasure = ReturnType<typeof createErasure>;

const restingMs = 30_000;
const tries = 40;
const pauseMs = 500;
const logTries = 50;

/**
 * secure_delete overwrites deleted rows where they are. Bytes that stayed behind in a page when SQLite moved the row
 * remain until the file is written again (VACUUM), which takes about 10 s per GB. Another process does that, and is killed
 * as soon as the worker has to write.
 */
export function createErasure(deps: ErasureDeps) {
  const { store, clock } = deps;
  const stopping = new AbortController();
  let working: ChildProcess | undefined;
  let running: Promise<unknown> = Promise.resolve();

  /** False when the worker ends. */
  async function pause(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
    return !stopping.signal.aborted;
  }

  // A search in another thread or the check of the database may be reading the log.
  async function emptyLog(): Promise<void> {
    store.flush();
    for (let n = 0; n < logTries && !store.truncateLog(); n += 1) if (!(await pause(100))) return;
  }

  async function rewrite(): Promise<void> {
    if (stopping.signal.aborted || working !== undefined) return;
    const since = clock.now();
    working = startProcess(deps.paths.database, "compact");
    const isWritten = await written(working, store).finally(() => {
      working = undefined;
    });
    if (!isWritten) return;
    await emptyLog();
    await store.commit(() => store.forgets.erasure.erased(since, clock.now()));
    await emptyLog();
  }

  return {
    emptyLog,
    /**
     * One step of deleting entries from before, as `trash.purge`. The last step of a forget also deletes spooled lines that
     * could not be read and databases that were set aside: they may have the same records.
     */
    async purge(before: number, limit: number): Promise<number> {
      const hadOld = store.trash.hasOld(before);
      const done = await store.commit(() => store.trash.purge(before, limit));
      const isLast = done < limit && hadOld && !store.trash.hasOld(before);
      if (isLast) {
        await finish(deps);
        await emptyLog();
      }
      return done;
    },
    /** Writes the file again when rows left the trash: once a day at most, while no messages come in. */
    async whenDue(): Promise<void> {
      const { erased_at_epoch } = store.forgets.erasure.times();
      // A clock that was put back must not end it.
      const sinceLast = Math.abs(clock.now() - erased_at_epoch);
      if (!isDone(store) && sinceLast >= dayMs && deps.restMs() >= restingMs) await rewrite();
    },
    /** The same now; false when messages came in again and again, or the disk is full: `whenDue` goes on. */
    now(): Promise<boolean> {
      const done = (async () => {
        for (let n = 0; n < tries; n += 1) {
          if (!(await pause(n === 0 ? 0 : pauseMs))) return false;
          if (isDone(store)) return true;
          await failOpen("writing the database without deleted bytes", rewrite);
        }
        return isDone(store);
      })();
      running = Promise.allSettled([running, done]);
      return done;
    },
    /** Resolves when nothing runs any more. */
    async stop() {
      stopping.abort();
      working?.kill("SIGKILL");
      await running;
    },
  };
}

/** True when the file was written again since rows left the trash. */
function isDone({ forgets }: Store): boolean {
  const { deleted_at_epoch, erased_at_epoch } = forgets.erasure.times();
  return deleted_at_epoch <= erased_at_epoch;
}

async function finish({ store, clock, paths }: ErasureDeps): Promise<void> {
  const forgets = await store.commit(() => {
    store.forgets.erasure.deleted(clock.now());
    return store.forgets.finish(clock.now());
  });
  if (forgets > 0) for (const file of copiedFiles(paths)) rmSync(file, { force: true });
}

/** Files of the data directory that may have copies of deleted records. */
export function copiedFiles(paths: DataPaths): string[] {
  const rejected = readdirSync(paths.spool).filter((name) => name === "rejected");
  return [...setAsideFiles(paths.database), ...rejected.map((name) => join(paths.spool, name))];
}

/** Searches every file of the data directory for words, in another process. */
export function searchFiles(
  { root }: DataPaths,
  words: readonly string[],
): Promise<{ searched: number; words: number }> {
  const child = startProcess(root, "words");
  // Not as an argument: other users see these.
  child.send([...words]);
  return new Promise((resolve, reject) => {
    child.once("message", (found) => {
      if (isJsonObject(found)) resolve({ searched: Number(found.searched), words: Number(found.words) });
    });
    child.once("error", reject);
    child.once("exit", () =>
      reject(new MemError("internal", { message: "The search of the files ended early." })),
    );
  });
}

/** True when the file is complete; false when the worker had to write before. Throws when it failed. */
function written(child: ChildProcess, store: Store): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isWritten = false;
    const ended = new Promise<void>((end) => {
      child.once("exit", () => end());
      child.once("error", () => end());
    });
    store.yieldTo(() => {
      child.kill("SIGKILL");
      return ended;
    });
    child.on("message", (message) => {
      if (!isJsonObject(message)) return;
      if (typeof message.error === "string") reject(new MemError("internal", { message: message.error }));
      isWritten ||= message.written === true;
      // From here on it only writes the log back, and writes need not wait for that.
      if (isWritten) store.yieldTo(undefined);
    });
    void ended.then(() => {
      store.yieldTo(undefined);
      resolve(isWritten);
    });
  });
}

function startProcess(path: string, what: "compact" | "words"): ChildProcess {
  const child = fork(packageFile("dist", "erase-process.cjs"), [path, what], {
    // SQLite's copy stays in the data directory, with its permissions and on its disk.
    env: { SQLITE_TMPDIR: dirname(path) },
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}
