// What the user never wants recorded leaves no byte in the data directory: paths and projects, over hooks and routes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import { calledMem, type Mem } from "../cli/mem.ts";
import { eventually } from "../helpers/eventually.ts";
import { findCanaries, tempDir } from "../helpers/temp-dir.ts";
import { claudeMem } from "../worker/foreign-memories.ts";

const hook = fileURLToPath(new URL("../../dist/hook.cjs", import.meta.url));

/** A hook of Claude Code as the host runs it. */
async function send(mem: Mem, event: string, payload: Record<string, unknown>): Promise<void> {
  const child = spawn(process.execPath, [hook, "claude-code", event], {
    env: mem.home.env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }));
  await once(child, "exit");
}

/** A prompt, a tool use and the end of a turn, all with the word. */
async function turn(mem: Mem, { cwd, word, file = "a.ts" }: { cwd: string; word: string; file?: string }) {
  const at = { session_id: `session ${word}`, cwd };
  await send(mem, "UserPromptSubmit", { ...at, prompt: `Look at ${word}.` });
  await use(mem, { ...at, word, file });
  await send(mem, "Stop", { ...at, last_assistant_message: `The ${word} is fixed.` });
}

async function use(
  mem: Mem,
  { word, file, ...at }: { session_id: string; cwd: string; word: string; file: string },
) {
  const tool_input = { file_path: file, old_string: "a", new_string: word };
  await send(mem, "PostToolUse", {
    ...{ ...at, tool_name: "Edit", tool_use_id: word, tool_input },
    tool_response: { content: word },
  });
}

async function idle(mem: Mem): Promise<void> {
  await eventually(async () => {
    const port = readWorkerAddress(mem.home.dataDir)?.port;
    const answer = await fetch(`http://127.0.0.1:${port}/api/processing-status`);
    expect(await answer.json()).toMatchObject({ isProcessing: false, queueDepth: 0 });
  });
}

const found = (mem: Mem, word: string) => findCanaries(mem.home.dataDir, [word]);

test("excluded paths and projects leave no byte from the next event on", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  await turn(mem, { cwd: "/w/open", word: "kanari-before" });
  await mem("settings", "set", "MEM_EXCLUDE_PATHS", "/w/client/**,*.pem");
  await turn(mem, { cwd: "/w/client/acme", word: "kanari-folder" });
  await use(mem, { session_id: "session x", cwd: "/w/open", word: "kanari-file", file: "/w/client/b.ts" });
  await use(mem, { session_id: "session x", cwd: "/w/open", word: "kanari-key", file: "certs/k.pem" });
  await turn(mem, { cwd: "/w/open", word: "kanari-after" });
  const off = await mem("project", "off", "open");
  expect(off.stdout).toContain("neither recorded nor injected");
  expect((await mem("project", "list")).stdout).toContain("off: neither recorded nor injected");
  await turn(mem, { cwd: "/w/open", word: "kanari-off" });
  expect((await mem("project", "on", "open")).code).toBe(0);
  expect((await mem("project", "off", "none")).code).toBe(66);
  await turn(mem, { cwd: "/w/open", word: "kanari-on" });
  await idle(mem);
  await mem("worker", "stop");
  await turn(mem, { cwd: "/w/client/acme", word: "kanari-spooled" });
  await turn(mem, { cwd: "/w/open", word: "kanari-waits" });
  expect(readdirSync(join(mem.home.dataDir, "spool")).length).toBeGreaterThan(0);
  for (const word of ["before", "after", "on", "waits"])
    expect([word, found(mem, `kanari-${word}`)]).not.toEqual([word, []]);
  for (const word of ["folder", "file", "key", "off", "spooled"])
    expect([word, found(mem, `kanari-${word}`)]).toEqual([word, []]);
});

test("imports leave out excluded projects and paths, and explicit requests say so", async () => {
  const mem = calledMem();
  const root = realpathSync(tempDir());
  const [open, off, client] = ["open", "off", "client"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [open, off, client]) mkdirSync(folder);
  await mem("worker", "start");
  expect((await mem("remember", "Always use the kanari-rule tool.", "--project", "off")).code).toBe(0);
  await mem("project", "off", "off");
  await mem("settings", "set", "MEM_EXCLUDE_PATHS", `${client}/**,*.pem`);
  const memory = otherMemory(root, [
    { project: "open", word: "kanari-plain", file: "a.ts" },
    { project: "open", word: "kanari-key", file: join(open, "certs/k.pem") },
    { project: "off", word: "kanari-off", file: "a.ts" },
    { project: "open", word: "kanari-client", file: join(client, "a.ts") },
  ]);
  expect((await mem("import", "claude-mem", memory)).stdout).toContain("Excluded, left out: 3 records.");
  const transcripts = join(mem.home.env.HOME ?? "", ".claude", "projects", "p");
  mkdirSync(transcripts, { recursive: true });
  for (const [name, cwd] of Object.entries({ open, off, client }))
    writeFileSync(join(transcripts, `${name}.jsonl`), transcript(name, cwd));
  expect(JSON.parse((await mem("import", "claude-code", "--json", "--yes")).stdout)).toMatchObject({
    ...{ sessions: 1, prompts: 1, skipped: 4 },
  });
  const rule = await mem("remember", "Always use the kanari-refused tool.", "--project", "off");
  expect(rule.code).toBe(65);
  expect(rule.stderr).toContain("`off` is excluded");
  expect(rule.stderr).toContain("mem project on");
  const port = readWorkerAddress(mem.home.dataDir)?.port;
  const record = async (body: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/observations`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ claudeSessionId: "explicit", title: "The kanari-refused note", ...body }),
    });
    return [answer.status, ((await answer.json()) as { error?: { code: string } }).error?.code];
  };
  expect(await record({ project: "off" })).toEqual([409, "excluded"]);
  expect(await record({ cwd: client })).toEqual([409, "excluded"]);
  expect(await record({ cwd: open, files_read: ["certs/k.pem"] })).toEqual([409, "excluded"]);
  expect(await record({ cwd: open, title: "The kanari-noted note" })).toEqual([201, undefined]);
  for (const word of ["plain", "rule", "noted", "session-open"])
    expect([word, found(mem, `kanari-${word}`)]).not.toEqual([word, []]);
  for (const word of ["key", "off", "client", "refused", "session-off", "session-client"])
    expect([word, found(mem, `kanari-${word}`)]).toEqual([word, []]);
});

/** A database of claude-mem with one observation for each row. */
function otherMemory(
  folder: string,
  rows: readonly { project: string; word: string; file: string }[],
): string {
  const path = claudeMem(folder);
  const db = new Database(path);
  for (const table of ["observations", "session_summaries", "user_prompts"]) db.exec(`delete from ${table}`);
  const insert = db.prepare(
    `insert into observations (memory_session_id, project, type, title, facts, narrative, concepts, files_read, files_modified,
       created_at, created_at_epoch)
     values ('gone', ?, 'discovery', ?, '[]', 'It is slow.', '[]', '[]', ?, 't', ?)`,
  );
  for (const [n, { project, word, file }] of rows.entries())
    insert.run(project, `The ${word} parser`, JSON.stringify([file]), 1_777_600_000_000 + n);
  db.close();
  return path;
}

/** A prompt and a tool use as Claude Code writes them. */
function transcript(name: string, cwd: string): string {
  const word = `kanari-session-${name}`;
  const at = { sessionId: word, cwd, timestamp: "2026-05-01T10:00:00.000Z", isSidechain: false };
  const use = { type: "tool_use", id: `u-${name}`, name: "Edit", input: { file_path: `${cwd}/${word}.ts` } };
  const result = { type: "tool_result", tool_use_id: `u-${name}`, content: word };
  return [
    { ...at, type: "user", uuid: `p-${name}`, message: { role: "user", content: `Look at ${word}.` } },
    { ...at, type: "assistant", uuid: `a-${name}`, message: { role: "assistant", content: [use] } },
    { ...at, type: "user", uuid: `r-${name}`, message: { role: "user", content: [result] } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}
