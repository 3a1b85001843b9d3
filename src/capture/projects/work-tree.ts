// Finds the work tree that a directory lies in, and the repository behind it, without starting git.
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { readSmall } from "./read-small.ts";

export interface WorkTree {
  /** Real path of its top folder; of the directory itself where there is no repository. */
  folder: string;
  /** The folder that the project is called after and known by: that of the main work tree. */
  main: string;
  /** The directory of the repository that all its work trees share; null without one. */
  gitDir: string | null;
}

/** A repository in `home` or in the root of the disk is that of the settings there, not of all that lies below. */
export function findWorkTree(cwd: string, home: string): WorkTree {
  // A path of another system, or of nowhere: the worker's own directory says nothing about it.
  if (!isAbsolute(cwd)) return { folder: cwd, main: cwd, gitDir: null };
  const from = realPath(cwd);
  for (let at = from; ; at = dirname(at)) {
    const isTop = dirname(at) === at;
    const gitDir = at === from || (at !== home && !isTop) ? gitDirOf(at) : null;
    if (gitDir !== null) return ofRepository(at, gitDir);
    if (isTop) return { folder: from, main: from, gitDir: null };
  }
}

/** The path without links; as it was said where nothing is. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

function gitDirOf(folder: string): string | null {
  const path = join(folder, ".git");
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isDirectory()) return path;
  if (stats.isSymbolicLink()) return isOf(folder, realPath(path)) ? path : null;
  if (!stats.isFile()) return null;
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(readSmall(path, maxPointerBytes) ?? "")?.[1];
  // A share of the network that a repository names is not visited.
  if (named === undefined || /^[\\/]{2}/.test(named)) return null;
  const own = realPath(resolve(folder, named));
  return isOf(folder, own) ? own : null;
}

// An archive from anywhere can hold a `.git` file or link that names a repository of the user's: it would be told what is
// remembered of that one. The repository has to know the folder: the directory of a linked work tree names its `.git`
// (a moved one's still names the old place), and an ordinary `.git` belongs to the folder that it stands in.
function isOf(folder: string, own: string): boolean {
  const back = readSmall(join(own, "gitdir"), maxPointerBytes)?.trim();
  if (back === undefined || back === "")
    return basename(own) !== ".git" || realPath(dirname(own)) === realPath(folder);
  const linked = realPath(resolve(own, back));
  return (
    linked === realPath(join(folder, ".git")) || lstatSync(linked, { throwIfNoEntry: false }) === undefined
  );
}

// A linked work tree has a directory of its own inside that of its repository; a submodule has a repository of its own.
function ofRepository(folder: string, own: string): WorkTree {
  const common = readSmall(join(own, "commondir"), maxPointerBytes)?.trim();
  const isLinked = common !== undefined && common !== "" && !/^[\\/]{2}/.test(common);
  const gitDir = realPath(isLinked ? resolve(own, common) : own);
  return { folder, main: isLinked ? mainFolder(gitDir) : folder, gitDir };
}

// `shop/.git` and `shop/.bare` are those of `shop`; `shop.git` is its own.
function mainFolder(gitDir: string): string {
  return basename(gitDir).startsWith(".") ? dirname(gitDir) : gitDir;
}

const maxPointerBytes = 4096;
