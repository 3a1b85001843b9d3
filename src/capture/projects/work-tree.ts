// Finds the work tree of a directory and its repository, without starting git.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep, win32 } from "node:path";
import { unlessMissing } from "../../core/error-code.ts";

export interface WorkTree {
  /** Real path of the top folder; of the directory itself without a repository. */
  folder: string;
  /** Folder of the main work tree, which names and identifies the project. */
  main: string;
  /** Repository directory shared by all work trees; null without one. */
  gitDir: string | null;
  /** Directory with the HEAD of this work tree; null without a repository. */
  ownDir: string | null;
}

/** The directories of a repository: of one work tree, and shared by all. */
export interface Repository {
  own: string;
  common: string;
}

/** A repository in `home` or in the root folder (for settings files) does not include folders below. */
export function findWorkTree(cwd: string, home: string): WorkTree {
  const named = oneSpelling(cwd);
  // Not resolved against the worker's own directory.
  if (!isAbsolute(named)) return { folder: named, main: named, gitDir: null, ownDir: null };
  const from = realPath(named);
  for (let at = from; ; at = dirname(at)) {
    const isTop = dirname(at) === at;
    const gitDir = at === from || (at !== home && !isTop) ? gitDirOf(at) : null;
    if (gitDir !== null) return ofRepository(at, gitDir);
    // The place tells the main folder of a work tree that was deleted with its repository, or is of another machine.
    if (!isTop) continue;
    const main = hostPlaces.reduce((at, place) => at.replace(place, "$1$2"), from.replace(usualPlace, ""));
    return { folder: from, main: main === home ? from : main, gitDir: null, ownDir: null };
  }
}

const usualPlace = /(?<=[^\\/])[\\/]\.(?:claude[\\/])?worktrees[\\/].+$/;
// Hosts keep work trees of all repositories in one folder: `.codex/worktrees/<id>/<name>`, `.cursor/worktrees/<name>/<id>`.
const hostPlaces = [
  /(\.codex[\\/]worktrees[\\/])[^\\/]+[\\/]([^\\/]+).*$/,
  /((?:\.cursor[\\/]worktrees|\.claude-worktrees)[\\/])([^\\/]+)[\\/].+$/,
];

/** True for a folder with a drive, as `oneSpelling` gives it. */
export function isWindowsPath(path: string): boolean {
  return /^[A-Z]:\\/.test(path);
}

/** `C:\work\shop` for `c:/work/shop/` and, on Windows, `/c/work/shop`; where WSL has the drive: `/mnt/c/work/shop`. */
function oneSpelling(cwd: string): string {
  const isWindows = sep === "\\";
  const [, letter = "", bash = "", rest] =
    /^(?:([A-Za-z]):(?=[\\/])|\/([a-z])(?=\/|$))(.*)$/s.exec(cwd) ?? [];
  const drive = letter || (isWindows ? bash : "");
  if (drive === "" || rest === undefined) return cwd;
  const mounted = `/mnt/${drive.toLowerCase()}`;
  if (!isWindows && existsSync(mounted)) return `${mounted}${rest.replaceAll("\\", "/")}`;
  return `${drive.toUpperCase()}:${win32.normalize(rest || "/").replace(/(?<=.)\\$/, "")}`;
}

/** The path without links; the resolved path if nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

function gitDirOf(folder: string): string | null {
  const path = join(folder, ".git");
  const stats = unlessMissing(() => lstatSync(path));
  if (stats === undefined) return null;
  if (stats.isDirectory()) return path;
  if (stats.isSymbolicLink()) return isOf(folder, realPath(path)) ? path : null;
  if (!stats.isFile()) return null;
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(readSmall(path, maxPointerBytes) ?? "")?.[1];
  // Network shares are not read.
  if (named === undefined || /^[\\/]{2}/.test(named)) return null;
  const own = realPath(resolve(folder, named));
  return isOf(folder, own) ? own : null;
}

// A foreign archive can contain a `.git` file or link to one of the user's repositories, and would get its memory. So the
// repository must know the folder: the directory of a linked work tree names its `.git` (after a move the old place), and
// an ordinary `.git` belongs to the folder around it.
function isOf(folder: string, own: string): boolean {
  const back = readSmall(join(own, "gitdir"), maxPointerBytes)?.trim();
  if (back === undefined || back === "")
    return basename(own) !== ".git" || realPath(dirname(own)) === realPath(folder);
  const linked = realPath(resolve(own, back));
  return linked === realPath(join(folder, ".git")) || unlessMissing(() => lstatSync(linked)) === undefined;
}

// The directory of a linked work tree is inside that of its repository; a submodule has its own repository.
function ofRepository(folder: string, own: string): WorkTree {
  const common = readSmall(join(own, "commondir"), maxPointerBytes)?.trim();
  const isLinked = common !== undefined && common !== "" && !/^[\\/]{2}/.test(common);
  const gitDir = realPath(isLinked ? resolve(own, common) : own);
  return { folder, main: isLinked ? mainFolder(gitDir) : folder, gitDir, ownDir: realPath(own) };
}

// `shop/.git` and `shop/.bare` belong to `shop`; `shop.git` is its own folder.
function mainFolder(gitDir: string): string {
  return basename(gitDir).startsWith(".") ? dirname(gitDir) : gitDir;
}

const maxPointerBytes = 4096;

/** The first or last `maxBytes` of a regular file as text; null if it cannot be read. */
export function readSmall(path: string, maxBytes: number, part: "first" | "last" = "first"): string | null {
  let file: number | undefined;
  try {
    // Nonblocking, because opening a pipe waits for its writer.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(file);
    if (!stats.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes));
    const from = part === "first" ? 0 : Math.max(0, stats.size - bytes.length);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, from));
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
