// When a process started, in a form that no other process with the same number ever has.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { failOpenSync } from "../../../core/errors.ts";

/** The start of process `pid`; null when there is none, or no way to ask (Windows). */
export function processStart(pid: number): string | null {
  const started = failOpenSync("look when a process started", () => {
    if (process.platform === "win32") return null;
    return process.platform === "linux" ? fromProc(pid) : fromPs(pid);
  });
  return started ?? null;
}

// Ticks since this boot, and which boot that is. The name in the second field may hold anything, brackets too.
function fromProc(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields[startField];
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return ticks === undefined ? null : `${boot} ${ticks}`;
}

// Field 22 of proc(5), counted from the third.
const startField = 19;

function fromPs(pid: number): string | null {
  const ps = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" },
    timeout: 2_000,
  });
  const started = ps.status === 0 ? ps.stdout.trim() : "";
  return started === "" ? null : started;
}
