// Writes and reads export files. A file is readable by its owner only, and gets its name when it is complete.
import { constants, lstatSync, realpathSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Writable } from "node:stream";
import { codeOf, unlessMissing } from "./error-code.ts";
import { failOpen, MemError, toMemError } from "./errors.ts";
import type { DataPaths } from "./paths.ts";

type Write = (text: string) => Promise<void>;

/** Runs `work` with a writer to the file, mode 0600; an existing file is replaced when everything is written. */
export async function toFile<T>(path: string, work: (write: Write) => Promise<T>): Promise<T> {
  demandPlainFile(path, { hint: "Name another file, or omit --out to write to standard output." });
  const part = `${path}.part`;
  try {
    await rm(part, { force: true });
    // `x` opens no existing file, also no planted link.
    const file = await open(part, "wx", 0o600);
    try {
      const result = await work(async (text) => {
        await file.appendFile(text, "utf8");
      });
      await file.sync();
      await rename(part, path);
      return result;
    } finally {
      await file.close();
    }
  } catch (cause) {
    await failOpen("remove an unfinished file", () => rm(part, { force: true }));
    throw asOutputFailure(path, cause);
  }
}

/** A writer that waits until the stream has taken each text. */
export function toStream(stream: Writable): Write {
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (cause) => {
        if (cause == null) resolve();
        else reject(failed("standard output", cause));
      });
    });
}

/** The bytes of a file, opened once. */
export async function* fromFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY).catch((cause: unknown) => {
    throw notReadable(path, cause);
  });
  try {
    yield* file.createReadStream();
  } catch (cause) {
    // A directory opens, and cannot be read.
    throw codeOf(cause) === "EISDIR" ? notReadable(path, cause) : cause;
  }
}

function notReadable(path: string, cause: unknown): MemError {
  return new MemError("not_found", {
    message: `${path} cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`,
    hint: "Name a file that can be read.",
    cause,
  });
}

/**
 * Throws `usage` for a file in the data directory, in a directory that it links to, or one that is also a file of it under
 * another name: an export there would replace the memory or what the worker keeps beside it. Throws `output_failed` for a
 * path that cannot be followed.
 */
export function demandOutsideData(file: string, paths: DataPaths): void {
  try {
    demandNotIn(paths, file);
  } catch (cause) {
    throw asOutputFailure(file, cause);
  }
}

function demandNotIn({ socket: _socket, ...paths }: DataPaths, file: string): void {
  const owned = new Set(
    [...Object.values(paths), ...["-wal", "-shm"].map((suffix) => paths.database + suffix)].map(identityOf),
  );
  let at = resolve(file);
  while (identityOf(at) === undefined && dirname(at) !== at) at = dirname(at);
  // Compared by device and inode: names differ by links, mounts and case.
  for (at = realpathSync(at); ; at = dirname(at)) {
    const identity = identityOf(at);
    if (identity !== undefined && owned.has(identity)) {
      throw new MemError("usage", {
        message: `${file} is in the data directory, ${paths.root}. Nothing was written.`,
        hint: "Name a file outside of it.",
      });
    }
    if (dirname(at) === at) return;
  }
}

function identityOf(path: string): string | undefined {
  const stats = unlessMissing(() => statSync(path, { bigint: true }));
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** Throws `output_failed` for a device, a pipe or a directory, and for a link: with `statSync` only where it leads to one. */
export function demandPlainFile(
  path: string,
  { hint, look = lstatSync }: { hint: string; look?: typeof lstatSync },
): void {
  const stats = unlessMissing(() => look(path));
  if (stats === undefined || stats.isFile()) return;
  const message = `${path} is not a regular file, so it is not replaced.`;
  throw new MemError("output_failed", { message, hint });
}

/** An error of the file system as `output_failed` with a next step; every other one as it is. */
export function asOutputFailure(path: string, cause: unknown): unknown {
  return cause instanceof Error && "syscall" in cause ? failed(path, cause) : cause;
}

/** For a reader at this machine: an error of the file system names its path, as `file_unusable`. Else as `toMemError`. */
export function toLocalError(thrown: unknown): MemError {
  if (!(thrown instanceof Error && "syscall" in thrown && "path" in thrown)) return toMemError(thrown);
  const message = `${thrown.path} cannot be used (${thrown.message}).`;
  return new MemError("file_unusable", { message, cause: thrown });
}

function failed(what: string, cause: unknown): MemError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const code = codeOf(cause);
  const hint = hints[code];
  return new MemError("output_failed", {
    message: `${what} cannot be written (${why}).`,
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

const hints: Readonly<Record<string, string>> = {
  ENOENT: "Create its directory first, or name another file.",
  ENOTDIR: "Its parent is not a directory. Name another file.",
  EACCES: "Name a file in a directory that you can write to.",
  EPERM: "Name a file in a directory that you can write to.",
  EROFS: "Name a file on a disk that can be written to.",
  ELOOP: "Its links lead in a circle. Name another file.",
  ENAMETOOLONG: "Name a file with a shorter path.",
};
