// Replaces a hung worker. Its process is killed first, which frees its lock: a database never has two owners.
import { setTimeout as delay } from "node:timers/promises";
import { processStart, systemClock } from "../../core/clock.ts";
import { failOpen, failOpenSync } from "../../core/errors.ts";
import { isJsonObject } from "../../text/json.ts";
import { kebabCase } from "../../text/kebab-case.ts";
import { announcedProcess } from "./announced-worker.ts";
import { openConnection } from "./connection.ts";
import { hungStartMs } from "./deadlines.ts";
import { deliver } from "./deliver.ts";
import type { HookCall } from "./hook-call.ts";
import { clearHungMark, readHungMark } from "./hung-mark.ts";
import { deliverAfterStart, startWorker } from "./start-worker.ts";

interface Pending extends HookCall {
  payload: Buffer;
  dataDir: string;
}

interface Replaced {
  /** False if the event must still be spooled. */
  delivered: boolean;
  /** The output of the hook. */
  printed: string;
}

/**
 * Kills the worker that has not replied for `sinceMs`, and starts another. Only a session start waits for the reply. A
 * worker that answers a last health check keeps running, and so does a process that may not be the worker.
 */
export async function replaceAndDeliver(event: Pending, place: string, sinceMs: number): Promise<Replaced> {
  const starts = kebabCase(event.event) === "session-start";
  switch (await end(place)) {
    case "answers": {
      clearHungMark(place);
      const again = starts ? await deliver(event, event.payload, event.dataDir) : undefined;
      if (again === undefined || !("answer" in again)) return { delivered: false, printed: "" };
      return { delivered: true, printed: again.answer };
    }
    case "unknown":
      return { delivered: false, printed: starts ? withNotice("", leftAlone) : "" };
    case "ended": {
      clearHungMark(place);
      if (!starts) startWorker(event.dataDir);
      const answer = starts ? await deliverAfterStart(event, event.payload, event.dataDir) : undefined;
      return { delivered: answer !== undefined, printed: withNotice(answer ?? "", replaced(sinceMs)) };
    }
  }
}

const endsWithinMs = 1_000;
const lookEveryMs = 10;

// The order matters: a worker that has already replaced it made its own socket, and the mark does not name that one.
async function end(place: string): Promise<"ended" | "answers" | "unknown"> {
  const worker = announcedProcess(place);
  if (readHungMark(place) === null || worker === null || worker.start === null) return "unknown";
  if (await answers(place)) return "answers";
  // Pids are reused: kill only the process that wrote worker.json.
  if (processStart(worker.pid) === worker.start) {
    failOpenSync("end the worker", () => process.kill(worker.pid, "SIGKILL"));
  }
  const deadline = systemClock.monotonicMs() + endsWithinMs;
  while (processStart(worker.pid) === worker.start) {
    if (systemClock.monotonicMs() > deadline) return "unknown";
    await delay(lookEveryMs);
  }
  return "ended";
}

async function answers(place: string): Promise<boolean> {
  // A pipe would need a proof first, so the worker keeps running on Windows.
  if (process.platform === "win32") return true;
  const health = await failOpen("ask the worker once more", async () => {
    const connection = await openConnection({ path: `${place}/worker.sock` }, hungStartMs);
    return connection.request("GET /api/health", ["Connection: close"]);
  });
  return health !== undefined;
}

const leftAlone =
  "mem: the worker does not answer, so nothing is remembered for now. Run `mem worker restart`, or see `mem doctor`.";

function replaced(sinceMs: number): string {
  const seconds = Math.round(sinceMs / 1_000);
  return `mem: the worker did not answer for ${seconds} s and was replaced. Nothing that was acknowledged is lost.`;
}

// The host shows `systemMessage` to its user. A message of the worker takes precedence.
function withNotice(answer: string, notice: string): string {
  const envelope = failOpenSync("read an answer", (): unknown => JSON.parse(answer || "{}"));
  if (!isJsonObject(envelope)) return answer;
  return JSON.stringify({ systemMessage: notice, ...envelope });
}
