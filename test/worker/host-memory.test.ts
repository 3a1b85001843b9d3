// Memory files of hosts on a real disk.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createHostMemory } from "../../src/worker/host-memory.ts";
import { tempDir } from "../helpers/temp-dir.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  home = tempDir();
  cwd = join(home, "work", "app", "src");
  mkdirSync(cwd, { recursive: true });
});

function write(path: string, text: string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function sentences(host = "claude-code", recorded: string[] = [], environment = {}): Promise<string[]> {
  const memory = createHostMemory(home, environment, () => recorded.map((name) => join(home, name)));
  return [...(await memory(host, cwd))].sort();
}

test("reads the files of Claude Code here, above and in the home, with imports", async () => {
  write("work/app/src/CLAUDE.md", "Here.");
  write("work/app/CLAUDE.local.md", "Above.");
  write("work/.claude/rules/style.md", "In the rules. @../../CLAUDE.md");
  write("work/CLAUDE.md", "@.claude/rules/style.md and @~/mine.md");
  write("mine.md", "Imported.");
  write(".claude/CLAUDE.md", "In the home.");
  write("work/app/AGENTS.md", "Of another host.");
  const found = await sentences();
  expect(found).toEqual(expect.arrayContaining(["above", "here", "imported", "in the home"]));
  expect(found).not.toContain("of another host");
});

test("reads the one recorded folder, else that of the variable, else the default", async () => {
  const named = { CODEX_HOME: join(home, "named") };
  for (const folder of ["recorded", "named", ".codex"]) write(`${folder}/AGENTS.md`, `In ${folder}.`);
  expect(await sentences("codex", ["recorded"], named)).toEqual(["in recorded"]);
  expect(await sentences("codex", ["recorded", "other"], named)).toEqual(["in named"]);
  expect(await sentences("codex")).toEqual(["in .codex"]);
  expect(await sentences("another")).toEqual([]);
});

test("reads Claude Code's own memory of the repository in a subfolder and a work tree", async () => {
  const roots = { folder: join(home, "work"), main: join(home, "main") };
  const memory = createHostMemory(home, {}, undefined, undefined, () => roots);
  for (const [name, text] of Object.entries({ work: "Of the tree.", main: "Of the main one." }))
    write(join(".claude/projects", join(home, name).replaceAll(/\W/g, "-"), "memory/MEMORY.md"), text);
  expect([...(await memory("claude-code", cwd))]).toEqual(["of the tree", "of the main one"]);
});

test("reads a changed file again, and leaves out unreadable and huge files", async () => {
  const memory = createHostMemory(home, {});
  write("work/app/CLAUDE.md", "One.");
  write("work/CLAUDE.md", `Huge.\n${"x".repeat(600_000)}`);
  mkdirSync(join(cwd, "CLAUDE.md"));
  symlinkSync(join(home, "nowhere"), join(cwd, "CLAUDE.local.md"));
  expect([...(await memory("claude-code", cwd))]).toEqual(["one"]);
  write("work/app/CLAUDE.md", "Two, longer.");
  expect([...(await memory("claude-code", cwd))]).toEqual(["two, longer"]);
});
