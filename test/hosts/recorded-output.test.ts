// Payloads of Codex CLI, Gemini CLI, Copilot CLI and Cursor through the registered hook and a real worker: the exact output of each.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/text/json.ts";
import { textField } from "../../src/text/json-fields.ts";
import { kebabCase } from "../../src/text/kebab-case.ts";
import { type CalledWorker, serveIn } from "../helpers/called-worker.ts";
import { drained, startWorker, until, type WorkerHome, workerHome } from "../helpers/worker-process.ts";
import { refusedOutput } from "./accepted-output.ts";
import { silent } from "./hook/hook-payload.ts";
import { launchers, runHook, settled, spooled } from "./hook/run-hook.ts";
import { recordedFiles, recordedPayload } from "./recorded.ts";

const rule = "Use pnpm, never npm.";
const aboutNote = "Earlier records about note.txt";
const aboutLogin = "Earlier records about src/login.ts";

interface Session {
  home: WorkerHome;
  worker: CalledWorker;
  /** Sends the payload as the host's hook of the event. */
  send(event: string, payload: JsonObject): ReturnType<typeof runHook>;
}

// The memory has a rule, and work on note.txt and src/login.ts in an earlier session.
async function sessionOf(
  host: string,
  start: (home: WorkerHome) => Promise<CalledWorker> = serveIn,
): Promise<Session> {
  // The start does not list the work: what was shown is not shown again at its file.
  const home = workerHome({ MEM_CONTEXT_OBSERVATION_TYPES: "decision" });
  const worker = await start(home);
  expect((await worker.post("/api/rules", { text: rule, project: "demo" })).status).toBe(201);
  for (const file of ["note.txt", "src/login.ts"]) {
    const edit = { old_string: "hello", new_string: `hello from ${file}` };
    const use = {
      ...{ session_id: "earlier", cwd: "/home/user/demo", tool_name: "Edit", tool_use_id: file },
      tool_input: { file_path: `/home/user/demo/${file}`, ...edit },
      tool_response: { success: true },
    };
    expect((await worker.post("/api/hooks/claude-code/PostToolUse", use)).status).toBe(200);
  }
  await drained(worker);
  const send = (event: string, payload: JsonObject) =>
    runHook(launchers["as registered"](kebabCase(event), host), home, JSON.stringify(payload));
  return { home, worker, send };
}

const nested = (hookEventName: string, additionalContext: unknown) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

/** How a host nests a text for its agent. */
const envelopes: Record<string, (event: string, text: unknown) => object> = {
  codex: nested,
  "gemini-cli": nested,
  "copilot-cli": (_event, additionalContext) => ({ additionalContext }),
  cursor: (_event, additional_context) => ({ additional_context }),
};

async function expectOutputs(
  host: string,
  session: Session,
  outputs: readonly (readonly [event: string, payload: JsonObject, text: string | undefined])[],
): Promise<void> {
  for (const [event, payload, text] of outputs) {
    const run = await session.send(event, payload);
    if (kebabCase(event) === "session-end") await settled(session.home);
    const shown = { event, payload };
    if (text === undefined) expect({ ...shown, ...run }).toEqual({ ...shown, ...silent });
    else {
      expect({ ...shown, ...run }).toMatchObject({ ...shown, code: 0, stderr: "" });
      const official = textField(payload, "hook_event_name") || pascalCase(event);
      expect(refusedOutput(host, official, run.stdout)).toEqual([]);
      expect(JSON.parse(run.stdout)).toEqual(envelopes[host]?.(official, expect.stringContaining(text)));
    }
  }
  // Only the hook at a session's end waits so little that a busy machine makes it leave its event in the spool.
  const { home } = session;
  expect(spooled(home).filter(({ event }) => event !== "session-end")).toEqual([]);
  await until(() => spooled(home).length === 0 || undefined, 30_000, "an empty spool");
  const { body } = await session.worker.get("/api/health");
  expect(isJsonObject(body) && body.unreadEvents).toEqual([]);
}

function pascalCase(event: string): string {
  const spelled = event === "userPromptSubmitted" ? "userPromptSubmit" : event;
  return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}

// In the order of a session. What has no text after it gets nothing: the session has had it, or the host takes nothing there.
const recorded: readonly [host: string, folder: string, files: string][] = [
  [
    "codex",
    "codex",
    `SessionStart.startup=rule UserPromptSubmit PreToolUse.Bash PostToolUse.Bash SessionStart.resume Stop
     SessionEnd.other PreToolUse.Bash.read-elsewhere=login PreToolUse.apply_patch PostToolUse.apply_patch
     PostToolUse.Bash.failed PostToolUse.spawn_agent SubagentStart UserPromptSubmit.in-subagent
     PreToolUse.Bash.in-subagent PostToolUse.Bash.in-subagent SubagentStop PreCompact.auto
     PostCompact.auto SessionStart.compact=rule PreCompact.manual PostCompact.manual
     SessionStart.clear=rule`,
  ],
  [
    "gemini-cli",
    "gemini-cli",
    `SessionStart.startup BeforeAgent=rule PreCompress.auto BeforeTool.run_shell_command
     AfterTool.run_shell_command BeforeTool.read_file AfterTool.read_file=note AfterAgent SessionEnd.exit
     SessionStart.resume PreCompress.manual SessionEnd.clear SessionStart.clear`,
  ],
  [
    "copilot-cli",
    "copilot-cli-pascalcase",
    `SessionStart.new UserPromptSubmit=rule PreToolUse.Bash PermissionRequest.bash PostToolUse.Bash
     PreToolUse.Read PostToolUse.Read=note PostToolUse.Edit PostToolUseFailure.Read
     UserPromptSubmit.in-subagent PostToolUse.Bash.in-subagent Stop.in-subagent SubagentStop
     PostToolUse.Agent Stop SessionEnd.complete SessionStart.resume PreCompact.manual
     SessionEnd.user_exit`,
  ],
  [
    "copilot-cli",
    "copilot-cli",
    `sessionStart.new userPromptSubmitted=rule userPromptTransformed preToolUse.bash
     permissionRequest.bash postToolUse.bash preToolUse.view postToolUse.view=note agentStop
     sessionEnd.complete sessionStart.resume preCompact.manual sessionEnd.user_exit`,
  ],
];

const texts: Record<string, string> = { rule, note: aboutNote, login: aboutLogin };

test.each(recorded)(
  "%s: every payload of %s gets its exact envelope, or nothing",
  async (host, folder, files) => {
    const expected = files.split(/\s+/).map((each) => each.split("="));
    expect(expected.map(([file]) => file).toSorted()).toEqual(recordedFiles(folder).toSorted());
    const session = await sessionOf(host);
    // A look elsewhere belongs to the project of its session, whose prompt came from the folder above.
    if (host === "codex") {
      const { session_id = "" } = recordedPayload(folder, "PreToolUse.Bash.read-elsewhere");
      const prompt = recordedPayload(folder, "UserPromptSubmit");
      await session.send("UserPromptSubmit", { ...prompt, session_id, turn_id: "before" });
    }
    const outputs = expected.map(([file = "", text = ""]) => {
      const [event = ""] = file.split(".");
      return [event, recordedPayload(folder, file), texts[text]] as const;
    });
    await expectOutputs(host, session, outputs);
  },
);

async function itemsOf(worker: CalledWorker, path: string): Promise<JsonObject[]> {
  const { body } = await worker.get(path);
  const items = isJsonObject(body) ? body.items : undefined;
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

test("a prompt without a worker leaves the context to the next one", async () => {
  const { home, worker, send } = await sessionOf("codex");
  const prompt = recordedPayload("codex", "UserPromptSubmit");
  await worker.stop();
  expect(await send("UserPromptSubmit", prompt)).toEqual(silent);
  expect(spooled(home)).toHaveLength(1);
  await serveIn(home);
  await until(() => spooled(home).length === 0 || undefined, 20_000, "an empty spool");
  const next = await send("UserPromptSubmit", { ...prompt, turn_id: "turn-2", prompt: "Go on, please." });
  expect(next.stdout).toContain(rule);
  expect(await send("UserPromptSubmit", { ...prompt, turn_id: "turn-3", prompt: "And on." })).toEqual(silent);
});

test("Gemini's prompt is stored without the context before it", async () => {
  const { worker, send } = await sessionOf("gemini-cli");
  const payload = recordedPayload("gemini-cli", "BeforeAgent");
  expect(textField(payload, "prompt")).toContain("<hook_context>CTX_SessionStart_0</hook_context>");
  await send("BeforeAgent", payload);
  const [prompt] = await itemsOf(worker, "/api/prompts");
  expect(textField(prompt ?? {}, "prompt_text")).toMatch(/^\[\[shell: echo/);
  expect(JSON.stringify(prompt)).not.toContain("CTX_SessionStart_0");
});

test("Gemini's three ends of one session are one", async () => {
  const { home, worker, send } = await sessionOf("gemini-cli");
  await send("BeforeAgent", recordedPayload("gemini-cli", "BeforeAgent"));
  await send("AfterAgent", recordedPayload("gemini-cli", "AfterAgent"));
  for (let end = 0; end < 3; end++)
    await send("SessionEnd", recordedPayload("gemini-cli", "SessionEnd.exit"));
  await settled(home);
  await drained(worker);
  expect(await itemsOf(worker, "/api/summaries")).toHaveLength(1);
});

test("Copilot's turn ends with the last message of its transcript", async () => {
  // A worker reads transcripts below its HOME.
  const { home, worker, send } = await sessionOf("copilot-cli", startWorker);
  const path = join(home.env.HOME ?? "", ".copilot", "session-state", "s", "events.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  const { timestamp = "" } = recordedPayload("copilot-cli-pascalcase", "Stop");
  const lines = [
    { type: "user.message", data: { content: "Decide." }, timestamp },
    {
      type: "assistant.message",
      data: { content: "We decided to use port 4711 because 80 is taken." },
      timestamp,
    },
  ];
  await send("UserPromptSubmit", recordedPayload("copilot-cli-pascalcase", "UserPromptSubmit"));
  // As the host does: the file is written after the hook was started.
  const stop = send("Stop", { ...recordedPayload("copilot-cli-pascalcase", "Stop"), transcript_path: path });
  setTimeout(() => writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n")), 120);
  writeFileSync(path, "");
  expect(await stop).toEqual(silent);
  await drained(worker);
  const records = [await itemsOf(worker, "/api/summaries"), await itemsOf(worker, "/api/observations")];
  expect(JSON.stringify(records)).toContain("4711");
});

const common = {
  conversation_id: "c-1",
  generation_id: "g-1",
  cursor_version: "2026.08.11",
  workspace_roots: ["/home/user/demo"],
};
const read = {
  tool_name: "Read",
  tool_input: { file_path: "/home/user/demo/note.txt" },
  tool_output: '{"content":"hello from note"}',
  tool_use_id: "t-1",
  cwd: "/home/user/demo",
};
const cursorEvents: readonly [event: string, fields: JsonObject, text?: string][] = [
  ["sessionStart", {}, rule],
  ["beforeSubmitPrompt", { prompt: "Read the note." }],
  ["preToolUse", read],
  ["postToolUse", read, aboutNote],
  ["afterFileEdit", { file_path: "/home/user/demo/note.txt", edits: [] }],
  ["afterShellExecution", { command: "ls", output: "note.txt" }],
  ["afterAgentResponse", { text: "We decided to use port 4711 because 80 is taken." }],
  ["stop", { status: "completed" }],
  ["preCompact", { trigger: "auto" }],
  ["sessionEnd", { reason: "completed" }],
];
const cursorPayload = (event: string, fields: JsonObject) => ({
  ...common,
  hook_event_name: event,
  ...fields,
});

test("Cursor: every event gets its exact envelope, or nothing", async () => {
  const outputs = cursorEvents.map(
    ([event, fields, text]) => [event, cursorPayload(event, fields), text] as const,
  );
  await expectOutputs("cursor", await sessionOf("cursor"), outputs);
});

test("Cursor's events are stored once if Claude Code's hooks bring them too", async () => {
  const { home, worker, send } = await sessionOf("cursor");
  const claudeNames: Record<string, string> = { beforeSubmitPrompt: "UserPromptSubmit" };
  for (const [event, fields] of cursorEvents) {
    const payload = cursorPayload(event, fields);
    const claudeName = claudeNames[event] ?? pascalCase(event);
    const twin = launchers["as registered"](kebabCase(claudeName), "claude-code");
    await Promise.all([send(event, payload), runHook(twin, home, JSON.stringify(payload))]);
  }
  await drained(worker);
  expect(await itemsOf(worker, "/api/prompts")).toHaveLength(1);
  const { body } = await worker.get("/api/processing-status");
  // The earlier session's two tool uses; the prompt's tool use, the end of its turn and the compaction.
  expect(body).toMatchObject({ accepted: 5, dead: 0 });
});

test.each<[string, string, string, string]>([
  ["an unknown host", "some-host", "{}", "unknown_host"],
  ["no JSON", "cursor", "no json", "not_an_object"],
  ["nothing", "claude-code", "", "not_an_object"],
  ["a list", "gemini-cli", "[1]", "not_an_object"],
  ["no session", "copilot-cli", '{"prompt":"go"}', "no_session"],
  ["no prompt", "gemini-cli", '{"session_id":"s"}', "missing_field"],
])("a hook with %s prints nothing, and is counted", async (_what, host, input, reason) => {
  const home = workerHome();
  const worker = await serveIn(home);
  const event = host === "gemini-cli" ? "before-agent" : "user-prompt-submit";
  expect(await runHook(launchers["as registered"](event, host), home, input)).toEqual(silent);
  expect(await runHook(launchers["the Node bundle"](event, host), home, input)).toEqual(silent);
  const { body } = await worker.get("/api/health");
  expect(body).toMatchObject({ unreadEvents: [{ host, reason, events: 2, last_event: event }] });
  expect(spooled(home)).toEqual([]);
});
