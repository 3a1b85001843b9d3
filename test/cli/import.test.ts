// `mem import` of everything that is found, with a private HOME.
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeMem } from "../worker/foreign-memories.ts";
import { type Mem, servedMem } from "./mem.ts";

function homeOf(mem: Mem): string {
  return mem.home.env.HOME ?? "";
}

function addTranscripts(mem: Mem): void {
  const from = new URL("../fixtures/import/claude-code/projects", import.meta.url);
  cpSync(from, join(homeOf(mem), ".claude", "projects"), { recursive: true });
}

test("install offers to import transcripts while nothing is remembered", async () => {
  const mem = servedMem();
  expect((await mem("install", "claude-code")).stdout).not.toContain("mem import");
  addTranscripts(mem);
  expect((await mem("install", "claude-code")).stdout).toContain(
    "\nImport the past: `mem import`. Hosts delete transcripts after about 30 days.\n",
  );
  expect(await mem("import")).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("mem import auto --yes"),
  });
  expect((await mem("import", "auto", "--yes", "--project", "demo")).stdout).toContain("Imported 1 session");
  expect((await mem("install", "claude-code")).stdout).not.toContain("mem import");
});

test("names the sources for an unknown one, and the projects for one without anything", async () => {
  const mem = servedMem();
  addTranscripts(mem);
  const unknown = await mem("import", "claude-cod");
  expect(unknown.code).toBe(64);
  expect(unknown.stderr.replace(/\s+/g, " ")).toContain("gemini, claude-mem, engram");
  expect(unknown.stderr).toContain("Did you mean claude-code?");
  const { stdout } = await mem("import", "--print", "--project", "nosuch");
  expect(stdout.replace(/\s+/g, " ")).toContain("Nothing of project nosuch was found. Projects found: demo");
});

test("import shows what is there, and imports all but what cannot be read", async () => {
  const mem = servedMem();
  addTranscripts(mem);
  mkdirSync(join(homeOf(mem), ".claude-mem"));
  claudeMem(join(homeOf(mem), ".claude-mem"));
  mkdirSync(join(homeOf(mem), ".engram"));
  writeFileSync(join(homeOf(mem), ".engram", "engram.db"), "x".repeat(5_000));
  const limits = ["--project", "demo"];
  const shown = JSON.parse((await mem("import", "--print", "--json", ...limits)).stdout);
  expect(shown).toMatchObject({
    printed: true,
    projects: [{ project: "demo", sessions: 1, prompts: 5, samples: expect.any(Array) }],
    unreadable: [expect.stringContaining("engram.db")],
  });
  const { code, stdout } = await mem("import", "--yes", ...limits);
  expect(code).toBe(65);
  expect(stdout).toContain("Imported 1 session, 4 prompts");
  expect(stdout).toContain("engram.db cannot be read");
  expect((await mem("import", "--yes", ...limits)).stdout).toContain("Nothing new.");
  const { stdout: foreign } = await mem("import", "claude-mem");
  expect(foreign).toContain("Imported 2 sessions, 2 prompts");
  // claude-mem wrote the records.
  expect(foreign).not.toContain("Local rules");
});

test("one note that cannot be read is named, and the others of its folder are imported", async () => {
  const mem = servedMem();
  const folder = join(homeOf(mem), "basic-memory");
  mkdirSync(folder);
  writeFileSync(join(folder, "good.md"), "Use pnpm here.");
  writeFileSync(join(folder, "bad.md"), Buffer.from([0xff, 0xfe, 0x41, 0x00]));
  const named = "bad.md cannot be read: it is not UTF-8 text.";
  expect((await mem("import", "basic-memory", "--print")).stdout).toContain(named);
  const { code, stdout } = await mem("import", "basic-memory");
  expect(code).toBe(65);
  expect(stdout).toContain("Imported 1 session, 1 record.");
  expect(stdout).toContain(named);
  const { stdout: json } = await mem("import", "basic-memory", "--json");
  expect(JSON.parse(json).unreadable).toEqual([expect.stringContaining(named)]);
});

test("a preview lists what no import has read, and says how much one has", async () => {
  const mem = servedMem();
  addTranscripts(mem);
  const notes = join(homeOf(mem), "basic-memory");
  mkdirSync(notes);
  writeFileSync(join(notes, "first.md"), "Use pnpm here.");
  const shown = async (...words: string[]) => (await mem("import", ...words, "--print")).stdout;
  expect(await shown("claude-code")).not.toContain("imported before");
  await mem("import", "claude-code");
  await mem("import", "basic-memory");
  const nothing = / imported before\nNothing new to import\.\n$/;
  expect(await shown("claude-code")).toMatch(nothing);
  expect(await shown("claude-code", "--project", "demo")).toMatch(nothing);
  expect(await shown("basic-memory")).toMatch(nothing);
  const memory = join(homeOf(mem), "memory.json");
  writeFileSync(
    memory,
    '{"type":"entity","name":"Ada","entityType":"person","observations":["Likes tea"]}\n',
  );
  await mem("import", "mcp-memory", memory);
  expect(await shown("mcp-memory", memory)).toMatch(nothing);
  writeFileSync(join(notes, "second.md"), "Use vitest here.");
  expect(await shown("basic-memory")).toMatch(/^basic-memory: 2 files.*1 session, 1 record\n {2}second\n/s);
  const name = "00000000-0000-4000-8000-000000000001";
  const line = {
    ...{ type: "user", sessionId: name, cwd: "/home/user/demo", uuid: "added" },
    ...{ timestamp: "2026-08-24T10:00:00Z", message: { role: "user", content: "And on staging?" } },
  };
  const path = join(homeOf(mem), ".claude", "projects", "-home-user-demo", `${name}.jsonl`);
  appendFileSync(path, `${JSON.stringify(line)}\n`);
  const grown = await shown("claude-code");
  expect(grown).toMatch(/claude-code: 2 files, [\d.]+ kB, [\d.]+ kB imported before\n/);
  expect(grown).toMatch(/demo {2}.*: 1 session, 1 prompt\n {2}And on staging\?\n\n/);
  expect((await mem("import", "claude-code")).stdout).toContain("Imported 1 prompt");
});
