// The search command for an agent's shell, which finds `mem` only once it is linked.
import { packageFile } from "../core/paths.ts";
import type { Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";

/** The command before the search words; constant for an install. */
export function searchCommand(environment: Environment): string {
  if (findExecutable(environment, "mem") !== null) return "mem search";
  const node = findExecutable(environment, "node") === null ? shellWord(process.execPath) : "node";
  return `${node} ${shellWord(packageFile("bin", "mem.js"))} search`;
}

/** `path` as one word of a POSIX shell; on Windows in double quotes. */
export function shellWord(path: string, platform = process.platform): string {
  if (platform === "win32") return `"${path.replaceAll("\\", "/")}"`;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
