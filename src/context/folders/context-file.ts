// Reads, replaces and finds context files in folders of a project: never through a link, atomically.
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { unlessMissing } from "../../core/error-code.ts";
import { failOpenSync } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Unsafe } from "../../text/marked-section.ts";

/** Claude Code reads it when it works in the folder; users write into it too. */
export const contextFileName = "CLAUDE.md";

/** A folder that may be written into. */
export interface Folder {
  /** Real path of the project's top folder. */
  root: string;
  /** Relative to `root`, with the separator of this machine, without links. */
  within: string;
}

/** `folderBelow`, if the folder is in no other repository. */
export function folderWithin(root: string, path: string): Folder | null {
  const folder = folderBelow(root, path);
  return folder === null || isInAnother(folder.root, folder.within) ? null : folder;
}

/** The folder at `path` if it is below `root`. Links may lead to the root, but not below it. */
export function folderBelow(root: string, path: string): Folder | null {
  const top = realOf(root);
  const real = realOf(path);
  if (top === null || real === null || !real.startsWith(`${top}${sep}`)) return null;
  const within = real.slice(top.length + 1);
  const isPlain = path.endsWith(`${sep}${within}`) && realOf(path.slice(0, -within.length)) === top;
  return isPlain ? { root: top, within } : null;
}

/** The folder at a path without links. */
export function plainFolder(path: string): Folder | null {
  return realOf(path) === path ? { root: dirname(path), within: basename(path) } : null;
}

// A nested repository is another project.
function isInAnother(top: string, within: string): boolean {
  const parts = within.split(sep);
  return parts.some((_, index) => existsSync(join(top, ...parts.slice(0, index + 1), ".git")));
}

/** Null without a context file. */
export function readContextFile(folder: Folder): Buffer | Unsafe | null {
  const path = pathIn(folder);
  const stats = unlessMissing(() => lstatSync(path));
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
 * Replaces `before`, the content as read, with `next`; null removes the file. Atomic: the new content is synced before the
 * rename. A file that changed meanwhile is left as it is.
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

export function pathIn({ root, within }: Folder): string {
  return join(root, within, contextFileName);
}

/** Paths of context files at or below `top`, without hidden and package folders. Bounded; follows no link. */
export async function contextFilesBelow(top: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [top];
  for (let visited = 0; visited < maxFolders; visited++) {
    const folder = waiting.shift();
    if (folder === undefined) break;
    const entries =
      failOpenSync("look into a folder", () => readdirSync(folder, { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      if (entry.isFile() && entry.name === contextFileName) found.push(join(folder, entry.name));
      if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
        waiting.push(join(folder, entry.name));
    }
    await setImmediate();
  }
  return found;
}

const maxFolders = 20_000;

function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
