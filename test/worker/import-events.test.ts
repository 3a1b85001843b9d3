// Importing transcripts through the worker's routes, on a real database file.
import { appendFileSync, cpSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import type { ImportedEvent } from "../../src/core/records/imports.ts";
import { transcriptsAt } from "../../src/imports/find-transcripts.ts";
import type { ImportProgress } from "../../src/imports/import.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { volume } from "../helpers/volume.ts";
import { exportLines, importInto, stored } from "./import-world.ts";
import {
  ask,
  dayMs,
  db,
  eachWithAWorker,
  generated,
  hook,
  moveToAnotherMachine,
  now,
  remove,
  rows,
  store,
  travel,
} from "./trash-world.ts";

eachWithAWorker();

const fixture = fileURLToPath(new URL("../fixtures/import/claude-code/projects", import.meta.url));
const session = "00000000-0000-4000-8000-000000000001";
const main = `-home-user-demo/${session}.jsonl`;
// The fixture is from 2026-08-23.
const soon = Math.ceil((Date.UTC(2026, 7, 24) - now) / dayMs);

let folder: string;

beforeEach(() => {
  folder = tempDir();
  cpSync(fixture, folder, { recursive: true });
  age(main);
  age(`-home-user-demo/${session}/subagents/agent-a1b2c3.jsonl`);
  travel(soon);
});

function age(file: string): void {
  const at = new Date("2026-08-23T14:00:00Z");
  utimesSync(join(folder, file), at, at);
}

function importAll(): Promise<ImportProgress> {
  return importInto(transcriptsAt("claude-code", folder, { now: travel(soon), limit: null }));
}

const time = (clock: string): number => Date.parse(`2026-08-23T${clock}.100Z`);

/** Sends the session's events as its hooks did. */
async function recordLive(): Promise<void> {
  const [source] = transcriptsAt("claude-code", join(folder, main), { now: travel(soon), limit: null });
  for await (const { events } of source?.steps(null) ?? [])
    for (const { event, at, payload } of events) {
      travel((at - now - 1) / dayMs);
      await hook(event, payload);
    }
  await generated();
}

describe("a transcript of Claude Code", () => {
  test("becomes a session with its prompts, tool uses and turns", async () => {
    expect(await importAll()).toMatchObject({
      sessions: 1,
      prompts: 4,
      toolUses: 6,
      turns: 2,
      known: 0,
      malformed: 1,
    });
    const { sessions, prompts, observations, summaries } = stored();
    expect(sessions).toEqual([
      {
        ...{ claude_session_id: session, project: "demo", host: "claude-code", cwd: "/home/user/demo" },
        ...{ status: "completed", prompt_count: 5 },
        ...{ created_at_epoch: time("13:00:00"), completed_at_epoch: time("13:05:14") },
      },
    ]);
    expect(prompts).toMatchObject([
      { prompt_text: expect.stringContaining("login redirect"), created_at_epoch: time("13:00:00") },
      { prompt_text: "Also never use npm in this repository, use pnpm." },
      { prompt_text: "/review login" },
      { prompt_text: "", private: 1 },
      { prompt_text: "Deploy with the key  please" },
    ]);
    expect(observations).toContainEqual(
      expect.objectContaining({ standing: 1, said_by: "user", created_at_epoch: time("13:00:33") }),
    );
    expect(observations).toContainEqual(
      expect.objectContaining({
        title: "npm test failed with exit code 1: Error: expected /home?next=1, got /home",
      }),
    );
    expect(summaries).toMatchObject([
      { created_at_epoch: time("13:00:33") },
      { created_at_epoch: time("13:01:52") },
    ]);
  });

  test("adds nothing after it was copied to another place", async () => {
    await importAll();
    const before = stored();
    const elsewhere = tempDir();
    cpSync(folder, elsewhere, { recursive: true, preserveTimestamps: true });
    folder = elsewhere;
    expect(await importAll()).toMatchObject({ sessions: 0, prompts: 0, toolUses: 0, turns: 0, known: 13 });
    expect(stored()).toEqual(before);
  });

  test("adds nothing to a session that was recorded live", async () => {
    await recordLive();
    travel(soon);
    const before = rows();
    const sub = await ask("GET", "/api/stats");
    expect(await importAll()).toMatchObject({ sessions: 0, prompts: 0, toolUses: 1, turns: 0 });
    expect(sub.body.database.sessions).toBe(1);
    // The tool use of the sub-agent was not recorded live.
    expect(rows().raw_events).toHaveLength((before.raw_events?.length ?? 0) + 1);
    expect(rows().user_prompts).toEqual(before.user_prompts);
    expect(rows().session_summaries).toEqual(before.session_summaries);
  });

  test("adds nothing to a live session whose events were deleted by their age", async () => {
    await recordLive();
    travel(soon + 40);
    store.rawEvents.purge(now + (soon + 10) * dayMs, 1_000);
    expect(rows().raw_events).toEqual([]);
    const { message_counts: _counts, ...before } = rows();
    const sources = transcriptsAt("claude-code", join(folder, main), { now: travel(soon + 40), limit: null });
    for (const source of sources)
      for await (const { events } of source.steps(null))
        expect(
          (await ask("POST", "/api/import/events", { source: source.key, host: source.host, events })).body,
        ).toMatchObject({ prompts: 0, toolUses: 0, turns: 0 });
    expect(rows()).toMatchObject(before);
  });

  test("goes on where the host wrote on", async () => {
    const path = join(folder, main);
    const text = readFileSync(path, "utf8");
    const lines = text.split("\n");
    for (let count = 1; count < lines.length; count += Math.ceil(lines.length / volume(9, 3))) {
      writeFileSync(path, `${lines.slice(0, count).join("\n")}\n`);
      age(main);
      await importAll();
    }
    writeFileSync(path, text);
    age(main);
    await importAll();
    const grown = stored();
    expect(grown.prompts).toHaveLength(5);
    expect(grown.events).toHaveLength(9);
  });

  test("keeps two prompts with the same words within a minute", async () => {
    folder = tempDir();
    const line = (uuid: string, second: number) => ({
      ...{ type: "user", sessionId: "twice", cwd: "/home/user/demo", uuid, promptId: uuid },
      ...{ timestamp: `2026-08-23T13:00:0${second}.100Z`, message: { role: "user", content: "Go on." } },
    });
    writeFileSync(
      join(folder, "twice.jsonl"),
      [line("a", 0), line("b", 5)].map((one) => `${JSON.stringify(one)}\n`).join(""),
    );
    age("twice.jsonl");
    expect(await importAll()).toMatchObject({ prompts: 2, known: 0 });
    db.exec("delete from import_sources");
    expect(await importAll()).toMatchObject({ prompts: 0, known: 2 });
  });

  test("does not bring back what the user deleted", async () => {
    await importAll();
    expect((await remove("/api/prompts/1")).status).toBe(200);
    const before = rows();
    db.exec("delete from import_sources");
    expect(await importAll()).toMatchObject({ prompts: 0, toolUses: 0, turns: 0 });
    expect(rows().user_prompts).toEqual(before.user_prompts);
    expect(rows().observations).toEqual(before.observations);
  });
});

test("what happened in a session before it was deleted does not come back", async () => {
  await importAll();
  const ids = db.prepare<[], number>("select id from sessions").pluck().all();
  expect(ids.length).toBeGreaterThan(0);
  const entries = [];
  for (const id of ids) entries.push((await remove(`/api/sessions/${id}`)).body.trash_id);
  const again = async () => {
    db.prepare("delete from import_sources").run();
    await importAll();
    return db.prepare<[], number>("select id from sessions").pluck().all();
  };
  expect(await again()).toEqual([]);
  await ask("DELETE", "/api/trash");
  await expect.poll(() => db.prepare("select count(*) from trash").pluck().get()).toBe(0);
  expect(await again()).toEqual([]);
  expect(db.prepare("select count(*) from raw_events").pluck().get()).toBe(0);
  // The host goes on in it.
  const later = await ask("POST", "/api/sessions/init", {
    claudeSessionId: session,
    project: "demo",
    prompt: "Go on with it.",
  });
  expect(later.body).toMatchObject({ skipped: false });
});

test("a restored session takes its events again", async () => {
  await importAll();
  const uses = () => db.prepare("select count(*) from raw_events where kind = 'observation'").pluck().get();
  const before = uses();
  expect(before).toBeGreaterThan(0);
  const { trash_id } = (await remove("/api/sessions/1")).body;
  await ask("POST", `/api/trash/${trash_id}/restore`, {});
  db.prepare("delete from raw_events").run();
  db.prepare("delete from import_sources").run();
  await importAll();
  expect(uses()).toBe(before);
});

test("after an export was imported, its transcript doubles and restores nothing", async () => {
  await importAll();
  const [{ id: observation }, { id: summary }] = [
    db.prepare<[], { id: number }>("select id from observations where standing = 0").get() ?? { id: 0 },
    db.prepare<[], { id: number }>("select id from session_summaries").get() ?? { id: 0 },
  ];
  expect((await remove(`/api/observations/${observation}`)).status).toBe(200);
  expect((await remove(`/api/summaries/${summary}`)).status).toBe(200);
  const records = exportLines();
  await moveToAnotherMachine();
  travel(soon);
  await ask("POST", "/api/import/records", { records });
  const before = stored();
  expect(await importAll()).toMatchObject({ sessions: 0, prompts: 0, toolUses: 0, turns: 0 });
  expect(stored()).toEqual(before);
});

test("a tool use from after the export is imported", async () => {
  await importAll();
  const records = exportLines();
  await moveToAnotherMachine();
  const path = join(folder, main);
  const line = (type: string, at: string, content: object) =>
    `${JSON.stringify({ type, sessionId: session, cwd: "/home/user/demo", uuid: at, timestamp: `2026-08-23T${at}.100Z`, message: { role: type, content: [content] } })}\n`;
  const use = {
    type: "tool_use",
    id: "toolu_later",
    name: "Edit",
    input: { file_path: "/home/user/demo/b.ts" },
  };
  appendFileSync(path, line("assistant", "13:09:00", use));
  appendFileSync(
    path,
    line("user", "13:09:01", { type: "tool_result", tool_use_id: use.id, content: "done" }),
  );
  age(main);
  travel(soon);
  await ask("POST", "/api/import/records", { records });
  expect(await importAll()).toMatchObject({ prompts: 0, toolUses: 1, turns: 0 });
});

test("a last turn that may still be running is counted, and its end imported later", async () => {
  folder = tempDir();
  const line = (type: string, second: number, message: object) => ({
    ...{ type, sessionId: "fresh", cwd: "/home/user/demo", uuid: `line-${second}` },
    ...{ timestamp: `2026-08-23T13:00:0${second}.100Z`, message: { role: type, ...message } },
  });
  const lines = [
    line("user", 0, { content: "Fix the login redirect." }),
    line("assistant", 5, {
      id: "message",
      stop_reason: "end_turn",
      content: [{ type: "text", text: "Fixed: the redirect lost its query." }],
    }),
  ];
  const path = join(folder, "fresh.jsonl");
  writeFileSync(path, lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const written = new Date(travel(soon) - 10_000);
  utimesSync(path, written, written);
  expect(await importAll()).toMatchObject({ prompts: 1, turns: 0, unfinished: 1 });
  expect(await importAll()).toMatchObject({ prompts: 0, turns: 0, unfinished: 1 });
  age("fresh.jsonl");
  expect(await importAll()).toMatchObject({ prompts: 0, turns: 1, unfinished: 0 });
  expect(await importAll()).toMatchObject({ turns: 0, unfinished: 0 });
});

test("turns of one batch leave the same records as turns that come one by one", async () => {
  const payload = { session_id: "repaired", cwd: "/home/user/demo" };
  const event = (name: string, at: string, more: object): ImportedEvent => ({
    ...{ event: name, at: time(at), key: at, turn: null },
    payload: { ...payload, ...more },
  });
  const run = { tool_name: "Bash", tool_input: { command: "npm test -- cart" } };
  const error = "Exit code 1\nFAIL test/cart.test.ts\nAssertionError: expected 3, got 0";
  const turns = [
    event("UserPromptSubmit", "13:00:00", { prompt_id: "a", prompt: "Run the tests of the cart." }),
    event("PostToolUseFailure", "13:00:05", { prompt_id: "a", tool_use_id: "one", ...run, error }),
    event("Stop", "13:00:09", { prompt_id: "a", last_assistant_message: "The cart test fails." }),
    event("UserPromptSubmit", "13:01:00", { prompt_id: "b", prompt: "Repair the cart." }),
    event("PostToolUse", "13:01:05", { prompt_id: "b", tool_use_id: "two", ...run, tool_response: "ok 3" }),
    event("Stop", "13:01:09", { prompt_id: "b", last_assistant_message: "The cart test passes now." }),
  ];
  const take = async (events: readonly ImportedEvent[]) => {
    const batch = { source: "0".repeat(64), host: "claude-code", events };
    expect((await ask("POST", "/api/import/events", batch)).status).toBe(200);
    await generated();
  };
  await take(turns.slice(0, 3));
  await take(turns.slice(3));
  const turnByTurn = stored();
  expect(turnByTurn.observations).not.toEqual([]);
  await moveToAnotherMachine();
  await take(turns);
  expect(stored()).toEqual(turnByTurn);
});

test("a record has the branch and the commit that its transcript names", async () => {
  const commit = "a".repeat(40);
  const event = (id: string, at: string, place: object): ImportedEvent[] => [
    {
      ...{ event: "UserPromptSubmit", at: time(`${at}:00`), key: id, turn: id, ...place },
      payload: { session_id: "placed", cwd: "/home/user/demo", prompt: `Why does ${id} fail?` },
    },
    {
      ...{ event: "Stop", at: time(`${at}:09`), key: `stop:${id}`, turn: id, ...place },
      payload: {
        ...{ session_id: "placed", cwd: "/home/user/demo" },
        last_assistant_message: `The ${id} failed because the queue was full, so I doubled its size.`,
      },
    },
  ];
  const events = [
    ...event("login", "13:00", { branch: "feat/login" }),
    ...event("cart", "13:01", { branch: "main", commit }),
    ...event("detached", "13:02", { branch: "HEAD" }),
    ...event("wrong", "13:03", { branch: "a..b", commit: "--all" }),
  ];
  const batch = { source: "0".repeat(64), host: "claude-code", events };
  expect((await ask("POST", "/api/import/events", batch)).status).toBe(200);
  await generated();
  const placed = (table: string) =>
    db.prepare(`select distinct prompt_number, branch, git_commit from ${table} order by 1`).raw().all();
  const records = [
    [1, "feat/login", null],
    [2, "main", commit],
    [3, null, null],
    [4, null, null],
  ];
  expect(placed("session_summaries")).toEqual(records);
  expect(placed("observations")).toEqual(records);
  expect(placed("user_prompts")).toEqual(records);
  expect(db.prepare("select branch, git_commit from sessions").raw().all()).toEqual([[null, null]]);
});

test("reads a byte order mark, lines without a time, and a last line without its end", async () => {
  folder = tempDir();
  const line = (type: string, uuid: string, message: object, timestamp?: string) =>
    JSON.stringify({ type, sessionId: "odd", cwd: "/home/user/demo", uuid, timestamp, message });
  const text = [{ type: "text", text: "It lost its query, because the parser stopped at the hash." }];
  const lines = [
    line("user", "a", { content: "Why does the login fail?" }, "2026-08-23T13:00:00.100Z"),
    '{"type":"user","sessionId":"odd",',
    line("summary", "s", {}),
    line("assistant", "b", { id: "m", stop_reason: "end_turn", content: text }),
  ];
  writeFileSync(join(folder, "odd.jsonl"), `\uFEFF${lines.join("\r\n")}`);
  age("odd.jsonl");
  expect(await importAll()).toMatchObject({ prompts: 1, turns: 1, malformed: 1 });
  expect(await importAll()).toMatchObject({ prompts: 0, turns: 0, known: 0 });
});
