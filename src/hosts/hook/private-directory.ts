// Directories that only their owner may enter.
import { lstatSync, type Stats, statSync } from "node:fs";
import { closeDirectory, makeDirectories } from "../../core/directory.ts";
import { MemError } from "../../core/errors.ts";

/** Makes the data directory, mode 0700, or tightens ours; it may be a link. Throws `data_dir_unusable`. */
export function makeDataDirectory(path: string): void {
  make(path);
  keepPrivate(path, statSync(path));
}

/** The same for a directory below it, which no link may lead out of. Throws `data_dir_unusable`. */
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
