// Makes directories, and checks that no other user can write to them.
import { chmodSync, lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { unlessMissing } from "./error-code.ts";
import { failOpenSync, MemError } from "./errors.ts";

/**
 * Makes `path` and its missing parents; returns those it made, the outermost first. Not `mkdir` with `recursive`, which
 * loops forever where a directory refuses new entries with ENOENT, as /proc does.
 */
export function makeDirectories(path: string, mode = 0o777): string[] {
  if (isDirectory(path)) return [];
  const parent = dirname(path);
  const made = parent === path ? [] : makeDirectories(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    // Another process may have made it.
    if (isDirectory(path)) return made;
    throw cause;
  }
  return [...made, path];
}

function isDirectory(path: string): boolean {
  return unlessMissing(() => statSync(path))?.isDirectory() ?? false;
}

/** Why a file or directory is not trusted: another user owns it, or can write to it. */
export type Exposure = "foreign" | "writable";

/**
 * Null if only this user can write there. Root does not trust files of other users either: it would act on them with
 * root's rights. Windows has no such modes.
 */
export function exposureOf({ uid, mode }: Pick<Stats, "uid" | "mode">): Exposure | null {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  if (uid !== user) return "foreign";
  return (mode & 0o022) === 0 ? null : "writable";
}

/** Throws `data_dir_unusable` unless only this user can write to `path`, whose stats are given. */
export function demandOwn(path: string, stats: Stats): void {
  switch (exposureOf(stats)) {
    case null:
      return;
    case "foreign":
      throw new MemError("data_dir_unusable", {
        message: `${path} belongs to another user (uid ${stats.uid}, you are ${process.geteuid?.()}), so nothing is sent there.`,
        hint: "Run the command as that user, or set MEM_DATA_DIR to a directory that you own.",
      });
    case "writable":
      throw new MemError("data_dir_unusable", {
        message: `Other users can write to ${path}, so nothing is sent there.`,
        hint: `Check it for files that are not yours, then close it: \`chmod go-w ${path}\`.`,
      });
  }
}

/** Closes this user's directory to others. Throws `data_dir_unusable` for a shared one such as /tmp. */
export function closeDirectory(path: string, { uid, mode }: Stats): void {
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  // Root's may stay passable: the private PostgreSQL below runs as another user.
  if (uid === 0 && (mode & 0o777) === 0o711) return;
  if ((mode & 0o1002) === 0o1002) {
    throw new MemError("data_dir_unusable", {
      message: `${path} is shared by all users.`,
      hint: "Set MEM_DATA_DIR to a directory of your own, for example one below it.",
    });
  }
  try {
    chmodSync(path, 0o700);
  } catch (cause) {
    const reason = cause instanceof Error ? ` (${cause.message})` : "";
    throw new MemError("data_dir_unusable", {
      message: `${path} cannot be closed to other users${reason}.`,
      hint: `Run \`chmod 700 ${path}\`, or set MEM_DATA_DIR to a directory that you can write to.`,
      cause,
    });
  }
  demandOwn(path, statSync(path));
}

/**
 * Runs `act` inside `directory`, after checking from the inside that only this user can write there: no one can swap the
 * directory between check and use. Relative names are also short enough for sockets.
 */
export function insideOwn<T>(directory: string, act: () => T): T {
  // Undefined in a removed directory, to which there is no way back.
  const before = failOpenSync("name the working directory", () => process.cwd());
  process.chdir(directory);
  try {
    demandOwn(directory, statSync("."));
    return act();
  } finally {
    if (before !== undefined) process.chdir(before);
  }
}

/** The working directory as a request's `cwd`; without one in a removed directory. */
export function workingPlace(): { cwd?: string } {
  const cwd = failOpenSync("name the working directory", () => process.cwd());
  return cwd === undefined ? {} : { cwd };
}

/** Makes the data directory with mode 0700, or tightens ours; it may be a link. Throws `data_dir_unusable`. */
export function makeDataDirectory(path: string): void {
  make(path);
  keepPrivate(path, statSync(path));
}

/** The same for a directory below it, which must not be a link. Throws `data_dir_unusable`. */
export function makePrivateDirectory(path: string): void {
  make(path);
  keepPrivate(path, lstatSync(path));
}

function make(path: string): void {
  try {
    makeDirectories(path, 0o700);
  } catch (cause) {
    throw new MemError("data_dir_unusable", { message: `${path} cannot be made.`, cause });
  }
}

function keepPrivate(path: string, stats: Stats): void {
  const user = process.getuid?.();
  if (!stats.isDirectory() || (user !== undefined && stats.uid !== user)) {
    throw new MemError("data_dir_unusable", { message: `${path} is not a directory of this user.` });
  }
  closeDirectory(path, stats);
}
