// Compares full text, files and vectors with the records they are derived from.
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import type { RepairState } from "../../client/worker-client.ts";
import { type DataPaths, packageFile } from "../../core/paths.ts";
import { isJsonObject } from "../../text/json.ts";
import { ageInWords, counted } from "../words.ts";
import { type Check, ok, warn } from "./check.ts";

const name = "Index";

/** The last comparison that the worker did by itself. */
interface Comparison {
  last: RepairState | undefined;
  nowEpochMs: number;
}

/** Compares in a child process, which reads beside the worker; null without a database. */
export async function checkRecords(
  paths: DataPaths,
  { last, nowEpochMs }: Comparison,
): Promise<Check | null> {
  if (!existsSync(paths.database)) return null;
  const found = await disagreements(paths.database);
  if (found === null) return warn(name, "It could not be compared with the records.", "mem worker restart");
  const wrong = Object.entries(found);
  if (wrong.length === 0)
    return ok(name, `full text, files and vectors agree with the records${repairedBefore(last, nowEpochMs)}`);
  const parts = wrong.map(([what, count]) => `${what} (${counted(count, "record")})`);
  return warn(name, `Differs from the records: ${parts.join(", ")}.`, "mem doctor --repair");
}

function repairedBefore(last: RepairState | undefined, nowEpochMs: number): string {
  if (last === undefined || last.compared_at_epoch === null || last.repaired === 0) return "";
  return `; the worker repaired ${counted(last.repaired, "record")} ${ageInWords(last.compared_at_epoch, nowEpochMs)}`;
}

function disagreements(database: string): Promise<Record<string, number> | null> {
  return new Promise((resolve) => {
    const child = fork(packageFile("dist", "check-process.cjs"), [database, "records"], {
      env: {},
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      timeout: deadlineMs,
    });
    child.once("message", (message) => resolve(asCounts(message)));
    child.once("error", () => resolve(null));
    child.once("exit", () => resolve(null));
  });
}

const deadlineMs = 60_000;

function asCounts(message: unknown): Record<string, number> | null {
  if (!isJsonObject(message)) return null;
  return Object.fromEntries(Object.entries(message).map(([what, count]) => [what, Number(count)]));
}
