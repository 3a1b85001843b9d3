// The work by the clock, and its end.
import { expect, test } from "vitest";
import { createMaintenance } from "../../src/worker/maintenance.ts";

test("stops a running drain of the spool and waits for its end", async () => {
  const seen: string[] = [];
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const maintenance = createMaintenance({
    clock: { now: () => 0, monotonicMs: () => 0 },
    completeIdle: async () => undefined,
    purges: [],
    refreshFolders: async () => undefined,
    erase: async () => undefined,
    async drainSpool(isStopping) {
      begin();
      while (!isStopping()) await new Promise((resolve) => setImmediate(resolve));
      seen.push("the drain ended");
    },
  });
  maintenance.start();
  await begun;
  await maintenance.stop();
  expect(seen).toEqual(["the drain ended"]);
});
