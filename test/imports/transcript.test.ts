// Events of transcripts with unusual lines: deep values, prompts without a text, and forms of earlier versions.
import { createHash } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as zlib from "node:zlib";
import { expect, test } from "vitest";
import type { ImportedEvent } from "../../src/core/records/imports.ts";
import { transcriptsAt } from "../../src/imports/find-transcripts.ts";
import type { SourceStep } from "../../src/imports/source.ts";
import { nestingExceeds } from "../../src/privacy/nesting.ts";
import type { Json } from "../../src/text/json.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a tool result that is nested 20,000 levels deep is imported without its depth", async () => {
  const folder = tempDir();
  const line = (type: string, uuid: string, second: number, rest: string) =>
    `{"type":"${type}","sessionId":"deep","cwd":"/home/user/demo","uuid":"${uuid}","timestamp":"2026-08-23T13:00:0${second}.100Z",${rest}}`;
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const use = '{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}';
  const result = '{"type":"tool_result","tool_use_id":"t1","content":"ok"}';
  const lines = [
    line("user", "a", 0, '"message":{"content":"Why does the login fail?"}'),
    line("assistant", "b", 1, `"message":{"id":"m","content":[${use}]}`),
    line("user", "c", 2, `"message":{"content":[${result}]},"toolUseResult":{"deep":${deep}}`),
  ];
  writeFileSync(join(folder, "deep.jsonl"), `${lines.join("\n")}\n`);
  const [source] = transcriptsAt("claude-code", folder, { now: Date.now(), limit: null });
  const events: ImportedEvent[] = [];
  for await (const step of source?.steps(null) ?? []) events.push(...step.events);
  expect(events.map(({ event }) => event)).toEqual(["UserPromptSubmit", "PostToolUse"]);
  expect(nestingExceeds(JSON.stringify(events), 64)).toBe(false);
});

/** Reads a transcript of an old session from the beginning, or from where a shorter one ended. */
async function eventsOf(
  kind: string,
  name: string,
  entries: readonly (object | string)[],
  first = entries.length,
): Promise<Pick<SourceStep, "events" | "malformed"> & { unreadable: string[] }> {
  const path = join(tempDir(), "chats", name);
  mkdirSync(dirname(path), { recursive: true });
  const found = { events: [] as ImportedEvent[], malformed: 0, unreadable: [] as string[] };
  let position: Json = null;
  for (const count of new Set([first, entries.length])) {
    writeFileSync(
      path,
      entries
        .slice(0, count)
        .map((entry) => `${typeof entry === "string" ? entry : JSON.stringify(entry)}\n`)
        .join(""),
    );
    utimesSync(path, new Date(0), new Date(0));
    for (const source of transcriptsAt(kind, path, { now: Date.now(), limit: null })) {
      for await (const step of source.steps(position)) {
        found.events.push(...step.events);
        found.malformed += step.malformed;
        found.unreadable.push(...(step.unreadable ?? []));
        position = step.position;
      }
    }
  }
  return found;
}

const timestamp = "2025-10-09T03:20:03.000Z";
const said = { type: "output_text", text: "It is the login page, because the token is missing." };

const codexLine = (payload: object, type = "event_msg") => ({ timestamp, type, payload });
const codexStart = codexLine({ id: "s", cwd: "/home/user/demo" }, "session_meta");
const asked = (message: string, images: string[] = []) =>
  codexLine({ type: "user_message", message, images });
const geminiSays = (id: string, part: object) => ({ type: "user", id, timestamp, content: [part] });
const image = { type: "image", source: { type: "base64", data: "aGk=" } };
const claudeImage = { type: "user", sessionId: "s", uuid: "a", timestamp, message: { content: [image] } };
const geminiImage = geminiSays("a", { inlineData: { mimeType: "image/png", data: "aGk=" } });

test.each<[kind: string, name: string, entries: object[]]>([
  ["claude-code", "only.jsonl", [claudeImage]],
  ["codex", "rollout-image.jsonl", [codexStart, asked("", ["data:image/png;base64,aGk="])]],
  ["gemini", "session-image.jsonl", [{ sessionId: "s" }, geminiImage]],
])("a prompt of %s that is only an image keeps its turn", async (kind, name, entries) => {
  const { events } = await eventsOf(kind, name, entries);
  expect(events[0]?.payload).toMatchObject({ session_id: "s", prompt: "[image]" });
});

test("leaves out rewound turns, and no parallel results or other beginnings", async () => {
  const line = (uuid: string, parentUuid: string | null, content: unknown, type = "user") => ({
    ...{ type, sessionId: "s", uuid, parentUuid, timestamp },
    message: { id: uuid, content },
  });
  const answer = (uuid: string, parent: string, text: string) =>
    line(uuid, parent, [{ type: "text", text }], "assistant");
  const use = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: id } });
  const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "ok" }];
  const { events } = await eventsOf("claude-code", "rewound.jsonl", [
    line("z", null, "An earlier beginning."),
    line("a", null, "Why does it fail?"),
    line("b", "a", [use("t1"), use("t2")], "assistant"),
    line("c", "b", result("t1")),
    line("d", "b", result("t2")),
    answer("e", "d", "The cache is stale."),
    line("f", "e", "From now on never use the cache."),
    answer("g", "f", "Understood."),
    line("h", "g", "Always rebuild."),
    line("i", "e", "Clear the cache."),
    answer("j", "i", "Done."),
  ]);
  const prompts = events.flatMap(({ payload }) => payload.prompt ?? []);
  expect(prompts).toEqual(["An earlier beginning.", "Why does it fail?", "Clear the cache."]);
  const names = events.map(({ event }) => event);
  expect(names.slice(1)).toEqual([
    ...["UserPromptSubmit", "PostToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "Stop", "SessionEnd"],
  ]);
  expect(JSON.stringify(events)).not.toMatch(/Understood|never use|rebuild/);
});

test("reads two objects in one line, and what the user typed while the agent worked", async () => {
  const typed = (uuid: string, attachment: object) => ({
    ...{ type: "attachment", sessionId: "s", uuid, timestamp },
    attachment: { type: "queued_command", ...attachment },
  });
  const [first, ...lines] = [
    { type: "user", sessionId: "s", uuid: "a", timestamp, message: { content: 'Why does "}{" fail?' } },
    typed("b", { prompt: "And log it." }),
    typed("c", { prompt: "x", commandMode: "task-notification" }),
    typed("d", { prompt: "Then stop.", commandMode: "prompt" }),
  ].map((entry) => JSON.stringify(entry));
  const text = [`${first}${lines[0]}`, `${lines[1]}${lines[2]}{"torn`, ...lines.slice(2)];
  const { events, malformed } = await eventsOf("claude-code", "s.jsonl", text);
  const prompts = events.flatMap(({ payload }) => payload.prompt ?? []);
  expect([prompts, malformed]).toEqual([['Why does "}{" fail?', "And log it.", "Then stop."], 1]);
});

const codexItem = (payload: object) => codexLine(payload, "response_item");

test("the calls of a script of Codex are tool uses, named with their servers", async () => {
  const item = (type: string, id: string, rest: object) =>
    codexLine({ type: "item_completed", item: { type, id, ...rest } });
  const { events, unreadable } = await eventsOf("codex", "rollout-script.jsonl", [
    codexStart,
    ...[started("t"), asked("Fix it."), item("CommandExecution", "c0", { command: ["ls"] })],
    codexItem({ type: "function_call", name: "find", namespace: "mcp__docs__", call_id: "c1" }),
    codexItem({ type: "function_call_output", call_id: "c1", output: "found" }),
    codexItem({ type: "custom_tool_call", name: "exec", call_id: "x", input: "await tools.f()" }),
    codexItem({ type: "custom_tool_call_output", call_id: "x", output: "done" }),
    item("CommandExecution", "c2", {
      ...{ command: ["bash", "-lc", "make check"], cwd: "file:///work/lib" },
      ...{ aggregated_output: "no rule", exit_code: 2 },
    }),
    item("McpToolCall", "c3", { server: "mem", tool: "search", arguments: { query: "x" }, result: {} }),
    item("FileChange", "c4", { changes: { "a.ts": { type: "add", content: "one\ntwo" } } }),
  ]);
  expect(unreadable).toEqual([]);
  const uses = events.flatMap(({ key, payload }) =>
    payload.tool_name === undefined ? [] : { key, ...payload },
  );
  expect(uses).toMatchObject([
    { key: "t:c1", tool_name: "mcp__docs__find", tool_response: "found" },
    {
      ...{ key: "t:c2", tool_name: "Bash", tool_input: { command: "make check" }, cwd: "/work/lib" },
      tool_response: { output: "no rule", exit_code: 2 },
    },
    { tool_name: "mcp__mem__search", tool_input: { query: "x" } },
    {
      tool_name: "apply_patch",
      tool_input: { command: "*** Begin Patch\n*** Add File: a.ts\n+one\n+two\n*** End Patch" },
    },
  ]);
});

test("a transcript with tool uses and no prompt is named", async () => {
  const { unreadable } = await eventsOf("codex", "rollout-silent.jsonl", [
    codexStart,
    codexItem({ type: "function_call", name: "find", call_id: "c1" }),
    codexItem({ type: "function_call_output", call_id: "c1", output: "found" }),
  ]);
  expect(unreadable).toEqual([expect.stringContaining("tool uses and no prompt")]);
});

test("a packed rollout of Codex is read once, or the command that unpacks it is named", async () => {
  const path = join(tempDir(), "rollout-packed.jsonl.zst");
  const turns = Array.from({ length: 50 }, (_, at) => codexTurn(`${at}`, "Fix it."));
  const text = [codexStart, ...turns.flat()].map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const pack = (zlib as { zstdCompressSync?: typeof zlib.gzipSync }).zstdCompressSync;
  writeFileSync(path, pack?.(text) ?? "x");
  utimesSync(path, new Date(0), new Date(0));
  const [source] = transcriptsAt("codex", path, { now: Date.now(), limit: null });
  const steps = source?.steps(null);
  const first = steps?.next();
  if (pack === undefined) return expect(first).rejects.toThrow(/compressed with zstd/);
  const { events, position } = (await first)?.value ?? {};
  expect(events).toHaveLength(101);
  expect(await source?.steps(position).next()).toMatchObject({ done: true });
});

test("sessions of Gemini in a folder named by a hash belong to their project", async () => {
  const project = "/home/user/de mo";
  const call = {
    ...{ id: "c", name: "mcp_docs_find", displayName: "find (docs MCP Server)", status: "success" },
    args: { dir_path: `${project}/src/a.ts` },
  };
  const messages = [
    geminiText("a", "This is the Gemini CLI. We are setting up the context for our chat."),
    geminiText("b", "<session_context>\nToday is Monday.\n</session_context>"),
    {
      ...geminiText("c", "@a.ts why?\n--- Content from referenced files ---\nx"),
      displayContent: "@a.ts why?",
    },
    { type: "gemini", id: "d", timestamp, content: "So.", toolCalls: [call] },
  ];
  const name = `${createHash("sha256").update(project).digest("hex")}/chats/session-1.json`;
  const { events } = await eventsOf("gemini", name, [{ sessionId: "s", messages }]);
  expect(events.map(({ payload }) => payload).slice(0, 2)).toMatchObject([
    { cwd: project, prompt: "@a.ts why?" },
    { cwd: project, tool_name: "mcp__docs__find" },
  ]);
});

const started = (turn_id: string) => codexLine({ type: "task_started", turn_id });
const answered = (last_agent_message: string) => codexLine({ type: "task_complete", last_agent_message });
const askedInItem = (text: string) =>
  codexLine({
    type: "item_completed",
    item: { type: "UserMessage", content: [{ type: "text", text }] },
  });
const codexTurn = (turn: string, message: string) => [
  started(turn),
  asked(message),
  answered(`To ${message}`),
];
const geminiText = (id: string, text: string) => geminiSays(id, { text });
const geminiBuilds = [geminiText("b", "Always rebuild."), geminiText("c", "Never rebuild.")];

test.each<[kind: string, name: string, entries: object[]]>([
  [
    "codex",
    "rollout-rewound.jsonl",
    [
      ...[codexStart, ...codexTurn("1", "Fix it."), ...codexTurn("2", "Never rebuild.")],
      ...[...codexTurn("3", "Rebuild."), codexLine({ type: "thread_rolled_back", num_turns: 2 })],
      ...codexTurn("4", "Run it."),
    ],
  ],
  [
    "codex",
    "rollout-items.jsonl",
    [
      ...[codexStart, askedInItem("Fix it."), started("2"), askedInItem("Never rebuild.")],
      ...[asked("Never rebuild."), codexLine({ type: "thread_rolled_back", num_turns: 1 })],
      ...[started("3"), askedInItem("Run it."), asked("Run it.")],
    ],
  ],
  [
    "gemini",
    "session-rewound.jsonl",
    [
      ...[{ sessionId: "s" }, geminiText("z", "Build."), { $rewindTo: "unknown" }],
      ...[geminiText("a", "Fix it."), ...geminiBuilds, { $set: { messages: geminiBuilds } }],
      ...[{ $rewindTo: "b" }, geminiText("d", "Run it."), geminiText("e", "Build."), { $rewindTo: "e" }],
    ],
  ],
])("leaves out the turns that %s takes back", async (kind, name, entries) => {
  const { events } = await eventsOf(kind, name, entries);
  expect(events.flatMap(({ payload }) => payload.prompt ?? [])).toEqual(["Fix it.", "Run it."]);
  expect(JSON.stringify(events)).not.toMatch(/build/i);
});

test("a message typed during a turn of Codex keeps its key when the rollout grows", async () => {
  const use = (call_id: string) => [
    codexLine({ type: "function_call", name: "shell", arguments: "{}", call_id }, "response_item"),
    codexLine({ type: "function_call_output", call_id, output: "ok" }, "response_item"),
  ];
  const typed = [asked("Build it."), ...use("a"), asked("With make."), ...use("b")];
  const first = [codexStart, started("1"), ...typed, answered("Done.")];
  const entries = [...first, ...codexTurn("2", "Test it.")];
  const keysOf = async (count?: number) => {
    const { events } = await eventsOf("codex", "rollout-typed.jsonl", entries, count);
    return new Set(
      events.flatMap(({ event, key, payload }) =>
        event === "SessionEnd" ? [] : JSON.stringify([event, key, payload.prompt]),
      ),
    );
  };
  const whole = await keysOf();
  expect(whole.size).toBe(7);
  expect(await keysOf(first.length)).toEqual(whole);
});

const untimed = [
  { id: "old", timestamp, instructions: null, git: { branch: "main", commit_hash: "ab12" } },
  { record_type: "state" },
  untimedMessage("<environment_context>\nCurrent working directory: /home/user/demo\nShell: zsh\n"),
  untimedMessage("Why does the build fail?"),
  {
    ...{ type: "function_call", name: "shell", call_id: "call_1" },
    arguments: JSON.stringify({ command: ["bash", "-lc", "make build"] }),
  },
  {
    ...{ type: "function_call_output", call_id: "call_1" },
    output: JSON.stringify({ output: "no such target", metadata: { exit_code: 2 } }),
  },
  { type: "message", role: "assistant", content: [said] },
  untimedMessage("Why does the build fail?"),
];

function untimedMessage(text: string): object {
  return { type: "message", id: null, role: "user", content: [{ type: "input_text", text }] };
}

test("a rollout of Codex from before its lines had times is read, in their order", async () => {
  const { events } = await eventsOf("codex", "rollout-old.jsonl", untimed);
  expect(events).toMatchObject([
    { event: "UserPromptSubmit", branch: "main", payload: { session_id: "old", cwd: "/home/user/demo" } },
    {
      event: "PostToolUse",
      payload: { tool_input: { command: "make build" }, tool_response: { exit_code: 2 } },
    },
    { event: "Stop", payload: { last_assistant_message: said.text } },
    { event: "UserPromptSubmit", payload: { prompt: "Why does the build fail?" } },
    { event: "SessionEnd" },
  ]);
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(Date.parse(timestamp));
  expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
});

test("a rollout without times goes on with the same keys where the last import ended", async () => {
  const keysOf = (events: ImportedEvent[]) => new Set(events.map(({ key, event }) => `${event} ${key}`));
  const whole = keysOf((await eventsOf("codex", "rollout-old.jsonl", untimed)).events);
  const parts = keysOf((await eventsOf("codex", "rollout-old.jsonl", untimed, 6)).events);
  const isNoEnd = (key: string) => !key.startsWith("SessionEnd");
  expect([...parts].filter(isNoEnd)).toEqual([...whole].filter(isNoEnd));
});

test("a rollout in a form that no version has is named", async () => {
  const { events, unreadable } = await eventsOf("codex", "rollout-other.jsonl", [
    { kind: "turn", text: "Hi" },
  ]);
  expect(events).toEqual([]);
  expect(unreadable).toEqual([expect.stringContaining("this version does not know its form")]);
});

test("a tool use that the user refused is read for the user's words only", async () => {
  const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
  const line = (type: string, uuid: string, content: object[]) => ({
    ...{ type, sessionId: "s", uuid, timestamp, message: { id: uuid, content } },
  });
  const use = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: "git push" } });
  const result = (id: string, content: string) => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    is_error: true,
  });
  const { events } = await eventsOf("claude-code", "refused.jsonl", [
    line("user", "a", [{ type: "text", text: "push it" }]),
    line("assistant", "b", [use("t1"), use("t2")]),
    line("user", "c", [result("t1", refusal)]),
    line("user", "d", [result("t2", `${refusal} To tell you how to proceed, the user said:\nnever push`)]),
    line("user", "e", [{ type: "text", text: "[Request interrupted by user for tool use]" }]),
    line("user", "f", [{ type: "text", text: "<system-reminder>x</system-reminder>\ngo on" }]),
  ]);
  const uses = events.filter(({ event }) => event === "PostToolUseFailure");
  expect(uses.map(({ key, payload }) => [key, payload.error])).toEqual([
    ["t2", expect.stringContaining("never push")],
  ]);
  const prompts = events.filter(({ event }) => event === "UserPromptSubmit");
  expect(prompts.map(({ key }) => key)).toEqual(["a", "f"]);
});
