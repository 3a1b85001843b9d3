// Finds the server's database: the configured one, one that already runs in the data directory, or a new private one.
import { setTimeout as delay } from "node:timers/promises";
import { MemError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { demandDatabase } from "../../store/postgres/reach.ts";
import { findPrivatePostgres, startPrivatePostgres } from "./private-postgres.ts";
import { takeStartLock } from "./start-lock.ts";

export interface ServerDatabase {
  url: string;
  /** Its origin: MEM_DATABASE_URL, started by this process, or started by another one. */
  described: "named" | "private" | "joined";
  /** Stops a private one; does nothing for others. */
  stop(): Promise<void>;
}

interface FindOptions {
  /** MEM_DATABASE_URL; empty when it is not set. */
  named: string;
  dataDir: string;
  log: Log;
  /** For a command: a server that starts meanwhile waits for its end instead of joining a PostgreSQL that will stop. */
  isBrief?: boolean;
  /** Prints a line for the operator. */
  say?: ((line: string) => void) | undefined;
  /** A private one ended by itself and could not be restarted. */
  onLost(cause: MemError): void;
}

/**
 * Finds or starts the database. When a private one ends by itself, the first server of its data directory restarts it, at
 * most five times a minute; the others join it.
 */
export async function findServerDatabase(options: FindOptions): Promise<ServerDatabase> {
  const { named, dataDir, isBrief = false } = options;
  if (named !== "") {
    await demandDatabase(named);
    return { url: named, described: "named", stop: async () => undefined };
  }
  const unlock = await takeStartLock(dataDir);
  let keepsLock = false;
  try {
    const found = await joinOrStart(options);
    if (!isBrief) return superviseRestarts(found, options);
    if (found.described === "joined") return { ...found, stop: async () => undefined };
    keepsLock = true;
    return { ...found, stop: () => found.stop().finally(unlock) };
  } finally {
    if (!keepsLock) unlock();
  }
}

/** A private PostgreSQL, started by this process or joined. */
interface Running {
  url: string;
  described: "private" | "joined";
  /** Settles when it has ended, or `stop` was called. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

async function joinOrStart({ dataDir, log, say }: FindOptions): Promise<Running> {
  const running = findPrivatePostgres(dataDir);
  if (running !== undefined && (await isListening(running.url))) return join(running.url, dataDir);
  const started = await startPrivatePostgres({
    dataDir,
    log: (line) => log.debug({ postgres: line }, "postgres"),
    say: (line) => {
      log.info(line);
      say?.(line);
    },
  });
  return { ...started, described: "private", stop: () => started.stop() };
}

// The process id in its file may belong to another process by now.
function isListening(url: string): Promise<boolean> {
  return demandDatabase(url).then(
    () => true,
    () => false,
  );
}

const pollMs = 250;

function join(url: string, dataDir: string): Running {
  let left = false;
  async function untilEnd(): Promise<void> {
    while (!left && findPrivatePostgres(dataDir) !== undefined)
      await delay(pollMs, undefined, { ref: false });
  }
  return {
    url,
    described: "joined",
    ended: untilEnd(),
    async stop() {
      left = true;
    },
  };
}

const maxRestarts = 5;
const restartWindowMs = 60_000;

function superviseRestarts(found: Running, options: FindOptions): ServerDatabase {
  const { dataDir, log, onLost } = options;
  let current = found;
  let starting: Promise<Running> | undefined;
  let stopping = false;
  let restarts = 0;

  async function watch(): Promise<void> {
    for (;;) {
      await current.ended;
      if (stopping) return;
      log.warn("the private PostgreSQL ended; restarting it");
      if (current.described === "private") countRestart();
      const unlock = await takeStartLock(dataDir);
      try {
        if (stopping) return;
        starting = startAgain(options);
        current = await starting;
      } finally {
        unlock();
      }
      log.info(
        { startedBy: current.described === "joined" ? "another server" : "this server" },
        "PostgreSQL runs again",
      );
    }
  }

  function countRestart(): void {
    restarts += 1;
    setTimeout(() => (restarts -= 1), restartWindowMs).unref();
    if (restarts <= maxRestarts) return;
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
      const running = await starting?.catch(() => undefined);
      await (running ?? current).stop();
    },
  };
}

// After a crash its children hold the shared memory for a moment, and a start is refused meanwhile.
async function startAgain(options: FindOptions): Promise<Running> {
  for (let tries = 15; ; tries -= 1) {
    try {
      return await joinOrStart(options);
    } catch (cause) {
      if (tries === 0) throw cause;
      await delay(1_000);
    }
  }
}
