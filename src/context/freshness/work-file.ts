// Reads a file of a work tree and computes its git blob id without git. Never reads outside the tree.
import { createHash, type Hash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

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
    return { is: missing.has(codeOf(cause)) ? "gone" : "unknown" };
  }
}

/** The largest file that is hashed. */
export const maxFileBytes = 2 * 1024 * 1024;

const missing = new Set(["ENOENT", "ENOTDIR"]);

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

/**
 * The id that `git hash-object --no-filters` gives the file at `place` inside `root`, with the stamp of the read content.
 * Null for anything but a regular file inside, larger than `maxBytes`, or changed while it is read.
 */
export async function blobIdOf(
  file: { root: string; place: string; format: ObjectFormat },
  maxBytes: number,
): Promise<(FileStamp & { blobId: string }) | null> {
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
      const hash = createHash(file.format).update(`blob ${size}\0`);
      const read = await hashContent(handle, hash, size);
      return read ? { size, mtimeNs: String(stats.mtimeNs), blobId: hash.digest("hex") } : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

/** True when the file had exactly `size` bytes. Reads in pieces, so that the main thread is not blocked. */
async function hashContent(handle: Handle, hash: Hash, size: number): Promise<boolean> {
  const buffer = Buffer.alloc(Math.min(pieceBytes, size + 1));
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return at === size;
    at += bytesRead;
    if (at > size) return false;
    hash.update(buffer.subarray(0, bytesRead));
  }
}

const pieceBytes = 64 * 1024;

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
