// Reads and replaces a context file in a folder of a project: never through a link, all or nothing.
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { failOpenSync } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Unsafe } from "./section.ts";

/** Claude Code reads it when it works in the folder, beside what the user has written there. */
export const contextFileName = "CLAUDE.md";

/** A folder that may be written into: the real path of the project's top folder, and parts of a path below it. */
export interface Folder {
  root: string;
  /** With the separator of this machine, and without a link in it. */
  within: string;
}

/** The folder at `path`, when it is a real one inside `root`, no link leads there, and no other project is around it. */
export function folderWithin(root: string, path: string): Folder | null {
  const folder = folderBelow(root, path);
  return folder === null || isInAnother(folder.root, folder.within) ? null : folder;
}

/** The folder at `path`, when it is really below `root`: links may lead to the root, but none from there on. */
export function folderBelow(root: string, path: string): Folder | null {
  const top = realOf(root);
  const real = realOf(path);
  if (top === null || real === null || !real.startsWith(`${top}${sep}`)) return null;
  const within = real.slice(top.length + 1);
  const isPlain = path.endsWith(`${sep}${within}`) && realOf(path.slice(0, -within.length)) === top;
  return isPlain ? { root: top, within } : null;
}

/** The folder at a path that no link leads along. */
export function plainFolder(path: string): Folder | null {
  return realOf(path) === path ? { root: dirname(path), within: basename(path) } : null;
}

// A repository in a repository has a memory of its own.
function isInAnother(top: string, within: string): boolean {
  const parts = within.split(sep);
  return parts.some((_, index) => existsSync(join(top, ...parts.slice(0, index + 1), ".git")));
}

/** Content of the folder's context file; null when there is none. */
export function readContextFile(folder: Folder): Buffer | Unsafe | null {
  const path = pathIn(folder);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) return { unsafe: "it is a symbolic link" };
  if (!stats.isFile()) return { unsafe: "it is not a file" };
  if (stats.nlink > 1) return { unsafe: "it has a second name elsewhere" };
  if (stats.size > maxBytes) return { unsafe: "it is too large" };
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const maxBytes = 1_048_576;

/**
 * Puts `next` in the place of `before`, which is what was read; null removes the file. The new one is on the disk before
 * the name moves to it. What changed meanwhile is left as it is.
 */
export function replaceContextFile(
  folder: Folder,
  before: Buffer | null,
  next: Buffer | null,
): Unsafe | undefined {
  const path = pathIn(folder);
  if (next === null) {
    const changed = changedMeanwhile(folder, before);
    if (changed === undefined) rmSync(path, { force: true });
    return changed;
  }
  const unfinished = join(folder.root, folder.within, `.${contextFileName}.${newId()}`);
  const mode = before === null ? undefined : lstatSync(path).mode & 0o7777;
  const descriptor = openSync(unfinished, "wx", 0o644);
  try {
    writeFileSync(descriptor, next);
    if (mode !== undefined && process.platform !== "win32") fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
    const isHere = lstatSync(unfinished).ino === fstatSync(descriptor).ino;
    const changed = isHere ? changedMeanwhile(folder, before) : movedAway;
    if (changed === undefined) renameSync(unfinished, path);
    else rmSync(unfinished, { force: true });
    return changed;
  } catch (cause) {
    failOpenSync("removing an unfinished context file", () => rmSync(unfinished, { force: true }));
    throw cause;
  } finally {
    closeSync(descriptor);
  }
}

const movedAway: Unsafe = { unsafe: "its folder is another one now" };

function changedMeanwhile(folder: Folder, before: Buffer | null): Unsafe | undefined {
  const folderPath = join(folder.root, folder.within);
  if (realOf(folderPath) !== folderPath) return movedAway;
  const now = readContextFile(folder);
  if (now !== null && "unsafe" in now) return now;
  const isSame = now === null || before === null ? now === before : now.equals(before);
  return isSame ? undefined : { unsafe: "it was changed meanwhile" };
}

/** Path of the folder's context file. */
export function pathIn({ root, within }: Folder): string {
  return join(root, within, contextFileName);
}

function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
