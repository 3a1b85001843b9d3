// What happens to an event that could not be delivered: the start of a session starts the worker and asks again;
// everything else is cleaned and written to the spool, which the worker drains.
import { kebabCase } from "../domain/kebab-case.ts";
import { failOpen } from "../errors.ts";
import type { HookCall } from "./hook-call.ts";
import { markHung } from "./hung-mark.ts";
import { spoolEvent } from "./spool.ts";
import { spoolablePayload } from "./spoolable-payload.ts";

interface Undelivered extends HookCall {
  failed: string;
  payload: Buffer;
  dataDir: string;
}

/** What the hook prints in the end: nothing, unless the worker could be started. */
export async function fallBack(event: Undelivered): Promise<string> {
  process.umask(0o077);
  if (event.failed === "timeout") markHung(event.dataDir);
  const answer = startsWorker(event)
    ? await failOpen("start the worker", () => afterStart(event))
    : undefined;
  if (answer === undefined) await failOpen("spool an event", () => spoolEvent(event));
  return answer ?? "";
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
