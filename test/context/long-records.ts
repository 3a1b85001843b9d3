// Records of an hour each that are long enough to fill a context.
import { type MemoryStore, someTime } from "../helpers/memory-store.ts";

const hour = 60 * 60 * 1000;

/** Adds `count` of them, oldest first, each with its number behind the title. */
export function addLongRecords(
  memory: MemoryStore,
  count: number,
  title = "Edited src/queue.ts: the lease is renewed while the batch runs",
): void {
  for (let n = 0; n < count; n++) {
    memory.addObservation({
      title: `${title} (${n})`,
      narrative: "The lease ran out under long batches. ".repeat(12),
      facts: ["exit code 0"],
      work: 1000,
      at: someTime + n * hour,
    });
  }
}
