// Records of running host CLIs: what a killed worker leaves running is found by them and ended at the next start.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failOpenSync } from "../../../core/errors.ts";
import { newId } from "../../../core/ids.ts";
import { isJsonObject } from "../../../text/json.ts";
import { ModelFailure } from "../../model-failure.ts";
import { endProcessGroup } from "./process-group.ts";
import { processStart } from "./process-start.ts";

interface CallRecord {
  pid: number;
  /** When that process started: a number that was given to another process since has another start. */
  started: string;
}

/** Writes down in `folder` that `pid` is ours; what it gives back takes the record away. */
export function recordCall(folder: string, pid: number): () => void {
  const started = processStart(pid);
  if (started === null) return () => undefined;
  const file = join(folder, `${newId()}.json`);
  const record: CallRecord = { pid, started };
  try {
    writeFileSync(file, JSON.stringify(record), { flag: "wx", mode: 0o600 });
  } catch (cause) {
    rmSync(file, { force: true });
    // Not a failure of the messages: they wait until the disk has room again.
    throw new ModelFailure("unavailable", "The run of the host CLI cannot be recorded, so it was ended.", {
      cause,
    });
  }
  return () => void failOpenSync("remove the record of a call", () => rmSync(file, { force: true }));
}

/**
 * Ends the host CLIs that a killed worker left running, with all they started, and removes their records. To be called
 * by the one owner of the data directory before its first call; resolves to how many were ended.
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

// A CLI that ended by itself is left alone even if something of its group still runs: nothing says whose that is.
async function reap(file: string, graceMs: number): Promise<boolean> {
  const record = failOpenSync("read the record of a call", () => parseRecord(readFileSync(file, "utf8")));
  const isOurs = record !== undefined && record !== null && processStart(record.pid) === record.started;
  if (isOurs) await endProcessGroup(record.pid, graceMs);
  failOpenSync("remove the record of a call", () => rmSync(file, { force: true }));
  return isOurs;
}

// 0 and 1 as a group would mean our own group and every process there is.
function parseRecord(text: string): CallRecord | null {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return null;
  const { pid, started } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 1) return null;
  return typeof started === "string" && started !== "" ? { pid, started } : null;
}
