// One temporary directory per run of the tests. What still runs below it ends with the run, also when that is interrupted;
// what a killed run left behind ends with the next one.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../src/core/is-alive.ts";

// Short: tests look at screens of 80 columns that show paths.
const prefix = "mt";

export default function openRunDirectory(): () => void {
  const parent = realpathSync(tmpdir());
  endAbandonedRuns(parent);
  const directory = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // PostgreSQL runs as another user under root and has to pass.
  chmodSync(directory, 0o755);
  process.env.TMPDIR = directory;
  setHome(join(directory, "home"));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      endRun(directory, () => false);
      process.kill(process.pid, signal);
    });
  }
  // The test runner ends its own processes.
  return () => endRun(directory, isOwnChild);
}

// No test reads the home of the person who runs it, and none differs on a CI machine: ink, which asks when it is loaded,
// draws only its last picture there.
function setHome(home: string): void {
  mkdirSync(home);
  process.env.HOME = home;
  process.env.USERPROFILE = home;
  for (const name of Object.keys(process.env)) {
    if (/^(CI|CONTINUOUS_INTEGRATION)$|^CI_/.test(name)) delete process.env[name];
  }
}

function endAbandonedRuns(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) endRun(join(parent, name), () => false);
  }
}

// In rounds: a process may have started another one meanwhile.
function endRun(directory: string, isSpared: (pid: number) => boolean): void {
  for (let round = 0; round < 40; round += 1) {
    const left = processesBelow(directory).filter((pid) => !isSpared(pid));
    if (left.length === 0) break;
    for (const pid of left) kill(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ended meanwhile.
  }
}

// By their environment: a home or a temporary directory below it. Without /proc they end because their files are gone.
function processesBelow(directory: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && readOrEmpty(`/proc/${pid}/environ`).includes(directory));
}

function isOwnChild(pid: number): boolean {
  return readOrEmpty(`/proc/${pid}/status`).includes(`\nPPid:\t${process.pid}\n`);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
