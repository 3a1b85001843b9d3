// Directories that only their owner may enter.
import { chmodSync, lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import { MemError } from "../errors.ts";

/** Makes the data directory, mode 0700, or tightens ours; it may be a link. Throws `data_dir_unusable`. */
export function makeDataDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  keepPrivate(path, statSync(path));
}

/** The same for a directory below it, which no link may lead out of. Throws `data_dir_unusable`. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  keepPrivate(path, lstatSync(path));
}

function keepPrivate(path: string, stats: Stats): void {
  const user = process.getuid?.();
  if (!stats.isDirectory() || (user !== undefined && stats.uid !== user)) {
    throw new MemError("data_dir_unusable", { message: `${path} is not a directory of this user.` });
  }
  if (user !== undefined && (stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
}
