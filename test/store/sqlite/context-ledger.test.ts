import { expect, test } from "vitest";
import { eachMemoryStore } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();

const main = { session: "s", reader: "" };
const sub = { session: "s", reader: "sub" };

test("each reader has its own items, each once, since it got it first", () => {
  const { contextLedger } = memory.store;
  contextLedger.add(main, ["start", "record:1"], 10);
  contextLedger.add(main, ["record:1", "record:2"], 20);
  contextLedger.add(sub, ["record:3"], 30);
  expect(contextLedger.items(main).sort()).toEqual(["record:1", "record:2", "start"]);
  expect(contextLedger.items(sub)).toEqual(["record:3"]);
  expect(contextLedger.since(main, "record:1")).toBe(10);
  expect(contextLedger.since(sub, "record:1")).toBeUndefined();
});

test("resetting one context leaves the others alone", () => {
  const { contextLedger } = memory.store;
  contextLedger.add(main, ["start"], 10);
  contextLedger.add(sub, ["record:3"], 10);
  contextLedger.clear(main);
  expect(contextLedger.items(main)).toEqual([]);
  expect(contextLedger.items(sub)).toEqual(["record:3"]);
});

test("a purge takes what is old, so many at a time", () => {
  const { contextLedger } = memory.store;
  contextLedger.add(main, ["record:1", "record:2", "record:3"], 10);
  contextLedger.add(main, ["record:4"], 20);
  expect(contextLedger.purge(20, 2)).toBe(2);
  expect(contextLedger.purge(20, 2)).toBe(1);
  expect(contextLedger.items(main)).toEqual(["record:4"]);
});
