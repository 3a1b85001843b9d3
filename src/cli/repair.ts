// Waits while the worker makes full text, files and vectors anew from the records.
import { setTimeout as delay } from "node:timers/promises";
import type { CliContext } from "./context.ts";
import { counted } from "./words.ts";

/** Begins it in the worker and resolves when nothing waits any more. Throws `worker_unreachable` when none runs. */
export async function repairRecords({ io, worker }: CliContext): Promise<void> {
  const client = worker();
  let { waiting } = await client.repair();
  const all = waiting;
  let told = 0;
  io.err(`${counted(all, "record")} to make anew; it goes on if you leave.`);
  while (waiting > 0) {
    await delay(pollMs);
    ({ waiting } = await client.repairState());
    const done = Math.floor((10 * (all - waiting)) / Math.max(1, all));
    if (done > told && waiting > 0) io.err(`${done * 10} %`);
    told = Math.max(told, done);
  }
  io.err("Done.");
}

const pollMs = 200;
