import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { scryptCost } from "../../src/sync/account-key.ts";
import { createRing, type KeyRing } from "../../src/sync/key-ring.ts";
import { testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import { history, runHistory } from "./histories.ts";
import { createMemoryHub } from "./memory-hub.ts";

const histories = volume(100, 40);
const seed = testSeed();
let sealed: KeyRing;

beforeAll(async () => {
  sealed = await createRing("a passphrase for tests", scryptCost.least);
});

describe("three devices, any order, any fault", () => {
  test.each([
    ["plain", 0.75],
    ["sealed", 0.25],
  ] as const)(
    "end with the same records in a %s account, and none is lost",
    async (mode, share) => {
      const property = fc.asyncProperty(history, async (steps) => {
        const { digests, lost, failed, lastErrors } = await runHistory(steps, {
          hub: createMemoryHub(),
          ring: mode === "plain" ? { mode } : sealed,
        });
        expect(lost).toEqual([]);
        expect(digests[1]).toEqual(digests[0]);
        expect(digests[2]).toEqual(digests[0]);
        expect(failed).toBe(0);
        expect(lastErrors).toEqual([null, null, null]);
      });
      await fc.assert(property, { numRuns: Math.ceil(histories * share), seed });
    },
    histories * 1_000 + 30_000,
  );
});
