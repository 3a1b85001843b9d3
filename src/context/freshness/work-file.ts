// Reads a file of a work tree and computes its git blob id without git. Never reads outside the tree.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isMissing } from "../../core/error-code.ts";

/** The hash of git blob ids: `sha1` unless the repository is configured otherwise. */
export type ObjectFormat = "sha1" | "sha256";

/** Size and time of a regular file. */
export interface FileStamp {
  size: number;
  /** Nanoseconds, as text: more than a number holds. */
  mtimeNs: string;
}

/** `unknown`: the path cannot be read. */
export type FileSight = ({ is: "file" } & FileStamp) | { is: "other" } | { is: "gone" } | { is: "unknown" };

/** Does not follow a link in the last part of the path. */
export async function lookAtFile(path: string): Promise<FileSight> {
  try {
    const stats = await lstat(path, { bigint: true });
    if (!stats.isFile()) return { is: "other" };
    return { is: "file", size: Number(stats.size), mtimeNs: String(stats.mtimeNs) };
  } catch (cause) {
    return { is: isMissing(cause) ? "gone" : "unknown" };
  }
}

/** The largest file that is hashed. */
export const maxFileBytes = 2 * 1024 * 1024;

/** The path relative to `root` (a real path), with `/`. Null for `root` itself and everything outside. */
export async function placeInside(root: string, path: string): Promise<string | null> {
  try {
    const place = relative(root, await realpath(path));
    const isInside = place !== "" && place !== ".." && !place.startsWith(`..${sep}`) && !isAbsolute(place);
    return isInside ? place.replaceAll(sep, "/") : null;
  } catch {
    return null;
  }
}

/** A file with the stamp of the content that was read. */
export interface WorkFile extends FileStamp {
  blobId: string;
  content: Buffer;
}

/**
 * Reads the file at `place` inside `root`, with the id that `git hash-object --no-filters` gives it.
 * Null for anything but a regular file inside, larger than `maxBytes`, or changed while it is read.
 */
export async function readWorkFile(
  file: { root: string; place: string; format: ObjectFormat },
  maxBytes: number,
): Promise<WorkFile | null> {
  const path = join(file.root, file.place);
  if ((await placeInside(file.root, path)) !== file.place) return null;
  try {
    // Nonblocking, because opening a pipe waits for its writer; no link, because one may have replaced the file.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(path, flags);
    try {
      const stats = await handle.stat({ bigint: true });
      const size = Number(stats.size);
      if (!stats.isFile() || size > maxBytes) return null;
      const content = await contentOf(handle, size);
      if (content === null) return null;
      return { size, mtimeNs: String(stats.mtimeNs), blobId: blobIdOf(content, file.format), content };
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}

/** The git blob id of some content. */
export function blobIdOf(content: Buffer, format: ObjectFormat): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}

type Handle = Awaited<ReturnType<typeof open>>;

/** Null unless the file had exactly `size` bytes. Reads in pieces, so that the main thread is not blocked. */
async function contentOf(handle: Handle, size: number): Promise<Buffer | null> {
  // One more, to notice a file that grew.
  const buffer = Buffer.alloc(size + 1);
  for (let at = 0; at <= size; ) {
    const length = Math.min(pieceBytes, buffer.length - at);
    const { bytesRead } = await handle.read(buffer, at, length, at);
    if (bytesRead === 0) return at === size ? buffer.subarray(0, size) : null;
    at += bytesRead;
  }
  return null;
}

const pieceBytes = 64 * 1024;
