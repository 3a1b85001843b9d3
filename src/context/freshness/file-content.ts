// A name for what a file is now, so that the same content is told of once.
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { blobIdOf, lookAtFile } from "./work-file.ts";

/** Null for what cannot be seen in time, or is no file. */
export type ContentOf = (path: string, cwd: string | null) => Promise<string | null>;

/** What git would call the content; of a file too large to read, its size and time. A file that is gone has a name too. */
export function createFileContent(deadlineMs: number): ContentOf {
  return async (path, cwd) => {
    const absolute = isAbsolute(path) ? path : cwd !== null && isAbsolute(cwd) ? join(cwd, path) : null;
    return absolute === null ? null : within(deadlineMs, nameOf(absolute));
  };
}

const maxFileBytes = 2 * 1024 * 1024;

async function nameOf(path: string): Promise<string | null> {
  const sight = await lookAtFile(path);
  if (sight.is === "gone") return "gone";
  if (sight.is !== "file") return null;
  const root = await realpath(dirname(path)).catch(() => null);
  if (root === null) return null;
  const read = await blobIdOf({ root, place: basename(path), format: "sha1" }, maxFileBytes);
  return read?.blobId ?? `${sight.size}-${sight.mtimeNs}`;
}

/** What hangs (a share that went away) is left behind. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  const first = await Promise.race([work, late]);
  clearTimeout(timer);
  return first;
}
