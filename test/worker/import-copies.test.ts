// A host starts the transcript of a resumed or forked session with lines of the session before: each is imported once.
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { transcriptsAt } from "../../src/imports/find-transcripts.ts";
import { parseObject } from "../../src/text/json-fields.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { importInto } from "./import-world.ts";
import { ask, dayMs, db, eachWithAWorker, now, remove, travel } from "./trash-world.ts";

eachWithAWorker();

const first = "00000000-0000-4000-8000-000000000001";
const second = "00000000-0000-4000-8000-000000000002";
const fixture = fileURLToPath(
  new URL(`../fixtures/import/claude-code/projects/-home-user-demo/${first}.jsonl`, import.meta.url),
);
// The fixture is from 2026-08-23.
const soon = Math.ceil((Date.UTC(2026, 7, 24) - now) / dayMs);

let folder: string;

beforeEach(() => {
  folder = tempDir();
  travel(soon);
});

type Line = Record<string, unknown>;

const lines = (): Line[] =>
  readFileSync(fixture, "utf8")
    .trimEnd()
    .split("\n")
    // The fixture has a line that was cut off.
    .map(parseObject)
    .filter((line) => line !== null);

const itsOwnText = "Which port does the resumed session use?";
const itsOwn: Line = {
  ...{ type: "user", uuid: "own-1", sessionId: second, cwd: "/home/user/demo" },
  timestamp: "2026-08-23T13:30:00.000Z",
  message: { role: "user", content: itsOwnText },
};

function write(session: string, content: Line[]): void {
  const path = join(folder, `${session}.jsonl`);
  writeFileSync(path, content.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const at = new Date("2026-08-23T14:00:00Z");
  utimesSync(path, at, at);
}

const importAll = () =>
  importInto(transcriptsAt("claude-code", folder, { now: travel(soon), limit: null }), {});
const count = (table: string): unknown => db.prepare(`select count(*) from ${table}`).pluck().get();
const counts = () => ({
  prompts: count("user_prompts where private = 0"),
  toolUses: count("raw_events where kind = 'observation'"),
  observations: count("observations"),
  summaries: count("session_summaries"),
});

const copies: [name: string, of: () => Line[]][] = [
  ["under the new session's id", () => lines().map((line) => ({ ...line, sessionId: second }))],
  [
    "with the place that it is from",
    () =>
      lines().map((line) => ({
        ...{ ...line, sessionId: second, uuid: `new-${line.uuid}` },
        forkedFrom: { sessionId: first, messageUuid: line.uuid },
      })),
  ],
];

test.each(copies)("a line that was copied %s is stored once", async (_name, copied) => {
  write(first, lines());
  await importAll();
  const before = counts();
  expect(before.observations).toBeGreaterThan(0);
  write(second, [...copied(), itsOwn]);
  expect(await importAll()).toMatchObject({ prompts: 1, toolUses: 0, turns: 0 });
  expect(counts()).toEqual({ ...before, prompts: Number(before.prompts) + 1 });
  expect(ofSecond()).toEqual([itsOwnText]);
});

test("a copy without its first session is imported; that session adds nothing later", async () => {
  write(second, [...lines().map((line) => ({ ...line, sessionId: second })), itsOwn]);
  await importAll();
  const before = counts();
  expect(before.observations).toBeGreaterThan(0);
  write(first, lines());
  await importAll();
  expect(counts()).toEqual(before);
});

const resumed = () => [...lines().map((line): Line => ({ ...line, sessionId: second })), itsOwn];
const ofSecond = () =>
  db
    .prepare("select prompt_text from user_prompts where claude_session_id = ? and private = 0")
    .pluck()
    .all(second);

test("a deleted prompt and its turn do not return in a copy, and are restored once", async () => {
  write(first, lines());
  await importAll();
  const ids = db.prepare<[], number>("select id from user_prompts where private = 0").pluck().all();
  const before = counts();
  const entries = [];
  for (const id of ids) entries.push((await remove(`/api/prompts/${id}`)).body.trash_id);
  const { toolUses } = counts();
  write(second, resumed());
  expect(await importAll()).toMatchObject({ prompts: 1, toolUses: 0, turns: 0 });
  expect(counts()).toMatchObject({ prompts: 1, toolUses });
  expect(ofSecond()).toEqual([itsOwnText]);
  for (const id of entries.reverse())
    expect((await ask("POST", `/api/trash/${id}/restore`, {})).status).toBe(200);
  db.exec("delete from import_sources");
  await importAll();
  expect(counts()).toMatchObject({ prompts: Number(before.prompts) + 1 });
});

test("a deleted session does not return in a copy, nor once it left the trash", async () => {
  write(first, lines());
  await importAll();
  await remove("/api/sessions/1");
  await ask("DELETE", "/api/trash");
  write(second, resumed());
  expect(await importAll()).toMatchObject({ prompts: 1, toolUses: 0, turns: 0 });
  expect(ofSecond()).toEqual([itsOwnText]);
  expect(counts()).toEqual({ prompts: 1, toolUses: 0, observations: 0, summaries: 0 });
});

test("a restored prompt of a deleted copy is known again", async () => {
  write(first, lines());
  await importAll();
  const { trash_id } = (await remove("/api/sessions/1")).body;
  await ask("POST", `/api/trash/${trash_id}/restore`, {});
  const before = counts();
  write(second, resumed());
  expect(await importAll()).toMatchObject({ prompts: 1 });
  expect(counts()).toEqual({ ...before, prompts: Number(before.prompts) + 1 });
});

test("the words of a deleted prompt asked again in another session are imported", async () => {
  const again = (uuid: string, timestamp: string): Line => ({
    ...itsOwn,
    ...{ uuid, timestamp, message: { role: "user", content: "Go on" } },
  });
  write(first, [{ ...again("one", "2026-08-23T13:00:00.000Z"), sessionId: first }]);
  await importAll();
  await remove("/api/prompts/1");
  // Another event, and the same id at another time.
  write(second, [again("two", "2026-08-23T13:00:05.000Z"), again("one", "2026-08-23T13:02:00.000Z")]);
  expect(await importAll()).toMatchObject({ prompts: 2 });
});
