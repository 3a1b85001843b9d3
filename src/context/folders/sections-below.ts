// Finds context files with our section below a folder, whoever knows of them: a bounded walk that follows no link.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { failOpenSync } from "../../core/errors.ts";
import { contextFileName } from "./context-file.ts";

/** Paths of the context files at or below `top`; hidden folders and those of packages hold none of ours. */
export async function contextFilesBelow(top: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [top];
  for (let looked = 0; looked < maxFolders; looked++) {
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
