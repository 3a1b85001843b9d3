// Records of running host CLIs: the next start ends what a killed worker left running.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failOpenSync } from "../../../core/errors.ts";
import { newId } from "../../../core/ids.ts";
import { isJsonObject } from "../../../text/json.ts";
import { ModelFailure } from "../../model-failure.ts";
import { endProcessGroup } from "./process-group.ts";

interface CallRecord {
  pid: number;
  /** A later process with the same pid has another start. */
  started: string;
}

/** Records `pid` in `folder`; the result removes the record. */
export function recordCall(folder: string, pid: number): () => void {
  const started = processStart(pid);
  if (started === null) return () => undefined;
  const file = join(folder, `${newId()}.json`);
  const record: CallRecord = { pid, started };
  try {
    writeFileSync(file, JSON.stringify(record), { flag: "wx", mode: 0o600 });
  } catch (cause) {
    rmSync(file, { force: true });
    // No failure of the messages: they wait until the disk has room.
    throw new ModelFailure("unavailable", "The run of the host CLI cannot be recorded, so it was ended.", {
      cause,
    });
  }
  return () => void failOpenSync("remove the record of a call", () => rmSync(file, { force: true }));
}

/**
 * Ends the host CLIs that a killed worker left running, with all they started, and removes their records. Only the owner
 * of the data directory may call it, before its first call. Resolves with the number of ended ones.
 */
export async function reapOrphans(folder: string, graceMs = 2_000): Promise<number> {
  if (!existsSync(folder)) return 0;
  const files = failOpenSync("list the records of calls", () => listRecords(folder)) ?? [];
  const ended = await Promise.all(files.map((file) => reap(join(folder, file), graceMs)));
  return ended.filter(Boolean).length;
}

function listRecords(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".json"));
}

// The group of a CLI that ended by itself is left alone: its number may belong to another group now.
async function reap(file: string, graceMs: number): Promise<boolean> {
  const record = failOpenSync("read the record of a call", () => parseRecord(readFileSync(file, "utf8")));
  const isOurs = record !== undefined && record !== null && processStart(record.pid) === record.started;
  if (isOurs) await endProcessGroup(record.pid, graceMs);
  failOpenSync("remove the record of a call", () => rmSync(file, { force: true }));
  return isOurs;
}

// 0 and 1 would signal our own group and every process.
function parseRecord(text: string): CallRecord | null {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return null;
  const { pid, started } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 1) return null;
  return typeof started === "string" && started !== "" ? { pid, started } : null;
}

/** When process `pid` started, unique per machine; null when there is none, or on Windows. */
export function processStart(pid: number): string | null {
  const started = failOpenSync("look when a process started", () => {
    if (process.platform === "win32") return null;
    return process.platform === "linux" ? fromProc(pid) : fromPs(pid);
  });
  return started ?? null;
}

// Boot id and ticks since the boot. The name in the second field may contain anything, also brackets.
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
