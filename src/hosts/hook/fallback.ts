// What happens to an event that could not be delivered. A session start starts the worker and asks again; a worker that
// stays hung is replaced; everything else is cleaned and written to the spool, which the worker drains.

import { failOpen } from "../../core/errors.ts";
import { kebabCase } from "../../text/kebab-case.ts";
import { enter } from "./deliver.ts";
import type { HookCall } from "./hook-call.ts";
import { lookAtSilence, workerEnded } from "./hung-worker.ts";
import { spoolEvent } from "./spool.ts";
import { spoolablePayload } from "./spoolable-payload.ts";

interface Undelivered extends HookCall {
  failed: string;
  payload: Buffer;
  dataDir: string;
}

/** What the hook prints in the end: nothing, unless the worker could be started or was replaced. */
export async function fallBack(event: Undelivered): Promise<string> {
  process.umask(0o077);
  const entered = enter(event.dataDir);
  if ("place" in entered) return fallBackIn(entered.place, event);
  return entered.failed === "exposed" ? "" : orSpooled(event);
}

async function fallBackIn(place: string, event: Undelivered): Promise<string> {
  const { failed } = event;
  if (failed === "timeout") {
    const silence = lookAtSilence(place);
    if (silence.is === "long") return failOver(event, place, silence.sinceMs);
    if (silence.is === "ended") return orSpooled({ ...event, failed: "unreachable" });
  }
  // Somebody took the address of a worker that has ended.
  if (failed === "stranger" && workerEnded(place)) return orSpooled({ ...event, failed: "unreachable" });
  return orSpooled(event);
}

async function orSpooled(event: Undelivered): Promise<string> {
  const answer = startsWorker(event)
    ? await failOpen("start the worker", () => afterStart(event))
    : undefined;
  if (answer === undefined) await failOpen("spool an event", () => spoolEvent(event));
  return answer ?? "";
}

async function failOver(event: Undelivered, place: string, sinceMs: number): Promise<string> {
  const { replaceAndDeliver } = await import("./replace-worker.ts");
  const answer = await failOpen("replace the worker", () => replaceAndDeliver(event, place, sinceMs));
  if (answer?.delivered !== true) await failOpen("spool an event", () => spoolEvent(event));
  return answer?.printed ?? "";
}

/** Cleans a made-up event, so that the real one finds everything compiled: 10 ms of the 15 that it would take. */
export function rehearse(): void {
  spoolablePayload('{"tool_name":"Bash","tool_input":{"command":"<private>x</private> token=x"}}');
}

function startsWorker({ event, failed }: Undelivered): boolean {
  return kebabCase(event) === "session-start" && (failed === "absent" || failed === "unreachable");
}

// Loaded late: other events would pay for node:child_process.
async function afterStart(event: Undelivered): Promise<string | undefined> {
  const { deliverAfterStart } = await import("./start-worker.ts");
  return deliverAfterStart(event, event.payload, event.dataDir);
}
