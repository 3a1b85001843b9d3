// Drains the spool: takes in events that hooks wrote while the worker was unreachable, with their own time.
import { appendFileSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { unlessMissing } from "../core/error-code.ts";
import { toMemError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { parseSpoolLine } from "../core/records/spool.ts";
import type { Json } from "../text/json.ts";

interface SpoolDrainDeps {
  directory: string;
  clock: Clock;
  log: Log;
  receive(host: string, event: string, payload: Json, received: { at: number }): Promise<string>;
}

const oldestMs = 7 * 24 * 3_600_000;
// A hook writes within milliseconds of opening the file; after this no hook writes to a renamed file.
const settleMs = 150;
const draining = ".draining";
// Rejected lines are for a person to read: a part is enough.
const maxRejectedBytes = 1_048_576;

export function createSpoolDrain(deps: SpoolDrainDeps) {
  const { directory } = deps;

  async function drain(isStopping: () => boolean): Promise<void> {
    reportDropped(deps);
    removeOldRejected(deps);
    const names = readdirSync(directory).sort();
    const fresh = names.filter((name) => name.endsWith(".jsonl"));
    for (const name of fresh) renameSync(join(directory, name), join(directory, unusedName(names, name)));
    if (fresh.length > 0) await new Promise((resolve) => setTimeout(resolve, settleMs));
    const files = fresh.length > 0 ? readdirSync(directory).sort() : names;
    for (const name of files) {
      if (name.endsWith(draining)) await takeIn(deps, join(directory, name), isStopping);
    }
  }

  return {
    /**
     * Takes in every waiting file; a file that fails stays for the next round. `isStopping` is checked before every line:
     * lines taken in before are recognized by their ids the next time.
     */
    drain,
  };
}

// One byte per dropped event.
function reportDropped({ directory, log }: SpoolDrainDeps): void {
  const path = join(directory, "dropped");
  const events = unlessMissing(() => statSync(path))?.size;
  if (events === undefined) return;
  log.warn({ events }, "the spool was full, and events were dropped");
  rmSync(path);
}

function removeOldRejected({ directory, clock }: SpoolDrainDeps): void {
  const path = join(directory, "rejected");
  const changedAt = unlessMissing(() => statSync(path))?.mtimeMs;
  if (changedAt !== undefined && clock.now() - changedAt > oldestMs) rmSync(path);
}

function unusedName(names: readonly string[], name: string): string {
  let candidate = `${name}${draining}`;
  for (let n = 2; names.includes(candidate); n++) candidate = `${name}.${n}${draining}`;
  return candidate;
}

async function takeIn(deps: SpoolDrainDeps, path: string, isStopping: () => boolean): Promise<void> {
  if (!lstatSync(path).isFile()) return;
  const counts = { taken: 0, expired: 0, rejected: 0 };
  let read = 0;
  // A hook that was suspended after opening the file adds its line late.
  while (statSync(path).size > read) {
    const bytes = wholeLines(readFileSync(path).subarray(read));
    read += bytes.length;
    for (const line of bytes.toString("utf8").split("\n")) {
      if (line === "") continue;
      if (isStopping()) return;
      counts[await takeInLine(deps, line)] += 1;
    }
  }
  rmSync(path);
  deps.log.info(counts, "the spool was drained");
}

// An unfinished line may still be written; if nothing else is left, it is torn.
function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf("\n") + 1;
  return end === 0 ? bytes : bytes.subarray(0, end);
}

async function takeInLine(deps: SpoolDrainDeps, line: string): Promise<"taken" | "expired" | "rejected"> {
  const spooled = parseSpoolLine(line);
  if (spooled === null) {
    reject(deps, line);
    return "rejected";
  }
  if (deps.clock.now() - spooled.received_at_epoch > oldestMs) return "expired";
  return receiveLine(deps, line, spooled);
}

type Spooled = NonNullable<ReturnType<typeof parseSpoolLine>>;

// A retryable error (full disk, busy database) ends the round, and the file stays.
async function receiveLine(
  deps: SpoolDrainDeps,
  line: string,
  spooled: Spooled,
): Promise<"taken" | "rejected"> {
  const { host, event, payload, received_at_epoch } = spooled;
  try {
    await deps.receive(host, event, payload, { at: received_at_epoch });
    return "taken";
  } catch (cause) {
    const error = toMemError(cause);
    if (error.retryable && error.code !== "internal") throw error;
    reject(deps, line);
    return "rejected";
  }
}

// `mem doctor` reports the file.
function reject({ directory }: SpoolDrainDeps, line: string): void {
  const path = join(directory, "rejected");
  const bytes = Buffer.from(`${line}\n`);
  const size = unlessMissing(() => statSync(path))?.size ?? 0;
  if (size + bytes.length <= maxRejectedBytes) appendFileSync(path, bytes, { mode: 0o600 });
}
