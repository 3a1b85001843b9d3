// Finds commands on PATH like a shell.
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { unlessMissing } from "../core/error-code.ts";
import { failOpenSync } from "../core/errors.ts";
import type { Environment } from "./environment.ts";

/** The path of the executable `name` on PATH, as a shell of the user would find it; null when there is none. */
export function findExecutable(environment: Environment, name: string): string | null {
  for (const folder of foldersOnPath(environment)) {
    for (const ending of endings(environment)) {
      const path = join(folder, name + ending);
      if (isExecutable(path)) return path;
    }
  }
  return null;
}

// npm and npx add their folders to PATH while a script runs, and relative folders depend on the directory: the user's next
// shell would not find those commands.
function foldersOnPath(environment: Environment): string[] {
  const folders = (variable(environment, "PATH") ?? "").split(delimiter);
  return folders.filter((folder) => isAbsolute(folder) && !isOfNpm(folder));
}

function isOfNpm(folder: string): boolean {
  return basename(folder) === ".bin" && basename(dirname(folder)) === "node_modules";
}

function endings(environment: Environment): string[] {
  if (process.platform !== "win32") return [""];
  return (variable(environment, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((end) => end !== "");
}

// Windows spells it Path.
function variable(environment: Environment, name: string): string | undefined {
  if (process.platform !== "win32") return environment[name];
  const spelled = Object.keys(environment).find((key) => key.toUpperCase() === name);
  return spelled === undefined ? undefined : environment[spelled];
}

/** True for a file that this user may run. */
export function isExecutable(path: string): boolean {
  const found = failOpenSync("look for a command", () => {
    if (unlessMissing(() => statSync(path))?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  });
  return found ?? false;
}
