import { expect, test } from "vitest";
import type { Injected } from "../../../src/core/records/injection.ts";
import { eachMemoryStore } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();

const main = { session: "s", reader: "" };

const pageOf = (limit: number) => memory.store.injections.ofSession("s", { offset: 0, limit }).items;

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
  expect(pageOf(10)).toMatchObject([
    {
      ...{ reader: "", moment: "start", at_epoch: 10, tokens: 5, cause: null, text: "first" },
      records: [
        {
          id: kept.id,
          kind: "observation",
          title: "Kept",
          obs_type: "bugfix",
          is_rule: false,
          is_deleted: false,
        },
        {
          id: summary.id,
          kind: "summary",
          title: "Fix it",
          obs_type: null,
          is_rule: false,
          is_deleted: false,
        },
        { id: 99, kind: "observation", title: "", obs_type: null, is_rule: false, is_deleted: true },
      ],
    },
    { reader: "sub", moment: "file", cause: "a.ts", records: [] },
  ]);
  expect(store.injections.totalsOf("s")).toEqual({
    ...{ injections: 2, records: 3, tokens: 11, sub_agent_tokens: 6 },
    moments: [
      { moment: "start", tokens: 5 },
      { moment: "file", tokens: 6 },
    ],
  });
});

test("a long session is read page by page, oldest first", () => {
  const { injections } = memory.store;
  for (let at = 1; at <= 5; at += 1) injections.add(main, injected(`text ${at}`, at), at);
  const texts = (offset: number, limit: number) => {
    const { items, hasMore } = injections.ofSession("s", { offset, limit });
    return [items.map(({ text }) => text), hasMore];
  };
  expect(texts(0, 2)).toEqual([["text 1", "text 2"], true]);
  expect(texts(2, 2)).toEqual([["text 3", "text 4"], true]);
  expect(texts(4, 2)).toEqual([["text 5"], false]);
  expect(texts(9, 2)).toEqual([[], false]);
  expect(injections.totalsOf("s")).toMatchObject({ injections: 5, records: 5 });
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
  expect(pageOf(10).map(({ text }) => text)).toEqual([null, null, null, "at 30"]);
  expect(injections.purge(20, 2)).toBe(2);
  expect(injections.purge(20, 2)).toBe(1);
  expect(pageOf(10)).toHaveLength(1);
});
