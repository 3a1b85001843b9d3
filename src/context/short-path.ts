// The path of a file as a reader of one project knows it: from the project's folder on.
import { plainLine } from "./plain-line.ts";

/** Where a project's files are. A label alone says little: the user may change it, and no file moves with it. */
export interface ProjectFolders {
  /** Top folders of its work trees, as far as they are known. */
  roots: readonly string[];
  /** What its folder may be called: every label that it has or had. */
  names: readonly string[];
}

/** `path` from behind the project's folder; else its last parts. One plain line. */
export function shortPath(path: string, { roots, names }: ProjectFolders): string {
  const slashed = path.slice(0, maxLooked).replaceAll("\\", "/");
  const isAbsolute = slashed.startsWith("/") || /^[A-Za-z]:\//.test(slashed);
  const at = behindRoot(slashed, roots) ?? behindName(slashed, names);
  const short = at !== null ? slashed.slice(at) : isAbsolute ? lastParts(slashed) : slashed;
  return plainLine(short, maxChars);
}

const maxLooked = 4096;
const maxChars = 100;
const partsShown = 3;

// Of the innermost: a linked work tree may lie inside of the main one.
function behindRoot(slashed: string, roots: readonly string[]): number | null {
  const starts = roots.map((root) => `${root.replaceAll("\\", "/").replace(/\/+$/, "")}/`);
  const around = starts.filter((start) => slashed.startsWith(start)).map(({ length }) => length);
  return around.length === 0 ? null : Math.max(...around);
}

// Of the outermost: a folder inside of the project may be called what the project was renamed to.
function behindName(slashed: string, names: readonly string[]): number | null {
  const found = names
    .map((name) => ({ at: slashed.indexOf(`/${name}/`), length: name.length + 2 }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || b.length - a.length)[0];
  return found === undefined ? null : found.at + found.length;
}

function lastParts(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.length <= partsShown ? path : `…/${parts.slice(-partsShown).join("/")}`;
}
