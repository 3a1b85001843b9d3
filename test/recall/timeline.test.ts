// The timeline over a real store: who stands before and behind whom.
import { beforeEach, expect, it } from "vitest";
import type { Timeline, TimelineRequest } from "../../src/recall/timeline.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { buildRecall } from "../../src/worker/recall-answers.ts";
import { createMemorySearch } from "../helpers/memory-search.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const memory = eachMemoryStore();
let timeline: Timeline;
beforeEach(() => {
  const search = createMemorySearch(memory);
  const { db, store } = memory;
  ({ timeline } = buildRecall({
    db,
    settings: loadSettings({ dataDir: tempDir(), env: {} }),
    store,
    search,
    changedSince: async () => new Map(),
    elsewhere: () => [],
    projectOf: () => "app",
  }));
});

const named = { observation: "", session: "S", prompt: "P" };

async function around(request: Partial<TimelineRequest>): Promise<string[]> {
  const items = await timeline.around({ depth_before: 10, depth_after: 10, ...request });
  return items.map(({ type, id, anchor }) => `${named[type]}${id}${anchor ? "*" : ""}`);
}

function fill(): void {
  memory.addPrompt("why does the login loop", { at: someTime });
  memory.addObservation({ title: "Read login.ts", at: someTime + 1 });
  memory.addObservation({ title: "Fixed the redirect", at: someTime + 2 });
  memory.addPrompt("and the tests", { at: someTime + 3 });
  memory.addObservation({ title: "Ran the tests", at: someTime + 4 });
  memory.addSummary({ request: "login", completed: "fixed", at: someTime + 5 });
}

it("surrounds an observation, a summary, a prompt or a moment, oldest first", async () => {
  fill();
  expect(await around({ anchor: { kind: "observation", id: 2 } })).toEqual("P1 1 2* P2 3 S1".split(" "));
  expect(await around({ anchor: { kind: "session", id: 1 } })).toEqual("P1 1 2 P2 3 S1*".split(" "));
  expect(await around({ anchor: { kind: "prompt", id: 2 } })).toEqual("P1 1 2 P2* 3 S1".split(" "));
  const moment = { kind: "time", at: someTime + 3 } as const;
  expect(await around({ anchor: moment, depth_before: 1, depth_after: 1 })).toEqual(["2", "P2"]);
});

it("stays in the project of its record; a bare moment spans all projects", async () => {
  fill();
  memory.addObservation({ title: "Elsewhere", project: "other", at: someTime + 2 });
  memory.addPrompt("elsewhere", { project: "other", at: someTime + 3 });
  expect(await around({ anchor: { kind: "observation", id: 2 } })).toEqual("P1 1 2* P2 3 S1".split(" "));
  expect(await around({ query: "redirect" })).toEqual("P1 1 2* P2 3 S1".split(" "));
  const moment = { kind: "time", at: someTime + 3 } as const;
  expect(await around({ anchor: moment, depth_before: 1, depth_after: 2 })).toEqual(["4", "P2", "P3"]);
});

it("keeps to the depths, which count all kinds together", async () => {
  fill();
  const anchor = { kind: "observation", id: 2 } as const;
  expect(await around({ anchor, depth_before: 1, depth_after: 2 })).toEqual("1 2* P2 3".split(" "));
  expect(await around({ anchor, depth_before: 0, depth_after: 0 })).toEqual(["2*"]);
});

it("loses and repeats nothing where many records are of one moment", async () => {
  memory.addSummary({ request: "all at once" });
  memory.addPrompt("all at once");
  for (let n = 0; n < 3; n++) memory.addObservation({});
  const whole = "P1 1 2 3 S1".split(" ");
  for (const [index, name] of whole.entries()) {
    const kind = name.startsWith("P") ? "prompt" : name.startsWith("S") ? "session" : "observation";
    const anchor = { kind, id: Number(name.replace(/\D/g, "")) } as const;
    expect(await around({ anchor })).toEqual(whole.with(index, `${name}*`));
  }
});

it("keeps to the project, and does not know the records of another one", async () => {
  fill();
  memory.addObservation({ project: "other", at: someTime + 2 });
  expect(await around({ anchor: { kind: "observation", id: 2 } })).not.toContain("4");
  expect(await around({ anchor: { kind: "observation", id: 2 }, project: "app" })).not.toContain("4");
  expect(await around({ anchor: { kind: "time", at: someTime }, project: "other" })).toEqual(["4"]);
  await expect(around({ anchor: { kind: "observation", id: 4 }, project: "app" })).rejects.toMatchObject({
    code: "not_found",
    message: "No observation 4 in the project app.",
  });
});

it("says how anchors are named when there is no such one", async () => {
  for (const [kind, name] of [
    ["observation", "observation 7"],
    ["session", "summary S7"],
    ["prompt", "prompt P7"],
  ] as const) {
    await expect(around({ anchor: { kind, id: 7 } })).rejects.toMatchObject({
      message: `No ${name}.`,
      hint: expect.stringContaining("mem search"),
    });
  }
});

it("stands around the observation that fits a query best", async () => {
  fill();
  expect(await around({ query: "redirect", depth_before: 1, depth_after: 0 })).toEqual(["1", "2*"]);
  await expect(around({ query: "kubernetes" })).rejects.toMatchObject({
    code: "not_found",
    message: 'No observation fits "kubernetes".',
  });
});

it("hides private prompts and rejected records, and marks superseded ones", async () => {
  fill();
  memory.addPrompt("my secret", { at: someTime + 1, private: true });
  memory.db.prepare("update observations set status = 'rejected' where id = 1").run();
  memory.db.prepare("update observations set status = 'superseded', superseded_by = 3 where id = 2").run();
  expect(await around({ anchor: { kind: "prompt", id: 1 } })).toEqual("P1* 2 P2 3 S1".split(" "));
  expect(await around({ anchor: { kind: "observation", id: 1 } })).toEqual("P1 2 P2 3 S1".split(" "));
  await expect(around({ anchor: { kind: "prompt", id: 3 } })).rejects.toMatchObject({ code: "not_found" });
  const [, item] = await timeline.around({
    anchor: { kind: "prompt", id: 1 },
    depth_before: 0,
    depth_after: 1,
  });
  expect(item).toMatchObject({ id: 2, status: "superseded", superseded_by: 3 });
});

it("shows a long prompt shortened to one line", async () => {
  memory.addPrompt(`look\nat this ${"x".repeat(5000)}`);
  const [item] = await timeline.around({
    anchor: { kind: "prompt", id: 1 },
    depth_before: 0,
    depth_after: 0,
  });
  expect(item).toMatchObject({ prompt_text: expect.stringMatching(/^look at this x+…$/) });
  expect(JSON.stringify(item).length).toBeLessThan(1500);
});
