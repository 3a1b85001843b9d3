// Free space on the disk of the data directory.
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { failOpenSync } from "../../core/errors.ts";
import type { DataPaths } from "../../core/paths.ts";
import { bytesInWords, homePath } from "../words.ts";
import { type Check, fail, ok } from "./check.ts";

/** Below this, opening a database may fail: its write-ahead log alone grows to a few megabytes. */
export const minFreeBytes = 10_000_000;

/** Bytes that this user may still write at an existing or future directory; null where the size is unknown. */
export function freeBytes(directory: string): number | null {
  let at = directory;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  const stats = failOpenSync("look at the file system", () => statfsSync(at));
  // Some network and virtual file systems have no size.
  return stats === undefined || stats.blocks === 0 ? null : stats.bavail * stats.bsize;
}

/** The disk of the data directory has room. */
export function checkDisk({ root }: DataPaths, free: number | null = freeBytes(root)): Check {
  const name = "Disk";
  if (free === null) return ok(name, "free space unknown");
  const left = `${bytesInWords(free)} free`;
  if (free >= minFreeBytes) return ok(name, left);
  return fail(
    name,
    `Only ${left} on the disk of ${homePath(root)}: events may be lost.`,
    `Free some space there: df -h ${root}`,
  );
}
