// The path of a file as a reader of one project knows it: from the project's folder on.
import { plainLine } from "./plain-line.ts";

/** `path` from behind the folder that `project` is named after; else its last parts. One plain line. */
export function shortPath(path: string, project: string): string {
  const slashed = path.slice(0, maxLooked).replaceAll("\\", "/");
  const folder = `/${project}/`;
  const at = slashed.indexOf(folder);
  const isAbsolute = slashed.startsWith("/") || /^[A-Za-z]:\//.test(slashed);
  const short = at >= 0 ? slashed.slice(at + folder.length) : isAbsolute ? lastParts(slashed) : slashed;
  return plainLine(short, maxChars);
}

const maxLooked = 4096;
const maxChars = 100;
const partsShown = 3;

function lastParts(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.length <= partsShown ? path : `…/${parts.slice(-partsShown).join("/")}`;
}
