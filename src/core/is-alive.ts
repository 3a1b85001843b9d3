// Whether a process runs.
import { readFileSync } from "node:fs";
import { codeOf } from "./error-code.ts";
import { failOpenSync } from "./errors.ts";

/** True while a process with this id runs, also one of another user; false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (cause) {
    return codeOf(cause) === "EPERM";
  }
}

// In a container, process 1 may take seconds to reap an orphan.
function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  const stat = failOpenSync("read a process's state", () => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat?.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) === "Z";
}
