// Ends a process and everything it started: its process group, or on Windows its tree.
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { failOpenSync } from "../../../core/errors.ts";

const lookEveryMs = 20;
// What SIGKILL leaves (a zombie that nobody reaps) is not waited for any longer.
const afterKillMs = 1_000;

/** SIGTERM to the group of `leader`, SIGKILL after `graceMs`; resolves when nothing of it runs. */
export async function endProcessGroup(leader: number, graceMs: number): Promise<void> {
  if (process.platform === "win32") return endTree(leader);
  signalGroup(leader, "SIGTERM");
  if (await isGone(leader, graceMs)) return;
  signalGroup(leader, "SIGKILL");
  await isGone(leader, afterKillMs);
}

/** Kills what a leader that has just exited left in its group: its number is not given away before the group is empty. */
export function killLeftovers(leader: number): void {
  if (process.platform !== "win32") signalGroup(leader, "SIGKILL");
}

async function isGone(leader: number, withinMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += lookEveryMs) {
    if (!signalGroup(leader, 0)) return true;
    await sleep(lookEveryMs);
  }
  return !signalGroup(leader, 0);
}

/** False when there is no such group, or (EPERM, on macOS for one of zombies only) none of ours. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch {
    return false;
  }
}

// Not tried on a Windows machine yet.
function endTree(pid: number): void {
  failOpenSync("end the host CLI", () => {
    spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], { windowsHide: true, timeout: 5_000 });
  });
}
