// Importing transcripts of Codex CLI and Gemini CLI through the worker's routes.
import { appendFileSync, cpSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { transcriptsAt } from "../../src/imports/find-transcripts.ts";
import type { ImportProgress } from "../../src/imports/import.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { type Cut, importInto, stored } from "./import-world.ts";
import {
  ask,
  bytesWith,
  dayMs,
  db,
  eachWithAWorker,
  generated,
  hook,
  now,
  remove,
  rows,
  travel,
} from "./trash-world.ts";

eachWithAWorker();

const soon = Math.ceil((Date.UTC(2026, 6, 20) - now) / dayMs);
let folder: string;

beforeEach(() => {
  folder = tempDir();
  cpSync(fileURLToPath(new URL("../fixtures/import", import.meta.url)), folder, { recursive: true });
  const at = new Date("2026-07-11T14:00:00Z");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), at, at);
  travel(soon);
});

function importAll(kind: string, cut: Cut = {}): Promise<ImportProgress> {
  return importInto(transcriptsAt(kind, join(folder, kind), { now: travel(soon), limit: null }), cut);
}

async function live(
  host: string,
  events: readonly [at: string, name: string, payload: object][],
): Promise<void> {
  for (const [at, name, payload] of events) {
    travel((Date.parse(at) - now - 1) / dayMs);
    await hook(name, payload, host);
  }
  await generated();
  travel(soon);
}

type Prompt = Record<"prompt_text" | "claude_session_id", string>;

const codexTurn = {
  session_id: "019f44e4-5c01-7d22-9805-50cecaefde49",
  turn_id: "019f44e4-6000-7d22-9805-50cecaefde41",
  cwd: "/home/user/demo",
};
const geminiSession = { session_id: "00000000-0000-4000-8000-000000000030", cwd: "/home/user/demo" };

/** What the hooks of the hosts send in the first turns of the transcripts. */
const recorded = {
  codex: [
    [
      "2026-07-09T03:20:03Z",
      "UserPromptSubmit",
      { ...codexTurn, prompt: "Why does the build fail on staging?" },
    ],
    [
      "2026-07-09T03:20:08Z",
      "PostToolUse",
      {
        ...codexTurn,
        ...{ tool_name: "Bash", tool_input: { command: "make build" }, tool_use_id: "call_1" },
        tool_response: "make: *** No rule to make target 'assets'.  Stop.\n",
      },
    ],
    [
      "2026-07-09T03:20:10Z",
      "PostToolUse",
      {
        ...codexTurn,
        ...{ tool_name: "apply_patch", tool_use_id: "call_2", tool_response: "Success." },
        tool_input: { command: "*** Begin Patch\n*** Update File: Makefile\n*** End Patch" },
      },
    ],
    [
      "2026-07-09T03:20:14Z",
      "PostToolUse",
      {
        ...codexTurn,
        ...{ tool_name: "Bash", tool_input: { command: "make build" }, tool_use_id: "call_3" },
        tool_response: "built\n",
      },
    ],
    ["2026-07-09T03:20:16Z", "Stop", { ...codexTurn, last_assistant_message: "The target was renamed." }],
  ],
  "gemini-cli": [
    [
      "2026-07-10T10:00:01Z",
      "BeforeAgent",
      {
        ...geminiSession,
        timestamp: "2026-07-10T10:00:01.100Z",
        prompt: "<hook_context>x</hook_context>\n\nWhich port does the API use?",
      },
    ],
    [
      "2026-07-10T10:00:06Z",
      "AfterTool",
      {
        ...geminiSession,
        timestamp: "2026-07-10T10:00:06.100Z",
        ...{ tool_name: "run_shell_command", tool_input: { command: "grep -rn PORT config" } },
        tool_response: { llmContent: "Output: config/api.ts:3: PORT = 4180" },
      },
    ],
    [
      "2026-07-10T10:00:09Z",
      "AfterAgent",
      {
        ...geminiSession,
        timestamp: "2026-07-10T10:00:09.100Z",
        prompt_response: "The API listens on 4180.",
      },
    ],
  ],
} satisfies Record<string, [string, string, object][]>;

test("rollouts of Codex CLI become sessions with prompts, tool uses and turns", async () => {
  expect(await importAll("codex")).toMatchObject({
    sessions: 1,
    prompts: 2,
    toolUses: 4,
    turns: 2,
    malformed: 0,
  });
  const { sessions, prompts, observations } = stored();
  expect(sessions).toMatchObject([
    {
      ...{ host: "codex", cwd: "/home/user/demo", status: "completed", project: "demo" },
      created_at_epoch: Date.parse("2026-07-09T03:20:03Z"),
    },
  ]);
  expect(prompts).toMatchObject([{ prompt_text: "Why does the build fail on staging?" }, {}]);
  // The hooks of Codex do not say that a command failed; its rollouts do.
  expect(observations).toContainEqual(
    expect.objectContaining({ title: expect.stringMatching(/^make build failed with exit code 2/) }),
  );
});

test("a message typed during a turn of Codex is imported once when its rollout grows", async () => {
  const path = join(folder, "rollout-typed.jsonl");
  const write = (lines: [type: string, payload: object][], from: number): void => {
    const timed = lines.map(([type, payload], index) => ({
      ...{ timestamp: `2026-07-09T04:00:${from + index}.000Z`, type, payload },
    }));
    appendFileSync(path, timed.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const at = new Date("2026-07-11T14:00:00Z");
    utimesSync(path, at, at);
  };
  const started = (turn_id: string): [string, object] => ["event_msg", { type: "task_started", turn_id }];
  const message = (text: string): [string, object] => ["event_msg", { type: "user_message", message: text }];
  const complete: [string, object] = [
    "event_msg",
    { type: "task_complete", last_agent_message: "Done, because the target was renamed." },
  ];
  const tool = (call_id: string): [string, object][] => [
    ["response_item", { type: "function_call", name: "shell", arguments: '{"command":"make"}', call_id }],
    ["response_item", { type: "function_call_output", call_id, output: "ok" }],
  ];
  const importIt = () => importInto(transcriptsAt("codex", path, { now: travel(soon), limit: null }));
  const meta: [string, object] = ["session_meta", { id: "typed", cwd: "/home/user/demo" }];
  const first = [started("turn-1"), message("Build it."), ...tool("a"), message("With make."), ...tool("b")];
  write([meta, ...first, complete], 10);
  expect(await importIt()).toMatchObject({ prompts: 2, toolUses: 2, turns: 1 });
  write([started("turn-2"), message("Test it."), ...tool("c"), complete], 30);
  expect(await importIt()).toMatchObject({ prompts: 1, toolUses: 1, turns: 1 });
  expect(stored().prompts).toHaveLength(3);
});

test("files of Gemini CLI, with lines or one object, become sessions", async () => {
  expect(await importAll("gemini")).toMatchObject({
    sessions: 2,
    prompts: 3,
    toolUses: 3,
    turns: 3,
    malformed: 0,
  });
  const { sessions } = stored();
  expect(sessions).toMatchObject([
    { created_at_epoch: Date.parse("2026-05-10T10:00:01Z") },
    { host: "gemini-cli", cwd: "/home/user/demo", created_at_epoch: Date.parse("2026-07-10T10:00:01Z") },
  ]);
});

describe.each([
  ["codex", "codex", 1],
  ["gemini", "gemini-cli", 2],
] as const)("transcripts of %s", (kind, host, files) => {
  test("add nothing the second time, and give the same after a kill anywhere", async () => {
    await importAll(kind);
    const before = stored();
    expect(await importAll(kind)).toMatchObject({ sessions: 0, prompts: 0, toolUses: 0, turns: 0 });
    db.exec("delete from import_sources");
    expect(await importAll(kind)).toMatchObject({ sessions: 0, prompts: 0, toolUses: 0, turns: 0 });
    expect(stored()).toEqual(before);
    for (let batch = 1; batch <= files; batch += 1) {
      for (const table of ["sessions", "import_sources", "observations", "session_summaries", "user_prompts"])
        db.exec(`delete from ${table}`);
      await importAll(kind, { before: batch }).catch(() => undefined);
      await importAll(kind);
      expect(stored()).toEqual(before);
    }
  });

  test("add nothing to turns that were recorded live", async () => {
    await live(host, recorded[host]);
    const before = rows();
    await importAll(kind);
    expect(rows().raw_events).toEqual(expect.arrayContaining(before.raw_events ?? []));
    const liveSession = recorded[host][0]?.[2].session_id;
    const ofTurn = db
      .prepare(
        `select kind, count(*) as count
         from raw_events
         where session_id = (select id from sessions where claude_session_id = ?)
           and payload ->> '$.prompt_number' = 1
         group by kind`,
      )
      .all(liveSession);
    expect(ofTurn).toEqual([
      { kind: "observation", count: recorded[host].length - 2 },
      { kind: "summarize", count: 1 },
    ]);
  });

  test("do not bring back a prompt that was recorded live and deleted", async () => {
    await live(host, recorded[host]);
    const read = "select id, prompt_text from user_prompts where prompt_text = ? and claude_session_id = ?";
    const { prompt_text, claude_session_id } = db.prepare("select * from user_prompts").get() as Prompt;
    const { trash_id } = (await remove("/api/prompts/1")).body;
    await importAll(kind);
    expect(db.prepare(read).all(prompt_text, claude_session_id)).toEqual([]);
    expect((await ask("POST", `/api/trash/${trash_id}/restore`, {})).status).toBe(200);
    db.exec("delete from import_sources");
    await importAll(kind);
    expect(db.prepare(read).all(prompt_text, claude_session_id)).toEqual([{ id: 1, prompt_text }]);
  });

  test("leave nothing that is private", async () => {
    await importAll(kind);
    for (const canary of ["zebra-canary", "hunter2hunter2"]) expect(bytesWith(canary)).toBe(false);
  });
});
