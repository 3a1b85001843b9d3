// Ends a process and everything it started: its process group, or on Windows its tree.
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { failOpenSync } from "../../../core/errors.ts";

const pollMs = 20;
// Longest wait after SIGKILL: a zombie may stay.
const afterKillMs = 1_000;

/** SIGTERM to the group of `leader`, SIGKILL after `graceMs`; resolves when the group is gone. */
export async function endProcessGroup(leader: number, graceMs: number): Promise<void> {
  if (process.platform === "win32") return endTree(leader);
  signalGroup(leader, "SIGTERM");
  if (await isGone(leader, graceMs)) return;
  signalGroup(leader, "SIGKILL");
  await isGone(leader, afterKillMs);
}

/** Kills the rest of the group of a leader that just exited: its number is not reused before the group is empty. */
export function killLeftovers(leader: number): void {
  if (process.platform !== "win32") signalGroup(leader, "SIGKILL");
}

async function isGone(leader: number, withinMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += pollMs) {
    if (!signalGroup(leader, 0)) return true;
    await sleep(pollMs);
  }
  return !signalGroup(leader, 0);
}

/** False when there is no such group, or only zombies (EPERM on macOS). */
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
