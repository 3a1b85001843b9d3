import { beforeEach, describe, expect, test } from "vitest";
import type { Intake } from "../../src/capture/inputs.ts";
import { spoolablePayload } from "../../src/hosts/hook/spoolable-payload.ts";
import type { Host, HostEvent } from "../../src/hosts/host-event.ts";
import { createHostEvents, type HostEvents } from "../../src/worker/host-events.ts";
import { createLastMessages } from "../../src/worker/last-message.ts";
import { eachMemoryStore, ledgerIn, someTime } from "../helpers/memory-store.ts";

let calls: [string, unknown][];
let events: HostEvents;
let notice: string | null;
let contextFails: boolean;
let promptAnswer: { skipped: boolean; reason?: string };
let now: number;
const memory = eachMemoryStore();

const base = {
  sessionId: "s-1",
  cwd: "/home/user/demo",
  agentId: null,
  agentType: null,
  eventKey: "key-1",
  promptKey: "prompt-1",
};

// A scripted host: the tests are about what the worker does with its events.
const host: Host = {
  name: "scripted",
  decode: (_event, payload) => payload.event as unknown as HostEvent,
  render: (_event, answer) => JSON.stringify(answer),
};

beforeEach(() => {
  calls = [];
  now = someTime;
  promptAnswer = { skipped: false };
  startWorker();
});

// A new worker keeps only the state on disk.
function startWorker() {
  notice = null;
  contextFails = false;
  const note =
    (name: string) =>
    async (input: unknown): Promise<never> => {
      calls.push([name, input]);
      return undefined as never;
    };
  const intake: Intake = {
    async initSession(input) {
      calls.push(["initSession", input]);
      return promptAnswer as never;
    },
    observe: note("observe"),
    summarize: note("summarize"),
    complete: note("complete"),
    keep: note("keep"),
    completeIdle: note("completeIdle"),
  };
  events = createHostEvents({
    hostOf: (name) => (name === "scripted" ? host : undefined),
    now: () => now,
    countUnread: async (unread) => {
      calls.push(["countUnread", unread]);
    },
    lastMessages: createLastMessages({}),
    intake,
    context: {
      async forSession({ project }) {
        if (contextFails) throw new Error("no context today");
        return { text: `memory of ${project}`, records: [1, 2] };
      },
      async forPrompt({ project, words, known, withTimeline }) {
        const start = withTimeline ? `memory of ${project} and ` : "";
        return { text: `${start}what has ${words} but ${[...known]}`, records: [3] };
      },
      async forFile({ project, path, exceptSession, known = new Set<number>() }) {
        if (known.has(4)) return null;
        return { text: `${path} in ${project} but ${exceptSession}`, records: [4] };
      },
      forLaterPrompt: async () => ({ text: "", records: [] }),
      async forAction({ action, known }) {
        return known.has(5)
          ? null
          : { text: `known of ${action.command ?? action.path}`, quoted: [{ record: 5, family: null }] };
      },
      contentOf: async () => null,
    },
    ledger: ledgerIn(memory.store, () => now),
    sessionOf: (id) => (id === "s-known" ? { project: "known", sdk_session_id: "sdk-known" } : undefined),
    editedPaths: () => [],
    writtenFor: async () => new Set(),
    projectOf: (cwd) => cwd.split("/").at(-1) ?? "",
    projectNamed: (label) => label,
    notice(sessionId) {
      calls.push(["notice", sessionId]);
      return notice;
    },
  });
}

async function receive(event: object, at?: number): Promise<unknown> {
  const text = await events.receive("scripted", "any", { event: { ...base, ...event } }, { at });
  return text === "" ? "" : JSON.parse(text);
}

const silence = { context: null, notice: null };

describe("an event of a host", () => {
  test("at the start of a session answers the memory of its project", async () => {
    expect(await receive({ kind: "session_start", source: "startup" })).toEqual({
      context: "memory of demo",
      notice: null,
    });
  });

  test.each(["resume", "fork"])(
    "at a %s adds no context, since the transcript has it already",
    async (source) => {
      notice = "mem: repair";
      expect(await receive({ kind: "session_start", source })).toEqual({
        context: null,
        notice: "mem: repair",
      });
    },
  );

  test("asks for the notice of its session, unless it was spooled", async () => {
    await receive({ kind: "session_start", source: "startup", sessionId: "s-7" });
    await receive({ kind: "session_start", source: "startup", sessionId: "s-8" }, 42);
    await receive({ kind: "setup" }, 42);
    expect(calls).toEqual([["notice", "s-7"]]);
  });

  test("starts the session without context when context cannot be made", async () => {
    contextFails = true;
    expect(await receive({ kind: "session_start", source: "startup" })).toEqual(silence);
  });

  test("before a file answers what is known of it", async () => {
    expect(await receive({ kind: "before_file", toolName: "Read", paths: ["/a.ts"] })).toEqual({
      context: "/a.ts in demo but undefined",
      notice: null,
    });
    expect(
      await receive({ kind: "before_file", toolName: "Read", paths: ["/a.ts"], sessionId: "s-known" }),
    ).toEqual({
      context: "/a.ts in known but sdk-known",
      notice: null,
    });
    expect(calls).toEqual([]);
  });

  test("before a file shows a record once, and again after its context was reset", async () => {
    const read = { kind: "before_file", toolName: "Read", paths: ["/a.ts"] };
    const said = { context: "/a.ts in demo but undefined", notice: null };
    expect(await receive(read, 42)).toBe("");
    expect(await receive(read)).toEqual(said);
    expect(await receive(read)).toEqual(silence);
    expect(await receive({ ...read, agentId: "sub" })).toEqual(said);
    expect(await receive({ ...read, sessionId: "s-2" })).toEqual(said);
    await receive({ kind: "session_start", source: "resume" });
    expect(await receive(read)).toEqual(silence);
    await receive({ kind: "session_start", source: "compact" });
    expect(await receive(read)).toEqual(said);
  });

  test.each([
    [
      "tool_use",
      { toolName: "Bash", toolInput: { command: "ls" }, toolResponse: "x", failed: true },
      "observe",
      { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "x", tool_failed: true },
    ],
    [
      "turn_end",
      { lastAssistantMessage: "done" },
      "summarize",
      { last_assistant_message: "done", eventKey: expect.stringMatching(/^key-1:[0-9a-f]{16}$/) },
    ],
    ["session_end", { reason: "prompt_input_exit" }, "complete", {}],
    ["other", { name: "Novelty", payload: { a: 1 } }, "keep", { name: "Novelty", payload: { a: 1 } }],
  ])(
    "%s is taken in under its session, host and key, and prints nothing",
    async (kind, fields, call, input) => {
      expect(await receive({ kind, ...fields })).toEqual(silence);
      expect(calls).toHaveLength(1);
      expect(calls[0]?.[0]).toBe(call);
      expect(calls[0]?.[1]).toMatchObject({
        claudeSessionId: "s-1",
        host: "scripted",
        promptKey: "prompt-1",
        ...(call === "complete" ? {} : { eventKey: "key-1" }),
        ...input,
      });
    },
  );

  test("that replaces the agent's context asks for a summary first", async () => {
    expect(await receive({ kind: "before_compact" })).toEqual(silence);
    expect(calls).toMatchObject([["summarize", { claudeSessionId: "s-1", eventKey: "key-1", goesOn: true }]]);
  });

  test("that ends a turn is known by its prompt and its message, as it is stored", async () => {
    const keyAfter = async (lastAssistantMessage: string) => {
      await receive({ kind: "turn_end", lastAssistantMessage });
      const [, input] = calls.at(-1) ?? [];
      return (input as { eventKey: string }).eventKey;
    };
    const first = await keyAfter("done <private>a</private>");
    expect(await keyAfter("done <private>b</private>")).toBe(first);
    expect(await keyAfter("done, and more")).not.toBe(first);
  });

  test("of a clear command completes the session when the next one starts", async () => {
    const next = { kind: "session_start", source: "clear", sessionId: "next" };
    await receive({ kind: "session_end", reason: "clear" });
    await receive({ ...next, cwd: "/elsewhere" });
    const completed = () => calls.flatMap(([name, input]) => (name === "complete" ? input : []));
    expect(completed()).toEqual([]);
    await receive(next);
    expect(completed()).toMatchObject([{ claudeSessionId: "s-1" }]);
    // The user may have resumed it since.
    await receive({ ...next, sessionId: "third" });
    expect(completed()).toHaveLength(1);
  });

  test("without an id is keyed by its content, so a repeat is stored once", async () => {
    const use = {
      kind: "tool_use",
      toolName: "Bash",
      toolInput: 1,
      toolResponse: 2,
      failed: false,
      eventKey: null,
    };
    await receive(use);
    await receive(use);
    await receive({ ...use, toolInput: 3 });
    const keys = calls.map(([, input]) => (input as { eventKey: string }).eventKey);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test.each([
    ["private parts and secrets", { out: ["a <private>CANARY</private>", `ghp_${"a1B2".repeat(9)}`] }],
    ["an entirely private text", { out: "<private>CANARY</private>" }],
    ["long texts", { out: ["x".repeat(100_000), "y ".repeat(70_000)] }],
  ])("without an id is the same live and from the spool, with %s in it", async (_name, response) => {
    const use = { kind: "tool_use", toolName: "Bash", toolInput: 1, toolResponse: response, failed: false };
    const payload = { event: { ...base, ...use, eventKey: null } };
    const spooled = spoolablePayload(JSON.stringify(payload)) ?? {};
    await events.receive("scripted", "any", payload);
    await events.receive("scripted", "any", spooled, { at: 42 });
    const keys = calls.map(([, input]) => (input as { eventKey: string }).eventKey);
    expect(keys[0]).toEqual(expect.any(String));
    expect(keys[1]).toBe(keys[0]);
  });

  test("from the spool keeps its time and is answered by nothing", async () => {
    expect(await receive({ kind: "prompt", text: "go" }, 42)).toBe("");
    expect(calls[0]?.[1]).toMatchObject({ at: 42 });
    expect(await receive({ kind: "session_start", source: "startup" }, 42)).toBe("");
  });
});

describe("a tool use on a host that takes context after a tool", () => {
  const used = (toolName: string, about: object | undefined) => ({
    kind: "tool_use",
    toolName,
    toolInput: {},
    toolResponse: "",
    failed: false,
    about,
  });
  const file = { command: null, paths: ["/a.ts"] };
  const aboutFile = "/a.ts in demo but undefined";

  test.each([
    ["read_file", file, aboutFile],
    ["write_file", file, `known of /a.ts\n${aboutFile}`],
    ["run_shell_command", { command: "npm test", paths: [] }, "known of npm test"],
    ["run_shell_command", { command: "cat a.ts", paths: ["/a.ts"] }, `known of cat a.ts\n${aboutFile}`],
  ])("%s about %j is answered with what is known, once", async (toolName, about, context) => {
    expect(await receive(used(toolName, about))).toEqual({ context, notice: null });
    expect(calls.map(([name]) => name)).toEqual(["observe"]);
    expect(await receive(used(toolName, about))).toEqual(silence);
  });

  test("gets nothing when it is about no file", async () => {
    expect(await receive(used("list_directory", { command: null, paths: [] }))).toEqual(silence);
    expect(await receive(used("read_file", undefined))).toEqual(silence);
  });

  test("gets nothing from the spool, and nothing is taken for shown", async () => {
    expect(await receive(used("read_file", file), 42)).toBe("");
    expect(await receive(used("read_file", file))).toEqual({ context: aboutFile, notice: null });
  });
});

test("a turn ends with the message that came before it", async () => {
  await receive({ kind: "agent_message", text: "done" });
  await receive({ kind: "turn_end", lastAssistantMessage: "", eventKey: "stop" });
  expect(calls).toMatchObject([["summarize", { last_assistant_message: "done" }]]);
});

describe("an event that cannot be read", () => {
  const counted = () => calls.filter(([name]) => name === "countUnread").map(([, unread]) => unread);

  test.each([
    ["of an unknown host", "nobody", { a: 1 }, "unknown_host"],
    ["without an object", "scripted", [1], "not_an_object"],
    ["without any payload", "scripted", null, "not_an_object"],
  ])("%s is counted and answered by nothing", async (_what, name, payload, reason) => {
    expect(await events.receive(name, "stop", payload)).toBe("");
    expect(await events.receive(name, "stop", payload, { at: 42 })).toBe("");
    expect(calls).toEqual([
      ["countUnread", { host: name, reason, last_event: "stop", last_at_epoch: someTime }],
      ["countUnread", { host: name, reason, last_event: "stop", last_at_epoch: 42 }],
    ]);
  });

  test.each([
    [{ kind: "other", name: "Stop", payload: {}, sessionId: "" }, "no_session", "Stop"],
    [{ kind: "prompt", text: "go", sessionId: "" }, "no_session", "any"],
    [{ kind: "other", name: "New", payload: {}, misread: "unknown_event" }, "unknown_event", "New"],
    [{ kind: "other", name: "Stop", payload: {}, misread: "missing_field" }, "missing_field", "Stop"],
  ])("%j is counted by its reason", async (event, reason, last_event) => {
    await receive(event);
    expect(counted()).toEqual([{ host: "scripted", reason, last_event, last_at_epoch: someTime }]);
  });

  test.each([
    { kind: "other", name: "Known", payload: {} },
    { kind: "setup", sessionId: "" },
    { kind: "prompt", text: "go" },
  ])("is not one that only is not needed: %j", async (event) => {
    await receive(event);
    expect(counted()).toEqual([]);
  });

  test("has its names cleaned and cut before they are stored", async () => {
    await events.receive("nobody", `<private>CANARY</private>${"x".repeat(500)}`, {});
    expect(JSON.stringify(counted())).not.toContain("CANARY");
    expect(JSON.stringify(counted()).length).toBeLessThan(300);
  });
});
