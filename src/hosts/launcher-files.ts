// The launchers in the data directory, which hosts start: copies that no update of the package moves.
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory } from "../core/directory.ts";
import { failOpenSync } from "../core/errors.ts";
import { type DataPaths, packageFile } from "../core/paths.ts";
import type { HostAgent } from "./integration.ts";
import { readSettingsFile, replaceSettingsFile } from "./settings-file.ts";

const launchers: readonly string[] = ["mem-hook.sh", "mem-mcp.sh", "mem-mcp.mjs"];

/** Copies the launchers, and what the hosts want beside them; returns the files that were missing or different. */
export function writeLaunchers({ launcher }: DataPaths, agents: readonly HostAgent[]): string[] {
  const wanted = [...launchers, ...agents.flatMap(({ integration }) => integration.copies ?? [])];
  makePrivateDirectory(launcher);
  return [...new Set(wanted)].flatMap((name) => copyTo(join(launcher, name), packageFile("hooks", name)));
}

function copyTo(target: string, source: string): string[] {
  if (statSync(source).isDirectory()) {
    makePrivateDirectory(target);
    return readdirSync(source).flatMap((name) => copyTo(join(target, name), join(source, name)));
  }
  const [before, after] = [readSettingsFile(target), readSettingsFile(source)];
  replaceSettingsFile(target, before, after);
  return before === after ? [] : [target];
}

/** The launchers that are missing. */
export function missingLaunchers({ launcher }: DataPaths): string[] {
  return launchers.map((name) => join(launcher, name)).filter((path) => !existsSync(path));
}

/** The Node and the hook's bundle that the launchers start, as `mem` last wrote them down; null without that file. */
export function startedByLaunchers({ hookRuntime }: DataPaths): { node: string; bundle: string } | null {
  const text = failOpenSync("read hook-runtime", () => readSettingsFile(hookRuntime)) ?? null;
  const [node = "", bundle = ""] = (text ?? "").split(/\r?\n/);
  return text === null ? null : { node, bundle };
}

/** Removes the launchers, once no host starts them. */
export function removeLaunchers({ launcher }: DataPaths): void {
  rmSync(launcher, { recursive: true, force: true });
}
