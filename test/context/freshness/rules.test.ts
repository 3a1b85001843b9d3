import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { noExclusions } from "../../../src/capture/exclusions.ts";
import type { RecordEdits } from "../../../src/context/freshness/edit-record.ts";
import type { EditText } from "../../../src/context/freshness/edit-text.ts";
import type { Remembered, RememberRequest, Rule, Rules } from "../../../src/context/freshness/rules.ts";
import type { StreamEvent } from "../../../src/core/records/events.ts";
import { replacesRule } from "../../../src/statements/rules/contradictions.ts";
import { buildRules } from "../../../src/worker/rules.ts";
import { createMemoryStore, type MemoryStore, someTime } from "../../helpers/memory-store.ts";

let memory: MemoryStore;
let events: StreamEvent[];
let embedded: number[];
let rules: Rules;
let editText: EditText;
let editPrompt: RecordEdits["prompt"];
let calls: string[];

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  events = [];
  embedded = [];
  calls = [];
  const labelOf = (cwd: string) => cwd.split("/").at(-1) ?? "";
  const built = buildRules({
    store: memory.store,
    clock: { now: () => someTime, monotonicMs: () => 0 },
    projects: { labelOf, claim: labelOf, current: (label) => (label === "old-app" ? "app" : label) },
    publish: (event) => events.push(event),
    onNewText: (ids) => embedded.push(...ids),
    exclusions: { ...noExclusions, hasPlace: ({ project }) => project === "off" },
    scheduler: {
      cancel: async (session) => void calls.push(`cancel ${session}`),
      notify: (session) => void calls.push(`notify ${session}`),
    },
  });
  rules = built.rules;
  editText = built.edits.observation;
  editPrompt = built.edits.prompt;
});

const remember = (text: string, request: Partial<RememberRequest> = {}) =>
  rules.remember({ text, reach: "project", project: "app", ...request });
const ruleOf = (answer: Remembered): Rule | undefined => ("rule" in answer ? answer.rule : undefined);
const listed = (project = "app") =>
  rules.list({ project, all: false, limit: 100 }).rules.map(({ text }) => text);
const stored = (id: number) => memory.store.observations.byId(id);

describe("remembering", () => {
  test("stores a standing decision of the user, and opens no session", async () => {
    const answer = await remember("  Use\npnpm here. ");
    expect(answer).toMatchObject({ status: "stored", replaces: [] });
    expect(ruleOf(answer)).toMatchObject({
      text: "Use pnpm here.",
      project: "app",
      source: "remembered",
      prompt_id: null,
      forbids: false,
    });
    expect(stored(1)).toMatchObject({
      obs_type: "decision",
      concepts: '["pattern"]',
      title: "Use pnpm here.",
      said_by: "user",
      standing: 1,
      reach: "project",
      salience: 5,
      generator: "manual",
      provenance: "user",
    });
    expect(memory.store.stats().sessions).toBe(0);
    expect(memory.store.sessions.countActive()).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(["observation_created", "new_observation"]);
  });

  test("marks a rule that forbids as a gotcha", async () => {
    await remember("Never npm.");
    expect(stored(1)?.concepts).toBe('["gotcha"]');
  });

  test.each(["Use pnpm.", "use  PNPM", "Use pnpm!"])("stores %j only once", async (text) => {
    await remember("Use pnpm.");
    expect(await remember(text)).toMatchObject({ status: "exists", rule: { id: 1 } });
    expect(memory.store.stats().observations).toBe(1);
    expect(events).toHaveLength(2);
  });

  test("stores a rule that is there in other words only once", async () => {
    await remember("Use pnpm, never npm.");
    expect(await remember("Prefer pnpm over npm")).toMatchObject({ status: "exists", rule: { id: 1 } });
  });

  test("tells signs inside a rule apart", async () => {
    await remember("Write it in C");
    expect(await remember("Write it in C++")).toMatchObject({ status: "stored" });
  });

  test("widens a rule of the project that is said to apply everywhere", async () => {
    await remember("Use pnpm.");
    expect(await remember("Use pnpm.", { reach: "everywhere" })).toMatchObject({
      status: "widened",
      rule: { id: 1, reach: "everywhere", revision: 2 },
    });
    expect(await remember("Use pnpm.", { project: "other" })).toMatchObject({ status: "exists" });
    expect(events.at(-1)).toMatchObject({ type: "observation_changed", observation: { id: 1 } });
  });

  test("stores nothing of a text that is private as a whole", async () => {
    expect(await remember("<private>Use pnpm.</private>")).toEqual({ status: "skipped", reason: "private" });
    expect(memory.store.stats().observations).toBe(0);
    expect(events).toEqual([]);
  });

  test("stores neither private parts nor secrets", async () => {
    await remember("Use pnpm. <private>My cat</private> Key AKIAIOSFODNN7EXAMPLE");
    expect(JSON.stringify(stored(1))).not.toMatch(/cat|AKIA/);
    expect(listed()).toEqual(["Use pnpm. Key [redacted:aws-key]"]);
  });

  test("keeps a long text whole", async () => {
    const text = `Use pnpm${" and more words".repeat(100)}.`;
    await remember(text);
    expect(listed()).toEqual([text]);
  });

  test.each([
    ["   ", {}],
    ["Use pnpm.", { project: undefined }],
  ])("refuses %j with %j", async (text, request) => {
    await expect(remember(text, request)).rejects.toMatchObject({ code: "invalid_request" });
    expect(memory.store.stats().observations).toBe(0);
  });

  test("takes the project from a directory, and an old label for the project of today", async () => {
    expect(await remember("Use pnpm.", { project: undefined, cwd: "/w/shop" })).toMatchObject({
      rule: { project: "shop" },
    });
    expect(await remember("Use tabs.", { project: "old-app" })).toMatchObject({ rule: { project: "app" } });
  });

  test("stands for the user's later sentences that say the same, and counts them", async () => {
    await remember("Use pnpm, never npm.");
    const statement = { said_by: "user", standing: true, reach: "project", salience: 2 } as const;
    const said = ["And use pnpm here, not npm.", "pnpm instead of npm, please"].map((text, at) => {
      const made = memory.addObservation({ title: text, summary: text, statement, at: someTime + at + 1 });
      memory.store.statements.supersedeReplaced([made], replacesRule);
      return made;
    });
    expect(said.map(({ id }) => stored(id))).toMatchObject([{ superseded_by: 1 }, { superseded_by: 1 }]);
    const [rule, ...others] = rules.list({ project: "app", all: false, limit: 100 }).rules;
    expect(rule).toMatchObject({ id: 1, text: "Use pnpm, never npm.", times_said: 3 });
    expect(others).toEqual([]);
  });

  test("supersedes the rule that it certainly replaces, and that alone", async () => {
    await remember("Use npm.");
    await remember("Short answers.");
    expect(await remember("From now on pnpm instead of npm.")).toMatchObject({ replaces: [1] });
    expect(stored(1)).toMatchObject({ status: "superseded", superseded_by: 3 });
    expect(listed()).toEqual(["From now on pnpm instead of npm.", "Short answers."]);
  });
});

describe("the list", () => {
  test("lists rules that apply everywhere first, then the project's, newest first", async () => {
    await remember("Use pnpm.");
    await remember("Never commit.", { reach: "everywhere", project: "other" });
    await remember("Short answers.");
    await remember("Use spaces.", { project: "other" });
    expect(listed()).toEqual(["Never commit.", "Short answers.", "Use pnpm."]);
    expect(rules.list({ all: true, limit: 100 }).rules).toHaveLength(4);
    expect(rules.list({ all: false, limit: 100 })).toMatchObject({ project: null, rules: [{ id: 2 }] });
    expect(rules.list({ cwd: "/w/other", all: false, limit: 100 })).toMatchObject({ project: "other" });
  });

  test("names the prompt that a rule is from, unless it is private", () => {
    const prompt = memory.addPrompt("Never npm, please");
    memory.addPrompt("hidden", { private: true });
    const statement = { said_by: "user", standing: true, reach: "project", salience: 2 } as const;
    for (const number of [1, 2, 3]) {
      const { id } = memory.addObservation({ title: `Rule ${number}`, statement });
      memory.db.prepare("update observations set prompt_number = ? where id = ?").run(number, id);
    }
    const { rules: found } = rules.list({ project: "app", all: false, limit: 100 });
    expect(found.map(({ id, prompt_id, source }) => [id, prompt_id, source]).sort()).toEqual([
      [1, prompt.id, "prompt"],
      [2, null, "prompt"],
      [3, null, "prompt"],
    ]);
  });

  test("names rules that contradict each other", async () => {
    await remember("Indent with tabs");
    await remember("Indent with spaces");
    expect(rules.list({ project: "app", all: false, limit: 100 }).contradictions).toEqual([
      { older: 1, newer: 2 },
    ]);
  });
});

describe("editing", () => {
  test("a rule changes its text, whether it forbids, and what finds it", async () => {
    await remember("Use npm.");
    events.splice(0);
    expect(await editText(1, { text: "Never\nnpm, use yarn." })).toMatchObject({
      title: "Never npm, use yarn.",
      summary: "Never npm, use yarn.",
      narrative: null,
      concepts: '["gotcha"]',
      revision: 2,
    });
    expect(listed()).toEqual(["Never npm, use yarn."]);
    expect(events).toMatchObject([{ type: "observation_changed", observation: { id: 1 } }]);
    expect(embedded).toEqual([1]);
    const found = memory.db
      .prepare("select rowid from observations_fts where observations_fts match ?")
      .pluck();
    expect(found.all("yarn")).toEqual([1]);
  });

  test("an account keeps its own title, and what it says is the new text alone", async () => {
    memory.addObservation({
      title: "Fixed login",
      summary: "It failed.",
      narrative: "It failed as of cookies.",
    });
    const text = "The cookie lacked a path.\n\nThe proxy strips it.";
    expect(await editText(1, { text })).toMatchObject({
      title: "Fixed login",
      summary: "The cookie lacked a path.",
      narrative: text,
    });
    expect(await editText(1, { title: "Login", text: "Short." })).toMatchObject({
      title: "Login",
      summary: "Short.",
      narrative: null,
    });
  });

  test("a quote has the beginning of its new text for a title", async () => {
    memory.addObservation({ title: "Said so.", summary: "Said so." });
    expect(await editText(1, { text: "Said it." })).toMatchObject({ title: "Said it.", summary: "Said it." });
  });

  test("the same text changes nothing", async () => {
    await remember("Use npm.");
    events.splice(0);
    expect(await editText(1, { text: "Use npm." })).toMatchObject({ revision: 1 });
    expect(events).toEqual([]);
  });

  test("neither private parts nor secrets are stored", async () => {
    await remember("Use npm.");
    const { summary } = await editText(1, { text: "Use it. <private>My cat</private> AKIAIOSFODNN7EXAMPLE" });
    expect(summary).toBe("Use it. [redacted:aws-key]");
  });

  test.each([
    [9, { text: "Use it." }, "not_found"],
    [1, { text: "<private>Use it.</private>" }, "invalid_request"],
    [1, { text: " " }, "invalid_request"],
    [1, { title: "<private>x</private>" }, "invalid_request"],
  ])("%i with %j is refused as %s", async (id, change, code) => {
    await remember("Use npm.");
    await expect(editText(id, change)).rejects.toMatchObject({ code });
    expect(stored(1)).toMatchObject({ summary: "Use npm.", revision: 1 });
  });
});

test("an edited prompt ends the call that was sent it, and the session is asked again", async () => {
  const { store } = memory;
  const { id } = memory.addPrompt("Look at the kumquat.");
  store.sessions.setUserPrompt(1, "Look at the kumquat.");
  await editPrompt(id, { prompt_text: "Look at the mango." });
  expect(calls).toEqual([]);
  const event = { session_id: 1, kind: "observation", event_key: "a", payload: "{}", now: 1 } as const;
  store.pending.enqueue(store.rawEvents.insert(event) ?? 0, 1, 1);
  store.pending.claim({ sessionId: 1, owner: "one", now: 2, leaseUntil: 9, limit: 1, maxChars: 99 });
  await editPrompt(id, { prompt_text: "Look at the papaya." });
  expect(calls).toEqual(["cancel 1", "notify 1"]);
});
