// Whether a command changes something that another command may need.
import type { Part } from "./command-runs.ts";
import { looks, preparingPrograms } from "./command-words.ts";

/** False for a command that only looks, probes a server or keeps the history of the code. */
export function acts({ families, program, writes }: Part): boolean {
  if (writes.some(isSettings) || preparingPrograms.has(program)) return true;
  const verbs = families[0]?.split(" ").slice(1);
  if (verbs === undefined || idle.has(program)) return false;
  return !looks.has(verbs.at(-1) ?? "") && !(program === "git" && bookkeeping.has(verbs[0] ?? ""));
}

/** True for a command that sets up the shell for the ones behind it: `module load gcc`, `. venv/bin/activate`. */
export function setsUpShell({ families, program }: Part): boolean {
  if (shellSetup.has(program)) return true;
  return families.some((family) => setupVerbs.has(family.split(" ").at(-1) ?? ""));
}

/** True for a file that configures tools, not for code. */
export function isSettings(path: string): boolean {
  return settingsFile.test(path);
}

const idle = new Set(["curl", "wget", "http"]);
const bookkeeping = new Set(["add", "commit", "stash", "switch", "checkout", "restore", "reset"]);
const shellSetup = new Set(["source", ".", "ulimit", "umask", "eval"]);
const setupVerbs = new Set(["load", "use", "activate", "shell", "login", "unlock"]);
const settingsFile =
  /\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties|xml|gradle|kts|lock|hcl|tfvars|nix|rc)$|(?:^|[\\/])(?:\.[\w.-]+|Dockerfile[\w.-]*|Makefile|justfile|Gemfile|Procfile)$/i;
