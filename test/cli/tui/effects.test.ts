// Effects of the interactive program: requests that a later one replaces.
import { expect, test } from "vitest";
import { createEffects } from "../../../src/cli/tui/effects.ts";
import type { ProgramEvent } from "../../../src/cli/tui/state.ts";
import type { WorkerClient } from "../../../src/client/worker-client.ts";
import { until } from "../../helpers/worker-process.ts";
import { now, row } from "./states.ts";

/** A worker that answers no preview; `asked` gets the id and the signal of each. */
function silentWorker() {
  const asked: { id: number; signal: AbortSignal }[] = [];
  const under = (signal: AbortSignal) => ({
    observationDetails: (id: number) =>
      new Promise((_resolve, reject) => {
        asked.push({ id, signal });
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  return { asked, worker: { under } as unknown as WorkerClient };
}

test("a preview that is replaced sends nothing", async () => {
  const { asked, worker } = silentWorker();
  const sent: ProgramEvent[] = [];
  const effects = createEffects({
    worker,
    clock: { now: () => now, monotonicMs: () => 0 },
    types: async () => [],
    dispatch: (event) => sent.push(event),
  });
  for (const id of [1, 2]) {
    effects.run({ do: "preview", row: row(id) });
    await until(() => asked.length === id || undefined, 5_000, "a request");
  }
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  effects.close();
  await new Promise(setImmediate);
  expect(sent).toEqual([]);
});
