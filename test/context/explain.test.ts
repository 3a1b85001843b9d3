import { beforeEach, describe, expect, test } from "vitest";
import { createExplain, type ExplainRequest, type Explanation } from "../../src/context/explain.ts";
import { writtenIn } from "../../src/context/written.ts";
import type { StatementMarks } from "../../src/core/records/statement.ts";
import { createMemoryContext, type MemoryContext } from "../helpers/memory-context.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let context: MemoryContext;
let memoryFile = "";
beforeEach(() => {
  memoryFile = "";
  context = createMemoryContext(memory);
});

function say(text: string, part: Partial<StatementMarks> = {}, more: object = {}) {
  const statement = { said_by: "agent", standing: false, reach: "project", salience: 2, ...part } as const;
  return memory.addObservation({ title: text, summary: text, statement, ...more });
}

const rule = { said_by: "user", standing: true, salience: 4 } as const;

type Asked = Pick<ExplainRequest, "prompt" | "file" | "command">;

function explain(asked: Asked = {}, project = "app"): Promise<Explanation> {
  const ask = createExplain({
    context,
    byId: memory.store.observations.byId,
    projects: memory.store.projects.labels,
    isExcluded: (place) => place.project === "off",
    placeOf: (place) => ({ project: place.project ?? "app", cwd: "/w/app" }),
    writtenAt: async () => writtenIn(memoryFile),
    agent: "Claude Code",
  });
  return ask({ ...asked, project });
}

async function momentOf(moment: string, asked: Asked) {
  const { moments } = await explain(asked);
  const found = moments.find((each) => each.moment === moment);
  if (found === undefined) throw new Error(`no moment ${moment}`);
  return found;
}

test("leaves out what the agent's own memory file says", async () => {
  say("Never npm.", rule);
  say("Always pnpm.", rule);
  memoryFile = "# Rules\n\n- **Never   npm**";
  const { text } = await momentOf("start", {});
  expect(text).toContain("Always pnpm.");
  expect(text).not.toContain("Never npm.");
  expect((await explain()).left_out).toEqual({ agent: "Claude Code", records: [1] });
  memoryFile = "";
  expect((await explain()).left_out).toBeNull();
});

test("a project that is off gets nothing, and each moment says so", async () => {
  say("Never npm.", { ...rule, reach: "everywhere" });
  const { moments, unknown } = await explain({ prompt: "npm" }, "off");
  expect(unknown).toBeNull();
  expect(moments.map(({ moment, text }) => [moment, text])).toEqual([
    ["start", ""],
    ["prompt", ""],
  ]);
  expect(moments[0]?.nothing).toContain("mem project on");
});

test("the start is the host's text, with the section of each record", async () => {
  say("Never npm.", rule);
  say("The lock is per tenant.");
  say("An index was missing.", {}, { subtitle: "Asked: speed it up" });
  const { project, unknown, moments } = await explain();
  expect({ project, unknown }).toEqual({ project: "app", unknown: null });
  expect(moments).toHaveLength(1);
  expect(moments[0]).toMatchObject({ text: await context.sessionText("app"), nothing: null });
  expect(moments[0]?.records.map(({ kind, id, reason }) => [kind, id, reason])).toEqual([
    ["observation", 1, { by: "section", section: "Rules from the user" }],
    ["observation", 3, { by: "section", section: "Last sessions" }],
    ["observation", 2, { by: "section", section: "Found and decided" }],
  ]);
  expect(moments[0]?.records[0]?.observation).toEqual({
    ...{ obs_type: "change", said_by: "user", standing: 1, reach: "project", salience: 4 },
  });
});

describe("the first prompt", () => {
  test("names the score of each record and the words that it shares", async () => {
    const few = createMemoryContext(memory, { tokenBudget: 1 });
    context = { ...context, forSession: few.forSession };
    const { id } = say("The checkout timeout comes from the redis lock.");
    const moment = await momentOf("prompt", { prompt: "Why is the checkout so slow, is it the locks?" });
    expect(moment.records).toMatchObject([{ id, reason: { by: "score", shared: ["checkout", "locks"] } }]);
    const known = new Set<number>();
    const words = "Why is the checkout so slow, is it the locks?";
    const { text } = await context.forPrompt({ project: "app", words, known, withTimeline: false });
    expect(moment.text).toBe(text);
  });

  test("says which records the start has already", async () => {
    const { id } = say("The checkout timeout comes from the redis lock.");
    const { text, nothing } = await momentOf("prompt", { prompt: "fix the checkout timeout" });
    expect(text).toBe("");
    expect(nothing).toBe(`No other record fits this prompt: the start has #${id} already.`);
  });

  test.each([
    ["write a haiku about autumn, thanks", "No record fits this prompt: it reads as general talk."],
    ["the parser drops commas", "No record fits this prompt: none shares enough of its words."],
    ["<private>the lock</private>", "The whole prompt is private: no record is looked up for it."],
  ])("%j: %s", async (prompt, nothing) => {
    say("Prose.", { salience: -4 });
    expect(await momentOf("prompt", { prompt })).toMatchObject({ text: "", records: [], nothing });
  });

  test("says that the records were searched where the project has no statement", async () => {
    const found = memory.addObservation({ title: "Edited the lock" });
    const nothingFor = async (prompt: string) => (await momentOf("prompt", { prompt })).nothing;
    expect(await nothingFor("fix the lock")).toContain("a search for its words finds none.");
    expect(await nothingFor("tell me a joke")).toContain("it reads as general talk.");
    context = createMemoryContext(memory, {}, { relevant: async () => [found] });
    context = { ...context, forSession: async () => ({ text: "", records: [] }) };
    const { records } = await momentOf("prompt", { prompt: "fix the lock" });
    expect(records).toMatchObject([{ id: found.id, reason: { by: "search" } }]);
  });
});

describe("a file", () => {
  test("has the rule that names it and its records", async () => {
    const { id } = say("Never edit gen/ by hand.", rule);
    const other = memory.addObservation({ title: "Generated it", files_modified: ["/w/app/gen/api.ts"] });
    context = { ...context, forSession: async () => ({ text: "", records: [] }) };
    const moment = await momentOf("file", { file: "gen/api.ts" });
    expect(moment.records.map((record) => [record.id, record.reason.by])).toEqual([
      [id, "rule"],
      [other.id, "file"],
    ]);
    expect(moment.text).toContain("Never edit gen/ by hand.");
    expect(moment.text).toContain("Generated it");
  });

  test("has no rule about a folder above its project", async () => {
    say("Never edit w/ by hand.", rule);
    expect(await momentOf("file", { file: "a.ts" })).toMatchObject({ text: "", records: [] });
    expect((await momentOf("file", { file: "w/a.ts" })).text).toContain("Never edit w/");
  });

  test("without a record says so, and with one that the start has names it", async () => {
    expect((await momentOf("file", { file: "a.ts" })).nothing).toContain("No record is about this file");
    const { id } = memory.addObservation({ title: "Made it", files_modified: ["/w/app/src/a.ts"] });
    expect((await momentOf("file", { file: "src/a.ts" })).nothing).toContain(`the agent has #${id} already`);
  });
});

describe("a command", () => {
  test("has the rule that forbids it, or the fix of its family", async () => {
    const forbidden = say("Never use npm, use pnpm.", rule);
    const fix = say(
      "`mvn verify` failed. `JAVA_HOME=/opt/jdk mvn verify` passed.",
      { said_by: "tool", families: ["mvn verify"] },
      { obs_type: "bugfix" },
    );
    expect(await momentOf("command", { command: "npm install zod" })).toMatchObject({
      records: [{ id: forbidden.id, reason: { by: "rule" } }],
    });
    expect(await momentOf("command", { command: "mvn -q verify" })).toMatchObject({
      records: [{ id: fix.id, reason: { by: "family", family: "mvn verify" } }],
    });
  });

  test.each([
    [
      "cargo build",
      "No rule forbids this command, and no failure of `cargo build`, `cargo` that concerns it is known.",
    ],
    ["ls -la", "No rule forbids this command, and it runs nothing that failures are kept for."],
  ])("%s: %s", async (command, nothing) => {
    expect(await momentOf("command", { command })).toMatchObject({ text: "", records: [], nothing });
  });
});

test("names the next command for an unknown project", async () => {
  expect((await explain({}, "ap")).unknown).toContain("`mem install`");
  say("The lock is per tenant.");
  const { unknown, moments } = await explain({}, "ap");
  expect(unknown).toBe("No project named `ap`. Known: app. Did you mean app?");
  expect(moments[0]?.nothing).toContain("The project has no record");
});
