// Makes directories: each missing one once, from the nearest one that exists.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

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
