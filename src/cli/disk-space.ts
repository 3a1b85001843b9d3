// How much room is left on the disk that holds the data directory.
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { failOpenSync } from "../core/errors.ts";

/** Below this a database cannot be opened for sure: its log alone is let grow to a few megabytes. */
export const minFreeBytes = 10_000_000;

/** Bytes that this user may still write there, whether or not the directory is made; null where nobody can tell. */
export function freeBytes(directory: string): number | null {
  let at = directory;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  const stats = failOpenSync("look at the file system", () => statfsSync(at));
  // Some network and virtual file systems have no size.
  return stats === undefined || stats.blocks === 0 ? null : stats.bavail * stats.bsize;
}
