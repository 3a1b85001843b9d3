// The Node that SQLite needs. better-sqlite3 13 is for Node-API 10, and ends an older Node with a segmentation fault. There a
// clone has version 12 beside it, which src/old-node.mjs installs.
import { existsSync } from "node:fs";
import { inShell } from "../text/in-shell.ts";
import { packageFile } from "./paths.ts";

/** The folder of better-sqlite3 12; null on a Node that runs 13. */
export function olderSqlite(): string | null {
  if (Number(process.versions.napi) >= 10) return null;
  return packageFile("node_modules", ".old-node", "node_modules", "better-sqlite3");
}

/** The command that makes `olderSqlite`, in a clone. */
export function compileOlder(): string {
  return `npm run old-node --prefix ${inShell(packageFile())}`;
}

/** Why this Node cannot load SQLite, and the next step; null where it can. */
export function refusedNode(): { message: string; hint: string } | null {
  const older = olderSqlite();
  if (older === null || existsSync(older)) return null;
  const { node, napi } = process.versions;
  const isClone = existsSync(packageFile("src"));
  return {
    message: `mem needs Node 22.14 or newer (Node-API 10), but this is Node ${node} (Node-API ${napi}).`,
    hint: `Use a newer Node (https://nodejs.org)${isClone ? `, or compile SQLite for this one: \`${compileOlder()}\`` : ", then run `mem repair`"}.`,
  };
}
