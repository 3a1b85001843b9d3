// The file of an export: for its owner alone, and under its name only when it is whole.
import { constants, lstatSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { MemError } from "../core/errors.ts";

type Write = (text: string) => Promise<void>;

/** Runs `work` with a writer to the file, mode 0600; one that is there is replaced when all is written. */
export async function toFile<T>(path: string, work: (write: Write) => Promise<T>): Promise<T> {
  demandPlainFile(path);
  const part = `${path}.part`;
  try {
    await rm(part, { force: true });
    // `x` opens nothing that is there, a planted link included.
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
    await rm(part, { force: true });
    throw isOfFiles(cause) ? failed(path, cause) : cause;
  }
}

/** A writer that waits until the stream has taken what it was given. */
export function toStream(stream: Writable): Write {
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (cause) => {
        if (cause == null) resolve();
        else reject(failed("standard output", cause));
      });
    });
}

/** The bytes of a file, never of a link's target that changes: opened once. */
export async function* fromFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY).catch((cause: unknown) => {
    throw new MemError("not_found", {
      message: `${path} cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`,
      hint: "Name the file that `mem server export` wrote.",
      cause,
    });
  });
  yield* file.createReadStream();
}

function demandPlainFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  throw new MemError("output_failed", {
    message: `${path} is not a regular file, so it is not replaced.`,
    hint: "Name another one, or leave --out away to write to standard output.",
  });
}

function isOfFiles(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause;
}

function failed(what: string, cause: unknown): MemError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const hint = hints[code];
  return new MemError("output_failed", {
    message: `${what} cannot be written (${why}).`,
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

const hints: Readonly<Record<string, string>> = {
  ENOENT: "Make its directory first, or name another one.",
  ENOTDIR: "What stands before its name is no directory: name another one.",
  EACCES: "Name a file in a directory that you may write to.",
  EPERM: "Name a file in a directory that you may write to.",
  EROFS: "Name a file on a disk that can be written to.",
};
