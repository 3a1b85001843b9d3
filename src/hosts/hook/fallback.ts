// Handles an event that could not be delivered: a session start starts the worker and tries again, a worker that stays hung
// is replaced, and every other event is cleaned and spooled until the worker drains it.

import { processStart } from "../../core/clock.ts";
import { codeOf } from "../../core/error-code.ts";
import { failOpen } from "../../core/errors.ts";
import { refusedNode } from "../../core/node-api.ts";
import { kebabCase } from "../../text/kebab-case.ts";
import { announcedProcess } from "./announced-worker.ts";
import { replaceAfterMs } from "./deadlines.ts";
import { enter } from "./deliver.ts";
import type { HookCall } from "./hook-call.ts";
import { markHung } from "./hung-mark.ts";
import { spoolEvent } from "./spool.ts";
import { spoolablePayload } from "./spoolable-payload.ts";

interface Undelivered extends HookCall {
  failed: string;
  payload: Buffer;
  dataDir: string;
}

/** Resolves with the output of the hook: empty unless the worker was started or replaced, or nothing can be stored. */
export async function fallBack(event: Undelivered): Promise<string> {
  process.umask(0o077);
  const { dataDir } = event;
  const entered = enter(dataDir);
  if ("place" in entered) return fallBackIn(entered.place, event);
  const printed = entered.failed === "exposed" ? "" : await orSpooled(event);
  if (printed !== "" || !startsSession(event) || "place" in enter(dataDir)) return printed;
  const why = entered.failed === "exposed" ? "cannot be used" : "cannot be made";
  return shown(`mem records nothing: ${dataDir} ${why}. Run \`mem doctor\`.`);
}

function shown(systemMessage: string): string {
  return JSON.stringify({ systemMessage });
}

async function fallBackIn(place: string, event: Undelivered): Promise<string> {
  const { failed } = event;
  if (failed === "timeout") {
    const silence = lookAtSilence(place);
    if (silence.is === "long" && refusedNode() === null) return failOver(event, place, silence.sinceMs);
    if (silence.is === "ended") return orSpooled({ ...event, failed: "unreachable" });
  }
  // Another process took the address of a worker that has ended.
  if (failed === "stranger" && workerEnded(place)) return orSpooled({ ...event, failed: "unreachable" });
  return orSpooled(event);
}

// A worker is never started with a Node that cannot load SQLite; the user is shown why once a session.
async function orSpooled(event: Undelivered): Promise<string> {
  const refusal = startsSession(event) ? refusedNode() : null;
  const answer =
    refusal === null && startsWorker(event)
      ? await failOpen("start the worker", () => afterStart(event))
      : undefined;
  if (answer === undefined) await failOpen("spool an event", () => spoolEvent(event));
  if (refusal === null) return answer ?? "";
  return shown(`${refusal.message} ${refusal.hint}`);
}

async function failOver(event: Undelivered, place: string, sinceMs: number): Promise<string> {
  const { replaceAndDeliver } = await import("./replace-worker.ts");
  const answer = await failOpen("replace the worker", () => replaceAndDeliver(event, place, sinceMs));
  if (answer?.delivered !== true) await failOpen("spool an event", () => spoolEvent(event));
  return answer?.printed ?? "";
}

/** Cleans a sample event, so that V8 has compiled the code for the real one: saves 10 of 15 ms. */
export function rehearse(): void {
  spoolablePayload('{"tool_name":"Bash","tool_input":{"command":"<private>x</private> token=x"}}');
}

function startsWorker(event: Undelivered): boolean {
  return startsSession(event) && (event.failed === "absent" || event.failed === "unreachable");
}

function startsSession({ event }: Undelivered): boolean {
  return kebabCase(event) === "session-start";
}

// Imported late: other events need no node:child_process.
async function afterStart(event: Undelivered): Promise<string | undefined> {
  const { deliverAfterStart } = await import("./start-worker.ts");
  return deliverAfterStart(event, event.payload, event.dataDir);
}

/** `ended`: the process is gone, and another one was asked. `long`: time to replace the worker. */
type Silence = { is: "ended" } | { is: "short" } | { is: "long"; sinceMs: number };

/** Records a timeout, and tells what to do about the worker. */
function lookAtSilence(place: string): Silence {
  const { sinceMs } = markHung(place);
  const worker = announcedProcess(place);
  if (worker !== null && !runs(worker)) return { is: "ended" };
  return sinceMs >= replaceAfterMs ? { is: "long", sinceMs } : { is: "short" };
}

/** False while the process that wrote worker.json may run. */
function workerEnded(place: string): boolean {
  const worker = announcedProcess(place);
  return worker === null || !runs(worker);
}

function runs({ pid, start }: { pid: number; start: string | null }): boolean {
  if (start !== null) return processStart(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return codeOf(cause) !== "ESRCH";
  }
}
