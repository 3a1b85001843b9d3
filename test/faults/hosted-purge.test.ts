import { expect, test } from "vitest";
import { createEventWriter } from "../../src/store/postgres/event-writer.ts";
import { openTestDatabase } from "../helpers/postgres.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import { runHistory } from "./purge-history.ts";

const count = volume(150, 24);
const stepsOfOne = 20;
const seed = testSeed();
const database = await openTestDatabase();
const writer = createEventWriter(database);

test("concurrent work leaves nothing older than a purge", async () => {
  const faults: string[] = [];
  let [steps, made, purged] = [0, 0, 0];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const number = next;
      next += 1;
      const random = createRandom(seed + number);
      const history = await runHistory({ database, writer, random }, stepsOfOne);
      faults.push(...history.faults.map((fault) => `history ${number}: ${fault}`));
      steps += history.steps.length;
      made += history.made;
      purged += history.purged;
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  await writer.close();
  console.info(
    `purge: ${count} interleavings, ${steps} steps, ${made} records made, ${purged} events purged, seed ${seed}`,
  );
  expect(faults.slice(0, 10).join("\n"), `MEM_TEST_SEED=${seed}`).toBe("");
  expect(steps).toBe(count * stepsOfOne);
  expect(Math.min(made, purged)).toBeGreaterThan(count / 5);
}, 1_800_000);
