// Whether what happens can still be written down.
import type { DataPaths } from "../../core/paths.ts";
import { freeBytes, minFreeBytes } from "../disk-space.ts";
import { bytesInWords, homePath } from "../words.ts";
import { type Check, fail, ok } from "./check.ts";

/** The disk of the data directory has room. */
export function checkDisk({ root }: DataPaths, free: number | null = freeBytes(root)): Check {
  const name = "Disk";
  if (free === null) return ok(name, "of no known size");
  const left = `${bytesInWords(free)} free`;
  if (free >= minFreeBytes) return ok(name, left);
  return fail(
    name,
    `Only ${left} on the disk of ${homePath(root)}: what happens may be lost.`,
    `Free some space there: df -h ${root}`,
  );
}
