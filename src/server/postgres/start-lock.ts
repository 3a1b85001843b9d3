// Lock of a data directory: one process at a time creates, starts or joins its private PostgreSQL.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeDirectories } from "../../core/directory.ts";
import { codeOf } from "../../core/error-code.ts";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { isAlive } from "../../core/is-alive.ts";

const pollMs = 100;
// Creating a cluster takes seconds, on a slow disk a minute.
const maxPolls = 1_200;
const heldHere = new Set<string>();

/**
 * Waits for the lock; returns the function that releases it. The lock of a process that was killed counts as free. Throws
 * `storage_failed` after two minutes.
 */
export async function takeStartLock(dataDir: string): Promise<() => void> {
  makeDirectories(dataDir, 0o700);
  const file = join(dataDir, "postgres.lock");
  for (let poll = 0; poll < maxPolls; poll += 1) {
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
    hint: "Run `mem server status`; remove that file if no such process runs.",
  });
}

// A link to a complete file: the lock always names its holder.
function take(file: string): boolean {
  const mine = `${file}.${newId()}`;
  writeFileSync(mine, String(process.pid), { mode: 0o600 });
  try {
    linkSync(mine, file);
    return true;
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false;
    throw cause;
  } finally {
    rmSync(mine, { force: true });
  }
}

function isAbandoned(file: string): boolean {
  const holder = Number(failOpenSync("reading the start lock", () => readFileSync(file, "utf8")) ?? "");
  if (holder === 0) return false;
  // In a container the next process often has the id of the one that was killed.
  return holder === process.pid ? heldHere.size === 0 : !isAlive(holder);
}

// Moved away first, so that only one process removes it; a lock that was taken meanwhile is put back.
function removeAbandoned(file: string): void {
  const moved = `${file}.${newId()}`;
  failOpenSync("removing an abandoned lock", () => {
    renameSync(file, moved);
    if (!isAbandoned(moved)) linkSync(moved, file);
  });
  rmSync(moved, { force: true });
}
