// Where the server's database is: the one that is named, one that already runs in the data directory, or a new private one.
import { setTimeout as delay } from "node:timers/promises";
import { MemError } from "../errors.ts";
import type { Log } from "../log.ts";
import { demandDatabase } from "../store/postgres/reach.ts";
import { findPrivatePostgres, type PrivatePostgres, startPrivatePostgres } from "./private-postgres.ts";
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

/** Finds or starts the database. A private one that crashes is started again, five times in a minute at most. */
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
    mustHold = isBrief && found.described === "private";
    return mustHold ? { ...found, stop: () => found.stop().finally(unlock) } : found;
  } finally {
    if (!mustHold) unlock();
  }
}

async function joinOrStart({ dataDir, log, onLost }: FindOptions): Promise<ServerDatabase> {
  const running = findPrivatePostgres(dataDir);
  if (running !== undefined) return { ...running, described: "joined", stop: async () => undefined };
  const start = (): Promise<PrivatePostgres> =>
    startPrivatePostgres({ dataDir, log: (line) => log.debug({ postgres: line }, "postgres") });
  let current = await start();
  let stopping = false;
  let restarts = 0;

  async function watch(): Promise<void> {
    while (!stopping) {
      await current.ended;
      if (stopping) return;
      restarts += 1;
      setTimeout(() => {
        restarts -= 1;
      }, restartsForgottenAfterMs).unref();
      log.error({ restarts }, "the private PostgreSQL ended; it is started again");
      if (restarts > mostRestarts)
        throw new MemError("storage_failed", { message: "The private PostgreSQL keeps ending." });
      current = await startAgain(start);
    }
  }

  watch().catch((cause: unknown) => {
    onLost(cause instanceof MemError ? cause : new MemError("storage_failed", { cause }));
  });
  return {
    url: current.url,
    described: "private",
    async stop() {
      stopping = true;
      await current.stop();
    },
  };
}

// After a crash its children hold the shared memory for a moment, and a start is refused as long as they do.
async function startAgain(start: () => Promise<PrivatePostgres>, tries = 15): Promise<PrivatePostgres> {
  try {
    return await start();
  } catch (cause) {
    if (tries === 0) throw cause;
  }
  await delay(1_000);
  return startAgain(start, tries - 1);
}
