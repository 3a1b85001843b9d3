import { expect, it } from "vitest";
import { preferRecent } from "../../src/recall/retrievers.ts";

const day = 24 * 60 * 60 * 1000;
const hit = (id: number, score: number, daysOld: number) => ({
  id,
  score,
  created_at_epoch: 1_800_000_000_000 - daysOld * day,
});
const order = (hits: ReturnType<typeof hit>[]) => preferRecent(hits).map(({ id }) => id);

it("puts a recent record before an old one that is hardly better", () => {
  expect(order([hit(1, -10, 400), hit(2, -9.5, 0)])).toEqual([2, 1]);
});

it("keeps a clearly better record first, however old it is", () => {
  expect(order([hit(1, -10, 4000), hit(2, -7, 0)])).toEqual([1, 2]);
});

it("counts age from the newest hit, so that time does not change the order", () => {
  const hits = [hit(1, -10, 40), hit(2, -9.9, 1), hit(3, -5, 0)];
  const later = hits.map((one) => ({ ...one, created_at_epoch: one.created_at_epoch - 1000 * day }));
  expect(order(hits)).toEqual(order(later));
});

it("puts the later record first among equals and knows an empty list", () => {
  expect(order([hit(1, -3, 5), hit(2, -3, 5)])).toEqual([2, 1]);
  expect(order([])).toEqual([]);
});
