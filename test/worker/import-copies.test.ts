// A host starts the transcript of a resumed or forked session with lines of the session before: each is imported once.
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { transcriptsAt } from "../../src/imports/find-transcripts.ts";
import { parseObject } from "../../src/text/json-fields.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { importInto } from "./import-world.ts";
import { dayMs, db, eachWithAWorker, now, travel } from "./trash-world.ts";

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

const itsOwn: Line = {
  ...{ type: "user", uuid: "own-1", sessionId: second, cwd: "/home/user/demo" },
  timestamp: "2026-08-23T13:30:00.000Z",
  message: { role: "user", content: "Which port does the resumed session use?" },
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
  const own = db
    .prepare("select prompt_text from user_prompts where claude_session_id = ? and private = 0")
    .pluck()
    .all(second);
  expect(own).toEqual(["Which port does the resumed session use?"]);
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
