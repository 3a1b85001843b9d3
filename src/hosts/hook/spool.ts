// The spool: undelivered events, one line each, one file per hour, until the worker drains them.
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isoTime, systemClock } from "../../core/clock.ts";
import { makeDataDirectory, makePrivateDirectory } from "../../core/directory.ts";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { dataPaths } from "../../core/paths.ts";
import { renderSpoolLine } from "../../core/records/spool.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { namesPath, pathMatcher } from "../../text/path-patterns.ts";
import { spoolablePayload } from "./spoolable-payload.ts";

export interface SpoolRequest {
  host: string;
  event: string;
  payload: Buffer;
  dataDir: string;
  /** Why it was not delivered. */
  failed?: string;
}

const maxSpoolBytes = 32 * 1024 * 1024;
const maxAgeMs = 7 * 24 * 3_600_000;
// One byte per event that did not fit: its size is their number.
const droppedName = "dropped";

/** Appends the cleaned event; one that does not fit is counted. A payload that is not a JSON object is left out. */
export function spoolEvent({ host, event, payload, dataDir, failed }: SpoolRequest): void {
  const { root, spool, settings } = dataPaths(dataDir);
  if (isExcluded(payload, settings)) return;
  makeDataDirectory(root);
  makePrivateDirectory(spool);
  const cleaned = spoolablePayload(payload.toString("utf8"));
  // No event at all, or one that the worker has counted.
  if (cleaned === null && (payload.length === 0 || failed === "status-400")) return;
  const now = systemClock.now();
  const line = renderSpoolLine({ v: 1, host, event, received_at_epoch: now, payload: cleaned });
  // The leading line feed ends the unfinished line of a killed writer.
  const bytes = Buffer.from(`\n${line}\n`);
  if (hasRoom(spool, bytes.length, now)) append(join(spool, `${isoTime(now).slice(0, 13)}.jsonl`), bytes);
  else append(join(spool, droppedName), Buffer.from("."));
}

// Events under an excluded path are not spooled either. Projects that are off have no path: the worker drops their events.
function isExcluded(payload: Buffer, settings: string): boolean {
  const isMeant = pathMatcher(excludedPaths(settings), homedir());
  if (isMeant === null) return false;
  const event = failOpenSync("reading an event", () => JSON.parse(payload.toString("utf8")) as Json);
  if (!isJsonObject(event ?? null)) return false;
  const { cwd } = event as JsonObject;
  const place = typeof cwd === "string" ? cwd : undefined;
  return (place !== undefined && isMeant(place)) || namesPath(JSON.stringify(event), isMeant, place);
}

function excludedPaths(settings: string): string[] {
  const inFile = failOpenSync("reading settings.json", () =>
    existsSync(settings) ? (JSON.parse(readFileSync(settings, "utf8")) as Json) : null,
  );
  const stored = isJsonObject(inFile ?? null) ? (inFile as JsonObject).MEM_EXCLUDE_PATHS : undefined;
  const text = process.env.MEM_EXCLUDE_PATHS ?? (Array.isArray(stored) ? stored.join(",") : stored);
  return typeof text === "string" ? text.split(",") : [];
}

// A full spool drops expired events. If that is not enough, the new event is dropped.
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

// Event files, including those being drained; rejected events have their own limit. The worker may remove a file after it
// was listed.
function spoolFiles(spool: string): [string, Stats][] {
  const names = readdirSync(spool).filter((name) => name.includes(".jsonl"));
  return names.flatMap((name): [string, Stats][] => {
    const path = join(spool, name);
    const stats = failOpenSync("look at a spool file", () => lstatSync(path));
    return stats === undefined ? [] : [[path, stats]];
  });
}

// Hooks write concurrently: each line is one appending write.
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
