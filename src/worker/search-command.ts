// The command by which an agent searches: what its own shell can run, which knows `mem` only once it is linked.
import { packageFile } from "../core/paths.ts";
import type { Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";

/** The words of a shell before those that are looked for; the same for the whole life of an install. */
export function searchCommand(environment: Environment): string {
  if (findExecutable(environment, "mem") !== null) return "mem search";
  const node = findExecutable(environment, "node") === null ? shellWord(process.execPath) : "node";
  return `${node} ${shellWord(packageFile("bin", "mem.js"))} search`;
}

/** `path` as one word of a POSIX shell; agents on Windows have one too, or take the double quotes. */
export function shellWord(path: string, platform = process.platform): string {
  if (platform === "win32") return `"${path.replaceAll("\\", "/")}"`;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
