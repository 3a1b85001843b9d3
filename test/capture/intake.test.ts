import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Intake } from "../../src/capture/inputs.ts";
import type { StreamEvent } from "../../src/core/records/events.ts";
import type { Sqlite } from "../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../src/store/sqlite/store.ts";
import { intakeInto, openMigrated } from "../helpers/memory-store.ts";

let directory: string;
let db: Sqlite;
let store: Store;
let intake: Intake;
let now: number;
let events: StreamEvent[];
let skipped: Set<string>;

function open(): void {
  db = openMigrated(join(directory, "mem.db"));
  store = createStore(db);
  intake = intakeInto(store, () => now, {
    skipTools: () => skipped,
    projectOf: (cwd) => cwd.split("/").at(-1) ?? "",
    publish: (event) => void events.push(event),
  });
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-intake-"));
  now = 1_000_000;
  events = [];
  skipped = new Set(["TodoWrite"]);
  open();
});

afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

const session = { claudeSessionId: "host-1", cwd: "/home/user/demo" };
const excluded = { status: "skipped", reason: "tool_excluded" };

function payloads(): string[] {
  return db.prepare("select payload from raw_events order by id").pluck().all() as string[];
}

function conserved(): void {
  const { accepted, done, skipped: skips, pending, processing, dead } = store.pending.counts();
  expect(accepted).toBe(done + skips + pending + processing + dead);
}

describe("observations", () => {
  test("the first event creates the session in the project of its directory", async () => {
    const answer = await intake.observe({ ...session, tool_name: "Read", tool_input: { file_path: "a.ts" } });
    expect(answer).toEqual({ status: "queued" });
    const opened = { project: "demo", status: "active", host: "api" };
    expect(store.sessions.byClaudeId("host-1")).toMatchObject(opened);
    expect(events.map((event) => event.type)).toEqual(["session_started", "observation_queued"]);
    expect(store.pending.counts()).toMatchObject({ accepted: 1, pending: 1 });
  });

  test("the same tool-use id twice is stored once and answered alike", async () => {
    const use = { ...session, tool_name: "Read", eventKey: "toolu_1" };
    expect(await intake.observe(use)).toEqual({ status: "queued" });
    expect(await intake.observe(use)).toEqual({ status: "queued" });
    expect(payloads()).toHaveLength(1);
    expect(store.pending.counts()).toMatchObject({ accepted: 1, pending: 1 });
  });

  test("both deliveries in one turn of the event loop are stored once", async () => {
    const use = { ...session, tool_name: "Read", eventKey: "toolu_1" };
    await Promise.all([intake.observe(use), intake.observe(use)]);
    expect(payloads()).toHaveLength(1);
  });

  test("counts commands that only read our memory, and drops such output from others", async () => {
    const read = { tool_name: "Bash", tool_input: { command: "mem search quota | head" } };
    expect(await intake.observe({ ...session, ...read, tool_response: "#12 quota" })).toEqual(excluded);
    const command = "npm test && mem search quota";
    await intake.observe({ ...session, ...read, tool_input: { command }, tool_response: "#12 quota" });
    expect(store.pending.counts()).toMatchObject({ accepted: 2, skipped: 1, pending: 1 });
    expect(payloads()).toEqual([expect.stringContaining('"tool_input":{"command":"npm test"}')]);
    expect(payloads().join()).not.toContain("quota");
  });

  test("a skipped tool is counted and not stored, and the list is read at each use", async () => {
    expect(await intake.observe({ ...session, tool_name: "TodoWrite" })).toEqual(excluded);
    skipped = new Set();
    expect(await intake.observe({ ...session, tool_name: "TodoWrite" })).toEqual({ status: "queued" });
    expect(store.pending.counts()).toMatchObject({ accepted: 2, skipped: 1, pending: 1 });
    conserved();
  });

  test("a skipped question is queued for its turn when the user answered it", async () => {
    skipped = new Set(["AskUserQuestion"]);
    const question = "Which rates?";
    const asked = {
      ...session,
      tool_name: "AskUserQuestion",
      tool_input: { questions: [{ question, options: [{ label: "ECB" }] }] },
    };
    const tool_response = { answers: { [question]: "ECB <private>CANARY</private>" } };
    expect(await intake.observe(asked)).toEqual(excluded);
    expect(await intake.observe({ ...asked, tool_response, tool_failed: true })).toEqual(excluded);
    expect(await intake.observe({ ...asked, tool_response })).toEqual({ status: "queued" });
    expect(payloads()).toEqual([expect.stringContaining('"turn_only":true')]);
    expect(payloads().join()).not.toContain("CANARY");
    skipped = new Set();
    await intake.observe({ ...asked, tool_response });
    expect(payloads()[1]).not.toContain("turn_only");
    expect(store.pending.counts()).toMatchObject({ accepted: 4, skipped: 2, pending: 2 });
    conserved();
  });

  test("of a refused tool use only the user's words are queued", async () => {
    const refusal = "The user doesn't want to proceed with this tool use.";
    const use = { ...session, tool_name: "Bash", tool_input: { command: "git push" }, tool_failed: true };
    const observe = (error: string) => intake.observe({ ...use, tool_response: { error } });
    expect(await observe(`${refusal} STOP what you are doing.`)).toMatchObject({ reason: "tool_excluded" });
    expect(await observe(`${refusal} the user said:\nnever push`)).toEqual({ status: "queued" });
    expect(payloads()).toEqual([expect.stringMatching(/never push.*"turn_only":true/)]);
    expect(payloads().join()).not.toContain("git push");
  });

  test("private parts and secrets are gone before the row is written, at any depth", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    await intake.observe({
      ...session,
      tool_name: "Bash",
      tool_input: { command: "echo <private>CANARY-1</private> kept" },
      tool_response: { out: [{ deep: `token ${secret} <mem-context>CANARY-2` }] },
    });
    const [payload = ""] = payloads();
    expect(payload).toContain("kept");
    expect(payload).not.toContain("CANARY");
    expect(payload).not.toContain(secret);
  });

  test("a huge response is shortened head and tail, never dropped", async () => {
    const huge = `HEAD${"x".repeat(500_000)}TAIL`;
    await intake.observe({ ...session, tool_name: "Bash", tool_response: { stdout: huge } });
    const [payload = ""] = payloads();
    expect(payload.length).toBeLessThan(80_000);
    expect(payload).toContain("HEAD");
    expect(payload).toContain("TAIL");
  });

  test("it carries the number of the newest prompt", async () => {
    await intake.initSession({ ...session, prompt: "first" });
    await intake.initSession({ ...session, prompt: "second" });
    await intake.observe({ ...session, tool_name: "Read" });
    expect(JSON.parse(payloads()[0] ?? "")).toMatchObject({ prompt_number: 2, tool_name: "Read" });
  });
});

describe("prompts", () => {
  test("a private prompt stays private after a restart, and its text is not stored", async () => {
    const answer = await intake.initSession({ ...session, prompt: " <private>CANARY plan</private> " });
    expect(answer).toMatchObject({ promptNumber: 1, skipped: true, reason: "private" });
    db.close();
    open();
    const use = { ...session, tool_name: "Read" };
    expect(await intake.observe(use)).toEqual({ status: "skipped", reason: "private" });
    expect(await intake.summarize(session)).toEqual({ status: "skipped", reason: "private" });
    expect(JSON.stringify(db.prepare("select * from user_prompts").all())).not.toContain("CANARY");
    expect(payloads()).toEqual([]);
    expect(store.pending.counts()).toMatchObject({ accepted: 2, skipped: 2 });
  });

  test("the prompt after a private one is recorded again", async () => {
    await intake.initSession({ ...session, prompt: "<private>no</private>" });
    const second = await intake.initSession({ ...session, prompt: "yes" });
    expect(second).toMatchObject({ promptNumber: 2, skipped: false });
    expect(await intake.observe({ ...session, tool_name: "Read" })).toEqual({ status: "queued" });
    const late = { ...session, tool_name: "Read", prompt_number: 1 };
    expect(await intake.observe(late)).toEqual({ status: "skipped", reason: "private" });
    expect(store.sessions.byClaudeId("host-1")?.user_prompt).toBe("yes");
  });

  test("the same text within ten seconds is the same prompt, later it is a new one", async () => {
    const first = await intake.initSession({ ...session, prompt: "again" });
    now += 9_000;
    const second = await intake.initSession({ ...session, prompt: "again" });
    expect(second).toEqual({ ...first, skipped: true, reason: "duplicate" });
    now += 2_000;
    const third = await intake.initSession({ ...session, prompt: "again" });
    expect(third).toMatchObject({ promptNumber: 2, skipped: false });
  });

  test("stores a prompt with the same host id once, at any time", async () => {
    await intake.initSession({ ...session, prompt: "go", eventKey: "p-1" });
    now += 3_600_000;
    const repeated = await intake.initSession({ ...session, prompt: "go", eventKey: "p-1" });
    expect(repeated).toMatchObject({ promptNumber: 1, reason: "duplicate" });
  });

  test("it is announced with the fields of the stream", async () => {
    await intake.initSession({ ...session, prompt: "fix the <private>CANARY</private> login" });
    expect(events.at(-1)).toMatchObject({ type: "new_prompt", project: "demo", prompt_number: 1 });
    expect(JSON.stringify(events)).not.toContain("CANARY");
  });
});

describe("summaries and the end", () => {
  test("a summarize request without the user's words takes them from the newest prompt", async () => {
    await intake.initSession({ ...session, prompt: "why is it slow?" });
    await intake.summarize({ ...session, last_assistant_message: "It was the index." });
    expect(JSON.parse(payloads()[0] ?? "")).toMatchObject({
      type: "summarize",
      last_user_message: "why is it slow?",
      last_assistant_message: "It was the index.",
    });
    expect(events.at(-1)).toEqual({ type: "summarize_queued" });
  });

  test.each([
    ["no message", {}],
    ["blank messages", { last_user_message: "", last_assistant_message: " \n\t" }],
    ["private messages alone", { last_assistant_message: "<private>CANARY</private>" }],
  ])("a summarize request with %s for an unknown session stores nothing", async (_what, messages) => {
    const answer = await intake.summarize({ ...session, ...messages, eventKey: "stop-1" });
    expect(answer).toEqual({ status: "skipped", reason: "no_content" });
    expect(store.sessions.byClaudeId("host-1")).toBeUndefined();
    expect(payloads()).toEqual([]);
    expect(events).toEqual([]);
    expect(store.pending.counts()).toMatchObject({ accepted: 1, skipped: 1, pending: 0 });
    conserved();
  });

  test("a summarize request with one message begins an unknown session", async () => {
    const answer = await intake.summarize({ ...session, last_user_message: "Why is it slow?" });
    expect(answer).toEqual({ status: "queued" });
    expect(store.pending.counts()).toMatchObject({ accepted: 1, pending: 1 });
  });

  test("a sub-agent's summarize request is skipped", async () => {
    const answer = await intake.summarize({ ...session, agentId: "a1" });
    expect(answer).toEqual({ status: "skipped", reason: "subagent_context" });
    conserved();
  });

  test("completing an unknown session succeeds and says that there is none", async () => {
    const answer = await intake.complete({ claudeSessionId: "nobody" });
    expect(answer).toEqual({ success: true, message: "No active session found" });
  });

  test("a completed session opens again at the next message", async () => {
    await intake.observe({ ...session, tool_name: "Read" });
    expect(await intake.complete(session)).toEqual({ success: true });
    const ended = store.sessions.byClaudeId("host-1");
    expect(ended).toMatchObject({ status: "completed", completed_at_epoch: now });
    expect(await intake.complete(session)).toMatchObject({ message: "No active session found" });
    await intake.observe({ ...session, tool_name: "Read" });
    expect(store.sessions.byClaudeId("host-1")).toMatchObject({ status: "active", completed_at_epoch: null });
  });

  test("a session that never ends is completed by idle time", async () => {
    await intake.observe({ ...session, tool_name: "Read" });
    now += 29 * 60_000;
    await intake.completeIdle(30 * 60_000);
    expect(store.sessions.byClaudeId("host-1")?.status).toBe("active");
    now += 2 * 60_000;
    await intake.completeIdle(30 * 60_000);
    expect(store.sessions.byClaudeId("host-1")?.status).toBe("completed");
    expect(events.at(-1)).toMatchObject({ type: "session_completed", project: "demo" });
  });

  describe("a turn that the host never ended", () => {
    const host = { ...session, host: "claude-code" };
    const queued = () =>
      payloads()
        .map((payload) => JSON.parse(payload))
        .filter(({ type }) => type === "summarize");
    const unfinished = { type: "summarize", prompt_number: 1, last_user_message: "never log the token" };

    test("is queued when its session ends, with the prompt, once", async () => {
      await intake.initSession({ ...host, prompt: "never log the token" });
      await intake.observe({ ...host, tool_name: "Read" });
      await intake.complete(host);
      await intake.complete(host);
      expect(queued()).toEqual([unfinished]);
      expect(events.slice(-2).map(({ type }) => type)).toEqual(["summarize_queued", "session_completed"]);
      conserved();
    });

    test("is queued when its session was idle for long", async () => {
      await intake.initSession({ ...host, prompt: "never log the token" });
      now += 31 * 60_000;
      await intake.completeIdle(30 * 60_000);
      expect(queued()).toEqual([unfinished]);
      conserved();
    });

    test("is the one after the last that ended", async () => {
      await intake.initSession({ ...host, prompt: "add the route" });
      await intake.summarize({ ...host, last_assistant_message: "Done." });
      await intake.initSession({ ...host, prompt: "and the docs" });
      await intake.complete(host);
      expect(queued().map((one) => one.prompt_number)).toEqual([1, 2]);
    });

    test("is not there when every turn ended, or the prompt is private", async () => {
      await intake.initSession({ ...host, prompt: "add the route" });
      await intake.summarize({ ...host, last_assistant_message: "Done." });
      await intake.initSession({ ...host, prompt: "<private>my key</private>" });
      await intake.complete(host);
      expect(queued()).toHaveLength(1);
    });

    test("is unknown of a client that never says when turns end", async () => {
      await intake.initSession({ ...session, prompt: "add the route" });
      await intake.complete(session);
      expect(queued()).toEqual([]);
    });
  });

  test("an event that is not known is kept beside the session, cleaned", async () => {
    await intake.observe({ ...session, tool_name: "Read" });
    await intake.keep({ ...session, name: "Novelty", payload: { text: "<private>CANARY</private>x" } });
    expect(payloads().at(-1)).toBe('{"name":"Novelty","payload":{"text":"x"}}');
    expect(store.pending.counts().accepted).toBe(1);
  });
});
