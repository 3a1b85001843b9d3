// The label of the project a directory belongs to: the name of the repository's top folder, else of the directory.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const mostKnown = 1_000;

/** A cached reader; it looks for `.git` upwards and never starts a process. */
export function createProjectLabels(): (cwd: string) => string {
  const known = new Map<string, string>();
  return (cwd) => {
    const label = known.get(cwd) ?? findLabel(cwd);
    if (known.size >= mostKnown) known.clear();
    known.set(cwd, label);
    return label;
  };
}

function findLabel(cwd: string): string {
  for (let at = cwd; dirname(at) !== at; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return basename(at);
  }
  return basename(cwd) || "root";
}
