// Forgetting through the built worker: many canaries, and every byte of the data directory afterwards.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRandom, testSeed } from "../helpers/random.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { volume } from "../helpers/volume.ts";
import {
  drained,
  startWorker,
  until,
  type WorkerHome,
  type WorkerProcess,
  workerHome,
} from "../helpers/worker-process.ts";

/** A word that occurs nowhere else. */
function canary(known: string[]): string {
  const word = `kanari${randomBytes(6).toString("hex")}`;
  known.push(word);
  return word;
}

/** Names of files of the data directory with any of the words, with one of them. */
function filesWithAny(home: WorkerHome, words: readonly string[]): string[] {
  const names = readdirSync(home.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const wanted = new Set(words);
  return names.flatMap((name) => {
    const found = readFileSync(name, "latin1").match(/kanari[0-9a-f]{12}/g) ?? [];
    const left = new Set(found.filter((word) => wanted.has(word)));
    return left.size === 0 ? [] : [`${name}: ${left.size} words, ${[...left][0]}`];
  });
}

interface Work {
  project: string;
  known: string[];
  cwd?: string;
  /** Of each output of a tool, each with a canary. */
  lines?: number;
}

/** Prompts, tool inputs and outputs, file names, rules and messages of one session. */
async function work(
  worker: WorkerProcess,
  session: string,
  { project, known, cwd = `/w/${project}`, lines = 1 }: Work,
) {
  const at = { claudeSessionId: session, project, cwd };
  const post = async (path: string, body: object) => {
    const answer = await worker.post(path, body);
    expect([200, 201]).toContain(answer.status);
  };
  await post("/api/sessions/init", {
    ...at,
    prompt: `Always use the ${canary(known)} parser, never ${canary(known)}.`,
  });
  for (let n = 0; n < 10; n += 1)
    await post("/api/sessions/observations", {
      ...at,
      tool_name: n % 2 === 0 ? "Edit" : "Bash",
      tool_use_id: `${session} ${n}`,
      tool_input:
        n % 2 === 0
          ? { file_path: `${cwd}/${canary(known)}.ts`, old_string: "a", new_string: canary(known) }
          : { command: `make ${canary(known)}` },
      tool_response: {
        stdout: Array.from({ length: lines }, () => `error: ${canary(known)} is missing`).join("\n"),
        code: 1,
      },
    });
  await post("/api/sessions/summarize", {
    ...at,
    last_assistant_message: `The ${canary(known)} loop was wrong because ${canary(known)} was cut. I decided to keep it.`,
  });
  await post("/api/rules", { text: `Always call ${canary(known)} first.`, project });
}

interface State {
  running: boolean;
  gone: boolean;
  erased: boolean;
  trash_id: number | null;
  counts: Record<string, number>;
  checked: { words: number; found: number };
  files: { searched: number; words: number };
  error: string | null;
}

async function forget(worker: WorkerProcess, body: object): Promise<State> {
  expect((await worker.post("/api/forget", body)).body).not.toHaveProperty("error.code");
  return until(
    async () => {
      const state = (await worker.get("/api/forget")).body as State;
      return state.running ? undefined : state;
    },
    180_000,
    "the forget",
  );
}

test("a forgotten project leaves no byte of its canaries in any file", {
  timeout: 240_000,
}, async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  const [gone, stays]: [string[], string[]] = [[], []];
  for (let n = 0; gone.length < volume(1_000, 300); n += 1)
    await work(worker, `s-${n}`, { project: "heron", known: gone, lines: 8 });
  await work(worker, "other", { project: "finch", known: stays });
  await drained(worker);
  writeFileSync(join(home.dataDir, "spool", "rejected"), `{"broken ${gone[0]}\n`);
  writeFileSync(join(home.dataDir, "mem.db.replaced-20260101T000000Z"), `${gone[0]}`);
  expect(filesWithAny(home, gone)).not.toEqual([]);
  const state = await forget(worker, { project: "heron", forever: true });
  expect(state).toMatchObject({
    gone: true,
    erased: true,
    error: null,
    checked: { found: 0 },
    files: { words: 0 },
  });
  expect(state.checked.words).toBeGreaterThan(10);
  expect(filesWithAny(home, gone)).toEqual([]);
  expect(filesWithAny(home, stays)).not.toEqual([]);
  await worker.stop();
  expect(filesWithAny(home, gone)).toEqual([]);
});

test("words leave every file, and what does not contain them stays", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  const known: string[] = [];
  for (let n = 0; n < 2; n += 1) await work(worker, `s-${n}`, { project: "heron", known });
  await drained(worker);
  const observations = async () =>
    ((await worker.get("/api/stats")).body as { database: { observations: number } }).database.observations;
  const before = await observations();
  // Of a prompt, a file's name, a change, two outputs, a command, a message and a rule.
  const random = createRandom(testSeed());
  const kinds = [0, 2, 3, 4, 5, 6, 27, 29].map((n) => ({ word: known[n] ?? "", at: random.next() }));
  const some = kinds.sort((left, right) => left.at - right.at).slice(0, volume(8, 4));
  const words = some.map(({ word }) => word);
  expect(known).toHaveLength(60);
  for (const query of words)
    expect(await forget(worker, { query, forever: true })).toMatchObject({
      error: null,
      files: { words: 0 },
    });
  expect(filesWithAny(home, words)).toEqual([]);
  expect(filesWithAny(home, known)).not.toEqual([]);
  expect(await observations()).toBeLessThan(before);
});

/** Counts of records, without the size of the database. */
async function counted(worker: WorkerProcess): Promise<object> {
  const { database } = (await worker.get("/api/stats")).body as { database: Record<string, number> };
  const { size: _size, ...counts } = database;
  return counts;
}

test("a killed forget goes on in the next worker, and its undo restores all of it", async () => {
  const root = tempDir();
  const src = join(root, "heron", "src");
  mkdirSync(src, { recursive: true });
  const home = workerHome({ MEM_FOLDER_CONTEXT_ENABLED: "true" });
  const worker = await startWorker(home);
  const known: string[] = [];
  const prompt = { session_id: "s-0", cwd: join(root, "heron"), prompt: "Start." };
  await worker.post("/api/hooks/claude-code/UserPromptSubmit", prompt);
  for (let n = 0; n < 3; n += 1)
    await work(worker, `s-${n}`, { project: "heron", cwd: join(root, "heron"), known });
  // Longer than a step of the deletion.
  for (let n = 0; n < 300; n += 1)
    await worker.post("/api/sessions/observations", {
      ...{ claudeSessionId: "s-0", project: "heron", cwd: join(root, "heron"), tool_name: "Edit" },
      ...{ tool_use_id: `long ${n}`, tool_response: "done" },
      tool_input: { file_path: join(src, `a${n}.ts`), old_string: "a", new_string: `${known[0]} ${n}` },
    });
  await drained(worker);
  const file = join(src, "CLAUDE.md");
  await worker.post("/api/folders/refresh", { project: "heron" });
  expect(existsSync(file)).toBe(true);
  const before = await counted(worker);
  expect((await worker.post("/api/forget", { project: "heron" })).status).toBe(200);
  const isBegun = async () =>
    ((await worker.get("/api/forget")).body as { done: number }).done > 0 ? true : undefined;
  await until(isBegun, 20_000, "the first step");
  await worker.kill();
  const next = await startWorker(home);
  await until(
    async () => ((await next.get("/api/forget")).body as State).trash_id ?? undefined,
    60_000,
    "the rest",
  );
  expect(existsSync(file)).toBe(false);
  expect(await counted(next)).toMatchObject({ sessions: 0, observations: 0, summaries: 0, prompts: 0 });
  const { items } = (await next.get("/api/trash")).body as { items: { trash_id: number }[] };
  expect(items).toMatchObject([{ forget: { counts: { sessions: 3 } } }]);
  expect((await next.get(`/api/search?query=${known[0]}`)).body).toMatchObject({ prompts: [] });
  const sessions: number[] = [];
  for (let rest: unknown = null; rest !== undefined; ) {
    const [entry] = ((await next.get("/api/trash")).body as { items: { trash_id: number }[] }).items;
    const { body } = await next.post(`/api/trash/${entry?.trash_id}/restore`, {});
    expect(body).toMatchObject({ left: 0 });
    const { waiting, restored } = body as { waiting?: number; restored: { sessions: number } };
    sessions.push(restored.sessions);
    rest = waiting;
  }
  expect(sessions.reduce((sum, count) => sum + count)).toBe(3);
  expect(await counted(next)).toEqual(before);
  expect((await next.get("/api/trash")).body).toMatchObject({ items: [] });
  expect((await next.get("/api/forget/receipts")).body).toEqual({ items: [] });
});
