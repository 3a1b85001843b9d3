// Directories: makes missing ones, and tells whether other users can put something into one.
import { chmodSync, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { failOpenSync, MemError } from "./errors.ts";

/**
 * Makes `path` and what is missing above it; those that were made, the outermost first. `mkdir` with `recursive` is not
 * used: where a directory refuses new entries with ENOENT, as /proc does, it tries for ever.
 */
export function makeDirectories(path: string, mode = 0o777): string[] {
  if (isDirectory(path)) return [];
  const parent = dirname(path);
  const made = parent === path ? [] : makeDirectories(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (isDirectory(path)) return made;
    throw cause;
  }
  return [...made, path];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** What keeps a file or directory from being trusted: another user owns it, or can write to it. */
export type Exposure = "foreign" | "writable";

/**
 * How other users can reach what lies at a path, null when only this user can write there. Root trusts no other user's
 * files either: what they send would be acted upon with root's rights. Windows has no such modes.
 */
export function exposureOf({ uid, mode }: Pick<Stats, "uid" | "mode">): Exposure | null {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  if (uid !== user) return "foreign";
  return (mode & 0o022) === 0 ? null : "writable";
}

/** Throws `data_dir_unusable` unless only this user can write to `path`, which `stats` are of. */
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
        hint: `Look for files that are not yours in it, then close it: \`chmod go-w ${path}\`.`,
      });
  }
}

/** Closes this user's directory to others. Throws `data_dir_unusable` for one that is shared on purpose, as /tmp is. */
export function closeDirectory(path: string, { uid, mode }: Stats): void {
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  // Root lets others pass through, and no more: the private PostgreSQL below runs as another user.
  if (uid === 0 && (mode & 0o777) === 0o711) return;
  if ((mode & 0o1002) === 0o1002) {
    throw new MemError("data_dir_unusable", {
      message: `${path} is a directory that all users share.`,
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
 * Runs `act` in `directory`, after a look from the inside that only this user can write there: any user who can rename a
 * directory above cannot swap it between the look and the use. Relative names are short enough for sockets too.
 */
export function insideOwn<T>(directory: string, act: () => T): T {
  // Undefined in a directory that was removed: there is no way back into it.
  const before = failOpenSync("name the working directory", () => process.cwd());
  process.chdir(directory);
  try {
    demandOwn(directory, statSync("."));
    return act();
  } finally {
    if (before !== undefined) process.chdir(before);
  }
}
