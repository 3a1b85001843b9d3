// The spool: events that could not be delivered, one line each, in a file an hour, until the worker takes them in.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isoTime, systemClock } from "../../core/clock.ts";
import { makeDataDirectory, makePrivateDirectory } from "../../core/directory.ts";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { dataPaths } from "../../core/paths.ts";
import { renderSpoolLine } from "../../core/records/spool.ts";
import { spoolablePayload } from "./spoolable-payload.ts";

interface SpoolRequest {
  host: string;
  event: string;
  payload: Buffer;
  dataDir: string;
}

const maxSpoolBytes = 32 * 1024 * 1024;
const maxAgeMs = 7 * 24 * 3_600_000;
// One byte for each event that did not fit, so that its size is their number.
const droppedName = "dropped";

/** Writes the event down, cleaned; one that does not fit is counted. What is no JSON object is no event. */
export function spoolEvent({ host, event, payload, dataDir }: SpoolRequest): void {
  const { root, spool } = dataPaths(dataDir);
  makeDataDirectory(root);
  makePrivateDirectory(spool);
  const cleaned = spoolablePayload(payload.toString("utf8"));
  if (cleaned === null) return;
  const now = systemClock.now();
  const line = renderSpoolLine({ v: 1, host, event, received_at_epoch: now, payload: cleaned });
  // The line feed in front: a line that a killed writer left unfinished must not swallow this one.
  const bytes = Buffer.from(`\n${line}\n`);
  if (hasRoom(spool, bytes.length, now)) append(join(spool, `${isoTime(now).slice(0, 13)}.jsonl`), bytes);
  else append(join(spool, droppedName), Buffer.from("."));
}

// Full of what nobody wants any more: events past their age make room. Newer ones stay, the newest is dropped.
function hasRoom(spool: string, bytes: number, now: number): boolean {
  if (bytesIn(spool) + bytes <= maxSpoolBytes) return true;
  for (const [path, stats] of spoolFiles(spool)) {
    if (path.endsWith(".jsonl") && now - stats.mtimeMs > maxAgeMs) rmSync(path, { force: true });
  }
  return bytesIn(spool) + bytes <= maxSpoolBytes;
}

function bytesIn(spool: string): number {
  return spoolFiles(spool).reduce((sum, [, { size }]) => sum + size, 0);
}

// Files of events, those that are being drained included; what was rejected has a limit of its own. The worker may take a file away between the listing and the look at it.
function spoolFiles(spool: string): [string, Stats][] {
  const names = readdirSync(spool).filter((name) => name.includes(".jsonl"));
  return names.flatMap((name): [string, Stats][] => {
    const path = join(spool, name);
    const stats = failOpenSync("look at a spool file", () => lstatSync(path));
    return stats === undefined ? [] : [[path, stats]];
  });
}

// Several hooks write at once: each line is one write at the end of the file.
function append(path: string, bytes: Buffer): void {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const descriptor = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.nlink > 1) {
      throw new MemError("data_dir_unusable", { message: `${path} is not a file of the spool.` });
    }
    if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
    writeSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
}
