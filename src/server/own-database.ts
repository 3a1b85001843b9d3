// Where the server's database is: the one that is named, one that already runs in the data directory, or a new private one.
import { setTimeout as delay } from "node:timers/promises";
import { MemError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { demandDatabase } from "../store/postgres/reach.ts";
import { findPrivatePostgres, startPrivatePostgres } from "./private-postgres.ts";
import { takeStartLock } from "./start-lock.ts";

export interface ServerDatabase {
  url: string;
  /** Which one it is, for the person who started the server. */
  described: "named" | "private" | "joined";
  /** Ends a private one; nothing for others. */
  stop(): Promise<void>;
}

interface FindOptions {
  /** MEM_DATABASE_URL; empty when none is named. */
  named: string;
  dataDir: string;
  log: Log;
  /** A command's, not a server's: a server that starts meanwhile waits for its end instead of joining what will stop. */
  isBrief?: boolean;
  /** A private one ended by itself and could not be started again. */
  onLost(cause: MemError): void;
}

const mostRestarts = 5;
const restartsForgottenAfterMs = 60_000;
const lookEveryMs = 250;

/**
 * Finds or starts the database. A private one that ends is started again, five times in a minute at most, by whichever
 * server of its data directory comes first: the others join it.
 */
export async function findServerDatabase(options: FindOptions): Promise<ServerDatabase> {
  const { named, dataDir, isBrief = false } = options;
  if (named !== "") {
    await demandDatabase(named);
    return { url: named, described: "named", stop: async () => undefined };
  }
  const unlock = await takeStartLock(dataDir);
  let mustHold = false;
  try {
    const found = await joinOrStart(options);
    if (isBrief && found.described === "joined") return { ...found, stop: async () => undefined };
    mustHold = isBrief;
    const kept = keep(found, options);
    return mustHold ? { ...kept, stop: () => kept.stop().finally(unlock) } : kept;
  } finally {
    if (!mustHold) unlock();
  }
}

/** One that runs: of this process or joined. */
interface Running {
  url: string;
  described: "private" | "joined";
  /** Settles when it has ended, or was left by `stop`. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

async function joinOrStart({ dataDir, log }: Pick<FindOptions, "dataDir" | "log">): Promise<Running> {
  const running = findPrivatePostgres(dataDir);
  if (running !== undefined && (await isListening(running.url))) return joined(running.url, dataDir);
  const started = await startPrivatePostgres({
    dataDir,
    log: (line) => log.debug({ postgres: line }, "postgres"),
  });
  return { url: started.url, described: "private", ended: () => started.ended, stop: () => started.stop() };
}

// The process number alone may be another process's by now.
function isListening(url: string): Promise<boolean> {
  return demandDatabase(url).then(
    () => true,
    () => false,
  );
}

function joined(url: string, dataDir: string): Running {
  const left = new AbortController();
  return {
    url,
    described: "joined",
    ended: () => goneFrom(dataDir, left.signal),
    stop: async () => left.abort(),
  };
}

async function goneFrom(dataDir: string, left: AbortSignal): Promise<void> {
  while (!left.aborted && findPrivatePostgres(dataDir) !== undefined) {
    await delay(lookEveryMs, undefined, { ref: false });
  }
}

/** The same as long as it runs; when it ends unasked, the next one on the same socket, started here or elsewhere. */
function keep(found: Running, options: FindOptions): ServerDatabase {
  const { dataDir, isBrief = false, log, onLost } = options;
  let current = found;
  let starting: Promise<unknown> | undefined;
  let stopping = false;
  let restarts = 0;

  async function watch(): Promise<void> {
    for (;;) {
      await current.ended();
      if (stopping) return;
      log.warn("the private PostgreSQL ended; it is started again");
      if (current.described === "private") countRestart();
      // A command holds the lock for as long as it lasts.
      const unlock = isBrief ? () => undefined : await takeStartLock(dataDir);
      try {
        if (stopping) return;
        starting = again(options).then((running) => (current = running));
        await starting;
      } finally {
        unlock();
      }
      log.info(
        { by: current.described === "joined" ? "another" : "us" },
        "the private PostgreSQL runs again",
      );
    }
  }

  function countRestart(): void {
    restarts += 1;
    setTimeout(() => {
      restarts -= 1;
    }, restartsForgottenAfterMs).unref();
    if (restarts <= mostRestarts) return;
    throw new MemError("storage_failed", { message: "The private PostgreSQL keeps ending." });
  }

  watch().catch((cause: unknown) => {
    if (!stopping) onLost(cause instanceof MemError ? cause : new MemError("storage_failed", { cause }));
  });
  return {
    url: found.url,
    described: found.described,
    async stop() {
      stopping = true;
      await starting?.catch(() => undefined);
      await current.stop();
    },
  };
}

// After a crash its children hold the shared memory for a moment, and a start is refused as long as they do.
async function again(options: FindOptions, tries = 15): Promise<Running> {
  try {
    return await joinOrStart(options);
  } catch (cause) {
    if (tries === 0) throw cause;
  }
  await delay(1_000);
  return again(options, tries - 1);
}
