import { afterEach, beforeEach, expect, test } from "vitest";
import type { Injected } from "../../../src/core/records/injection.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";

let memory: MemoryStore;
beforeEach(() => {
  memory = createMemoryStore();
});
afterEach(() => memory.close());

const main = { session: "s", reader: "" };

function injected(text: string, ...ids: number[]): Injected {
  const records = ids.map((id) => ({ kind: "observation" as const, id }));
  return { moment: "start", cause: null, text, tokens: text.length, records };
}

test("a session's injections name their records as they are now, oldest first", () => {
  const { store } = memory;
  const kept = memory.addObservation({ title: "Kept", obs_type: "bugfix" });
  const summary = memory.addSummary({ request: "Fix it" });
  const gone = { kind: "observation" as const, id: 99 };
  const records = [
    { kind: "observation" as const, id: kept.id },
    { kind: "session" as const, id: summary.id },
    gone,
    gone,
  ];
  store.injections.add(main, { ...injected("first"), records }, 10);
  store.injections.add(
    { ...main, reader: "sub" },
    { ...injected("second"), moment: "file", cause: "a.ts" },
    20,
  );
  store.injections.add({ ...main, session: "other" }, injected("third"), 30);
  expect(store.injections.ofSession("s", 10)).toMatchObject([
    {
      ...{ reader: "", moment: "start", at_epoch: 10, tokens: 5, cause: null, text: "first" },
      records: [
        { id: kept.id, kind: "observation", title: "Kept", obs_type: "bugfix", is_deleted: false },
        { id: summary.id, kind: "summary", title: "Fix it", obs_type: null, is_deleted: false },
        { id: 99, kind: "observation", title: "", obs_type: null, is_deleted: true },
      ],
    },
    { reader: "sub", moment: "file", cause: "a.ts", records: [] },
  ]);
  expect(store.injections.ofSession("s", 1)).toMatchObject([{ text: "second" }]);
  expect(store.injections.tokensOf("s")).toBe(11);
});

test("counts how often and in how many sessions a record was injected", () => {
  const { injections } = memory.store;
  injections.add(main, injected("a", 1, 12), 10);
  injections.add(main, injected("b", 12), 20);
  injections.add({ ...main, session: "other" }, injected("c", 2, 12), 30);
  expect(injections.timesOf({ kind: "observation", id: 12 })).toEqual({
    times: 3,
    sessions: 2,
    last_at_epoch: 30,
  });
  expect(injections.timesOf({ kind: "session", id: 12 })).toEqual({
    times: 0,
    sessions: 0,
    last_at_epoch: null,
  });
});

test("texts are deleted before their rows, a few at a time", () => {
  const { injections } = memory.store;
  for (const at of [10, 11, 12, 30]) injections.add(main, injected(`at ${at}`, 1), at);
  expect(injections.purgeTexts(20, 2)).toBe(2);
  expect(injections.purgeTexts(20, 2)).toBe(1);
  expect(injections.purgeTexts(20, 2)).toBe(0);
  expect(injections.ofSession("s", 10).map(({ text }) => text)).toEqual([null, null, null, "at 30"]);
  expect(injections.purge(20, 2)).toBe(2);
  expect(injections.purge(20, 2)).toBe(1);
  expect(injections.ofSession("s", 10)).toHaveLength(1);
});
