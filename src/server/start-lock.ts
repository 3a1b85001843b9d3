// One process at a time makes, starts or joins the private PostgreSQL of a data directory.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeDirectories } from "../core/directory.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";

const pollMs = 100;
// Making a cluster takes seconds, on a slow disk a minute.
const mostPolls = 1_200;
const heldHere = new Set<string>();

/**
 * Waits until nobody else holds the lock; the way to release it. A holder that was killed holds nothing. Throws
 * `storage_failed` after two minutes.
 */
export async function takeStartLock(dataDir: string): Promise<() => void> {
  makeDirectories(dataDir, 0o700);
  const file = join(dataDir, "postgres.lock");
  for (let poll = 0; poll < mostPolls; poll += 1) {
    if (take(file)) {
      heldHere.add(file);
      return () => {
        heldHere.delete(file);
        rmSync(file, { force: true });
      };
    }
    if (isAbandoned(file)) removeAbandoned(file);
    else await delay(pollMs);
  }
  throw new MemError("storage_failed", {
    message: `Another process has been starting the private PostgreSQL for two minutes (${file}).`,
    hint: "See `mem server status`; remove that file if no such process runs.",
  });
}

// A link to a file that is written already: the lock is never seen without its holder.
function take(file: string): boolean {
  const mine = `${file}.${newId()}`;
  writeFileSync(mine, String(process.pid), { mode: 0o600 });
  try {
    linkSync(mine, file);
    return true;
  } catch (cause) {
    if (isTaken(cause)) return false;
    throw cause;
  } finally {
    rmSync(mine, { force: true });
  }
}

function isTaken(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EEXIST";
}

function isAbandoned(file: string): boolean {
  const holder = Number(
    failOpenSync("reading who starts PostgreSQL", () => readFileSync(file, "utf8")) ?? "",
  );
  if (holder === 0) return false;
  // In a container the next process often has the number of the one that was killed.
  return holder === process.pid ? heldHere.size === 0 : !isAlive(holder);
}

// Moved away first, so that of two who find it abandoned only one removes it; a lock that was taken meanwhile goes back.
function removeAbandoned(file: string): void {
  const moved = `${file}.${newId()}`;
  failOpenSync("removing an abandoned lock", () => {
    renameSync(file, moved);
    if (!isAbandoned(moved)) linkSync(moved, file);
  });
  rmSync(moved, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
