// The marker that `mem install` writes: what the hooks were installed by, compared with what runs.
import { existsSync, readFileSync } from "node:fs";
import { failOpenSync } from "../core/errors.ts";

/** A repair hint when the hooks were installed by another version, else null (also when nothing was installed). */
export function installNotice(markerFile: string, running: string): string | null {
  if (!existsSync(markerFile)) return null;
  const marker =
    failOpenSync("reading .install-version", () => readFileSync(markerFile, "utf8").trim()) ?? "";
  if (marker === "" || marker === running) return null;
  return `mem: hooks were installed by version ${marker}, the worker is ${running}. Repair with \`mem install claude-code\`, or, where they come from the plugin, by updating the plugin in Claude Code.`;
}
