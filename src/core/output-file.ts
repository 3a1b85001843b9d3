// Writes and reads export files. A file is readable by its owner only, and gets its name when it is complete.

import { constants, lstatSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { codeOf } from "./error-code.ts";
import { MemError } from "./errors.ts";

type Write = (text: string) => Promise<void>;

/** Runs `work` with a writer to the file, mode 0600; an existing file is replaced when everything is written. */
export async function toFile<T>(path: string, work: (write: Write) => Promise<T>): Promise<T> {
  demandPlainFile(path);
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
    await rm(part, { force: true });
    throw isFileError(cause) ? failed(path, cause) : cause;
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
    throw new MemError("not_found", {
      message: `${path} cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`,
      hint: "Name a file that can be read.",
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
    hint: "Name another file, or omit --out to write to standard output.",
  });
}

function isFileError(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause;
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
};
