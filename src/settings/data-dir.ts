// The data directory, and the cache directory.
import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import envPaths from "env-paths";
import { closeDirectory, demandOwn, exposureOf, makeDirectories } from "../core/directory.ts";
import { codeOf } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import type { Environment } from "./environment.ts";
import { parseSetting } from "./table.ts";

/**
 * The data directory: `MEM_DATA_DIR`, else `~/.mem`. Throws `data_dir_unusable` for a relative path, which would mean
 * another directory in every project.
 */
export function dataDirectory(environment: Environment): string {
  const named = environment.MEM_DATA_DIR ?? "";
  if (named === "") return demandAbsolute(defaultDataDirectory());
  const parsed = parseSetting("MEM_DATA_DIR", named);
  if (!parsed.ok) {
    throw new MemError("data_dir_unusable", { message: `MEM_DATA_DIR cannot be used: ${parsed.problem}.` });
  }
  return resolve(demandAbsolute(parsed.value));
}

/** `~/.mem`, whatever the environment names. */
export function defaultDataDirectory(): string {
  return join(homedir(), ".mem");
}

// A path that starts with ~ is absolute if the home is.
function demandAbsolute(directory: string): string {
  if (isAbsolute(directory)) return demandReachable(directory);
  throw new MemError("data_dir_unusable", {
    message: `The home directory is "${homedir()}", which is no absolute path, so there is no ${directory} in it.`,
    hint: "Set HOME, or set MEM_DATA_DIR to a directory that you own.",
  });
}

// A path below a file, or one that this user may not look at: later messages would not know the reason.
function demandReachable(directory: string): string {
  try {
    statSync(directory);
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw unusable(directory, "cannot be used", cause);
  }
  return directory;
}

function unusable(directory: string, problem: string, cause: unknown): MemError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new MemError("data_dir_unusable", { message: `${directory} ${problem}${reason}.`, cause });
}

/** Files that can be downloaded or rebuilt: models, downloads, the server's embedded database. */
export function cacheDirectory(): string {
  return envPaths("agent-mem", { suffix: "" }).cache;
}

/** Files made from now on belong to this user alone. First thing in every composition root. */
export function restrictUmask(): void {
  process.umask(0o077);
}

/**
 * Makes the data directory with mode 0700, or tightens ours. Throws `data_dir_unusable` if another user owns it or it is not
 * writable.
 */
export function prepareDataDirectory(dataDir: string): void {
  try {
    makeDirectories(dataDir, 0o700);
  } catch (cause) {
    throw unusable(dataDir, "cannot be made", cause);
  }
  const stats = ownDirectory(dataDir);
  demandWritable(dataDir);
  closeDirectory(dataDir, stats);
}

/** Throws `data_dir_unusable`, with the repair, for a directory that is there and cannot be written to. */
export function demandWritable(dataDir: string): void {
  if (existsSync(dataDir)) demandAccess(dataDir, constants.W_OK, "written to");
}

/** The directory's stats. Throws `data_dir_unusable` unless it is a directory that this user owns and can read. */
export function ownDirectory(dataDir: string): Stats {
  const stats = statSync(dataDir);
  if (!stats.isDirectory()) {
    throw new MemError("data_dir_unusable", { message: `${dataDir} is not a directory.` });
  }
  if (exposureOf(stats) === "foreign") demandOwn(dataDir, stats);
  demandAccess(dataDir, constants.R_OK | constants.X_OK, "read");
  return stats;
}

function demandAccess(directory: string, rights: number, done: string): void {
  try {
    accessSync(directory, rights);
  } catch (cause) {
    const code = codeOf(cause);
    throw new MemError("data_dir_unusable", {
      message: `${directory} cannot be ${done}${code === "" ? "" : ` (${code})`}.`,
      hint:
        code === "EROFS"
          ? "Mount its disk for writing, or set MEM_DATA_DIR to another directory."
          : `Run \`chmod u+rwx ${directory}\`, or set MEM_DATA_DIR to another directory.`,
      cause,
    });
  }
}
