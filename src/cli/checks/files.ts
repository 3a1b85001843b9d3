// Checks that need no worker: the runtime, the data directory and its files.
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { readWorkerAddress } from "../../client/worker-address.ts";
import { demandOwn, makeDirectories } from "../../core/directory.ts";
import { codeOf, unlessMissing } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import type { DataPaths } from "../../core/paths.ts";
import { cacheDirectory, ownDirectory } from "../../settings/data-dir.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { ageInWords, bytesInWords, counted, homePath } from "../words.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** What runs mem. SQLite decides whether it is supported. */
export function checkRuntime({ node, bun }: NodeJS.ProcessVersions): Check {
  return ok("Runtime", bun === undefined ? `Node ${node}` : `Bun ${bun}`);
}

/** The data directory belongs to this user, is writable, and is closed to others. */
export function checkDataDirectory(paths: DataPaths): Check {
  const name = "Data directory";
  if (!existsSync(paths.root)) return canBeMade(paths.root);
  try {
    demandOwn(paths.root, ownDirectory(paths.root));
    // As every client does.
    readWorkerAddress(paths.root);
  } catch (error) {
    if (error instanceof MemError) return fail(name, error.message, error.hint);
    throw error;
  }
  const refusal = writeRefusal(paths.root);
  if (refusal !== null) {
    const message = `${homePath(paths.root)} cannot be written to (${refusal}), so nothing is recorded.`;
    return fail(name, message, writeSteps.get(refusal) ?? `ls -ld ${paths.root}`);
  }
  if (process.platform === "win32") return ok(name, homePath(paths.root));
  const open = openFiles(paths.root);
  if (open.length === 0) return ok(name, `${homePath(paths.root)}, closed to other users`);
  const some = open.slice(0, 3).join(", ");
  return warn(name, `Other users can read ${some} in ${homePath(paths.root)}.`, `chmod -R go= ${paths.root}`);
}

// By making it: permissions would miss a read-only disk, and a user that may do everything.
function canBeMade(root: string): Check {
  const name = "Data directory";
  try {
    // Only what is still empty: a hook may use it already.
    for (const made of makeDirectories(root, 0o700).reverse()) rmdirSync(made);
    return warn(name, `${homePath(root)} does not exist yet.`, "mem worker start");
  } catch (cause) {
    const code = codeOf(cause) || "unknown";
    const message = `${homePath(root)} cannot be made (${code}), so nothing is recorded.`;
    return fail(name, message, writeSteps.get(code) ?? "Point MEM_DATA_DIR at a directory that you own");
  }
}

/** The error code of writing a file there, or null. Permissions alone would miss a full disk. */
function writeRefusal(directory: string): string | null {
  const probe = join(directory, `.doctor-${process.pid}`);
  try {
    writeFileSync(probe, "mem doctor", { flag: "wx", mode: 0o600 });
    return null;
  } catch (cause) {
    return codeOf(cause) || "unknown";
  } finally {
    rmSync(probe, { force: true });
  }
}

const writeSteps = new Map([
  ["ENOSPC", "Free some space on its disk"],
  ["EROFS", "Mount its disk for writing, or point MEM_DATA_DIR at another directory"],
]);

/** Every setting is valid and used by the worker; `unused` have changed since it started. */
export function checkSettings(settings: LoadedSettings, unused: readonly string[] = []): Check {
  const name = "Settings";
  const [first, ...others] = settings.warnings;
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    return warn(name, `${first}${more}`, fixStep(first));
  }
  if (unused.length > 0) {
    const some = unused.slice(0, 4).join(", ");
    const more = unused.length > 4 ? ` and ${unused.length - 4} more` : "";
    return warn(name, `Changed since the worker started: ${some}${more}.`, "mem worker restart");
  }
  return ok(name, existsSync(settings.paths.settings) ? homePath(settings.paths.settings) : "defaults");
}

// A warning begins with the setting and its source.
function fixStep(warning: string): string {
  const [, key, place] = /^([A-Z_]+) in (settings\.json|the environment):/.exec(warning) ?? [];
  if (key === undefined) return "mem settings edit";
  return place === "settings.json"
    ? `mem settings set ${key} <value> && mem worker restart`
    : `Correct or unset ${key} where your shell sets it, then \`mem worker restart\`.`;
}

/** The database exists and has the header of SQLite; names damaged ones that were kept. */
export function checkDatabase(paths: DataPaths): Check {
  const name = "Database";
  if (!existsSync(paths.database)) return warn(name, "It does not exist yet.", "mem worker start");
  if (sizeOf(paths.database) > 0 && !beginsAsDatabase(paths.database)) {
    return fail(
      name,
      `${homePath(paths.database)} is damaged.`,
      "mem worker restart (keeps the damaged file beside a new one)",
    );
  }
  const aside = readdirSync(paths.root).filter(
    (file) => /\.damaged-/.test(file) && !/(-wal|-shm|\.json)$/.test(file),
  );
  if (aside.length === 0)
    return ok(name, `${homePath(paths.database)}, ${bytesInWords(databaseBytes(paths))}`);
  return warn(
    name,
    `${counted(aside.length, "damaged database")} kept: ${aside.join(", ")}. Readable records were recovered from it.`,
    `Remove it when you no longer need it: rm ${join(paths.root, aside[0] ?? "")}*`,
  );
}

/** The size of the database on disk, with the log that SQLite has not yet copied into it. */
export function databaseBytes({ database }: DataPaths): number {
  return sizeOf(database) + sizeOf(`${database}-wal`);
}

/** No events wait in the spool, and none were dropped or rejected. */
export function checkSpool(paths: DataPaths, workerRuns: boolean): Check {
  const name = "Spool";
  const files = existsSync(paths.spool) ? filesBelow(paths.spool) : [];
  const [dropped, rejected] = [join(paths.spool, "dropped"), join(paths.spool, "rejected")];
  if (files.includes(dropped)) {
    return warn(name, "The spool was full, and events were dropped.", "mem worker start");
  }
  const waiting = spoolInWords(paths);
  if (waiting !== null) {
    return warn(name, `${waiting}.`, workerRuns ? "mem worker logs" : "mem worker start");
  }
  if (!files.includes(rejected)) return ok(name, "empty");
  const refused = `${bytesInWords(sizeOf(rejected))} of invalid lines were set aside.`;
  return warn(name, refused, `less ${rejected} (it is removed after seven days)`);
}

/** The size of the spool; null when it is empty. */
export function spoolInWords({ spool }: DataPaths): string | null {
  const bytes = (existsSync(spool) ? filesBelow(spool) : [])
    .filter((file) => basename(file).includes(".jsonl"))
    .reduce((sum, file) => sum + sizeOf(file), 0);
  return bytes === 0 ? null : `${bytesInWords(bytes)} of events wait for the worker`;
}

const recentMs = 7 * 86_400_000;

/** A crash of the worker within a week; null without one. */
export function checkCrashes(paths: DataPaths, nowEpochMs: number): Check | null {
  const crashedAt = unlessMissing(() => statSync(paths.crashFile))?.mtimeMs;
  if (crashedAt === undefined || nowEpochMs - crashedAt > recentMs) return null;
  return warn(
    "Crashes",
    `The worker crashed ${ageInWords(crashedAt, nowEpochMs)}.`,
    `tail ${paths.crashFile}`,
  );
}

/** Place and size of downloaded models. They can be deleted at any time. */
export function checkCache(): Check {
  const directory = cacheDirectory();
  const bytes = existsSync(directory)
    ? filesBelow(directory).reduce((sum, file) => sum + sizeOf(file), 0)
    : 0;
  return ok(
    "Cache",
    bytes === 0 ? `${homePath(directory)}, empty` : `${homePath(directory)}, ${bytesInWords(bytes)}`,
  );
}

const sqliteHeader = "SQLite format 3\0";

function beginsAsDatabase(path: string): boolean {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(sqliteHeader.length);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString("latin1") === sqliteHeader;
  } finally {
    closeSync(descriptor);
  }
}

// Files that others can list, read or write. They cannot reach into a closed directory. A directory that they can only
// pass through, as the one above the private PostgreSQL, reveals nothing.
function openFiles(root: string): string[] {
  const isOpen = (path: string) => ((unlessMissing(() => lstatSync(path))?.mode ?? 0) & 0o066) !== 0;
  function below(directory: string): string[] {
    if ((statSync(directory).mode & 0o077) === 0) return [];
    const entries = readdirSync(directory, { withFileTypes: true }).filter(
      (entry) => !entry.isSymbolicLink(),
    );
    return entries.flatMap((entry) => {
      const path = join(directory, entry.name);
      return [...(isOpen(path) ? [path] : []), ...(entry.isDirectory() ? below(path) : [])];
    });
  }
  return [...(isOpen(root) ? [root] : []), ...below(root)].map((path) => relative(root, path) || "it");
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink() && !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function sizeOf(path: string): number {
  return unlessMissing(() => statSync(path))?.size ?? 0;
}
