// Reads a small file that somebody else wrote: a regular file, up to a cap, and nothing when it is anything else.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** The first `maxBytes` of the file as text; null when there is none that can be read. */
export function readSmall(path: string, maxBytes: number): string | null {
  let file: number | undefined;
  try {
    // Opening a pipe would wait for its writer for ever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) return null;
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, maxBytes, 0));
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
