// Importing transcripts of several hosts through the worker's routes.
import { cpSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { transcriptsAt } from "../../src/imports/find-transcripts.ts";
import type { ImportProgress } from "../../src/imports/import.ts";
import { makeRepository } from "../capture/projects/work-tree-support.ts";
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

const soon = Math.ceil((Date.UTC(2026, 7, 24) - now) / dayMs);
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

async function live(host: string, events: readonly Live[]): Promise<void> {
  for (const [at, name, payload] of events) {
    travel((Date.parse(at) - now - 1) / dayMs);
    await hook(name, payload, host);
  }
  await generated();
  travel(soon);
}

type Prompt = Record<"prompt_text" | "claude_session_id", string>;

type Live = [at: string, name: string, payload: { session_id: string; timestamp?: string }];

const codexTurn = {
  session_id: "019f44e4-5c01-7d22-9805-50cecaefde49",
  turn_id: "019f44e4-6000-7d22-9805-50cecaefde41",
  cwd: "/home/user/demo",
};

function codex(second: string, name: string, payload: object): Live {
  return [`2026-07-09T03:20:${second}Z`, name, { ...codexTurn, ...payload }];
}

/** The `call`th tool use. */
function codexUse(second: string, call: number, [command, tool_response]: [string, string]): Live {
  const tool_name = command.startsWith("***") ? "apply_patch" : "Bash";
  const use = { tool_name, tool_use_id: `call_${call}`, tool_input: { command }, tool_response };
  return codex(second, "PostToolUse", use);
}

const geminiSession = { session_id: "00000000-0000-4000-8000-000000000030", cwd: "/home/user/demo" };

function gemini(second: string, name: string, payload: object): Live {
  const at = `2026-07-10T10:00:${second}`;
  return [`${at}Z`, name, { ...geminiSession, timestamp: `${at}.100Z`, ...payload }];
}

const port = "<hook_context>x</hook_context>\n\nWhich port does the API use?";
const grep = { tool_name: "run_shell_command", tool_input: { command: "grep -rn PORT config" } };
const found = { tool_response: { llmContent: "Output: config/api.ts:3: PORT = 4180" } };

/** What the hooks of the hosts send in the first turns of the transcripts. */
const recorded = {
  codex: [
    codex("03", "UserPromptSubmit", { prompt: "Why does the build fail on staging?" }),
    codexUse("08", 1, ["make build", "make: *** No rule to make target 'assets'.  Stop.\n"]),
    codexUse("10", 2, ["*** Begin Patch\n*** Update File: Makefile\n*** End Patch", "Success."]),
    codexUse("14", 3, ["make build", "built\n"]),
    codex("16", "Stop", { last_assistant_message: "The target was renamed." }),
  ],
  "gemini-cli": [
    gemini("01", "BeforeAgent", { prompt: port }),
    gemini("06", "AfterTool", { ...grep, ...found }),
    gemini("09", "AfterAgent", { prompt_response: "The API listens on 4180." }),
  ],
};

test("rollouts of Codex CLI become sessions with prompts, tool uses and turns", async () => {
  const counts = { sessions: 1, prompts: 2, toolUses: 4, turns: 2, malformed: 0 };
  expect(await importAll("codex")).toMatchObject(counts);
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

test("files of Gemini CLI, with lines or one object, become sessions", async () => {
  const counts = { sessions: 2, prompts: 3, toolUses: 3, turns: 3, malformed: 0 };
  expect(await importAll("gemini")).toMatchObject(counts);
  const { sessions } = stored();
  expect(sessions).toMatchObject([
    { created_at_epoch: Date.parse("2026-05-10T10:00:01Z") },
    { host: "gemini-cli", cwd: "/home/user/demo", created_at_epoch: Date.parse("2026-07-10T10:00:01Z") },
  ]);
});

test.each([
  ["claude-code", 3],
  ["codex", 1],
  ["gemini", 2],
])("transcripts of %s give the same again and after a kill, and nothing private", async (kind, files) => {
  const nothing = { sessions: 0, prompts: 0, toolUses: 0, turns: 0 };
  await importAll(kind);
  const before = stored();
  expect(await importAll(kind)).toMatchObject(nothing);
  db.exec("delete from import_sources");
  expect(await importAll(kind)).toMatchObject(nothing);
  expect(stored()).toEqual(before);
  for (let batch = 1; batch <= files; batch += 1) {
    for (const table of ["sessions", "import_sources", "observations", "session_summaries", "user_prompts"])
      db.exec(`delete from ${table}`);
    await importAll(kind, { before: batch }).catch(() => undefined);
    await importAll(kind);
    expect(stored()).toEqual(before);
  }
  for (const canary of ["zebra-canary", "hunter2", "secret-of-a-private-turn"])
    expect(bytesWith(canary)).toBe(false);
});

test("prompts, rules and edits belong to the repository that they are about", async () => {
  const [app, lib] = ["app", "lib"].map((name) =>
    makeRepository(join(tempDir(), name), `https://a.example/x/${name}`),
  );
  const turn = async (prompt_id: string, cwd: string | undefined, prompt: string, file: string) => {
    const base = { session_id: "s", cwd, prompt_id };
    await hook("UserPromptSubmit", { ...base, prompt });
    const tool_input = { file_path: file, old_string: "parse(parse(x))", new_string: "parse(x)" };
    await hook("PostToolUse", {
      ...base,
      tool_name: "Edit",
      tool_use_id: prompt_id,
      tool_input,
      tool_response: {},
    });
    await hook("Stop", { ...base, last_assistant_message: "It parsed twice, because the cache was off." });
  };
  mkdirSync(join(lib ?? "", "src"));
  const command = `cd ${lib} && make check`;
  const run = { tool_name: "Bash", tool_use_id: "r", tool_input: { command }, tool_response: "broken" };
  await hook("PostToolUse", { session_id: "s", cwd: app, prompt_id: "a", tool_failed: true, ...run });
  await turn("a", app, "Why is it slow?", join(lib ?? "", "src", "parse.ts"));
  await turn("b", lib, "From now on always run make check.", join(lib ?? "", "b.ts"));
  await turn("c", app, "Go on with it.", join(app ?? "", "c.ts"));
  // A client that names the project of its session keeps it.
  await ask("POST", "/api/sessions/init", { claudeSessionId: "n", project: "shop", prompt: "Look." });
  const edit = { tool_name: "Edit", tool_input: { file_path: "d.ts", old_string: "a", new_string: "b" } };
  await ask("POST", "/api/sessions/observations", { claudeSessionId: "n", cwd: lib, ...edit });
  await generated();
  const projectsOf = (sql: string) => db.prepare(sql).pluck().all();
  expect(projectsOf("select project from user_prompts order by id")).toEqual(["app", "lib", "app", "shop"]);
  expect(projectsOf("select project from session_summaries order by id")).toEqual(["app", "lib", "app"]);
  const about = (like: string) =>
    projectsOf(`select distinct project from observations where title like '%${like}%'`);
  expect(["parse.ts", "make check", "c.ts", "d.ts"].map(about)).toEqual([
    ["lib"],
    ["lib"],
    ["app"],
    ["shop"],
  ]);
});

test("deleted repositories of one name are projects by their remotes", async () => {
  const events = ["one", "two", "one"].map((owner, index) => ({
    ...{ event: "UserPromptSubmit", key: `k${index}`, turn: `t${index}`, at: now + index },
    remote: `https://a.example/${owner}/shop.git`,
    payload: { session_id: `s${index}`, cwd: `/gone/${index}/shop`, prompt: `Look at ${index}.` },
  }));
  await ask("POST", "/api/import/events", { source: "a".repeat(64), host: "codex", events });
  const projects = db.prepare("select project from sessions order by claude_session_id").pluck().all();
  expect(projects).toEqual(["shop", "1/shop", "shop"]);
});

describe.each([
  ["codex", "codex"],
  ["gemini", "gemini-cli"],
] as const)("transcripts of %s", (kind, host) => {
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
});
