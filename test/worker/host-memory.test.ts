// Memory files of hosts on a real disk.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createHostMemory } from "../../src/worker/host-memory.ts";
import { tempDir } from "../helpers/temp-dir.ts";

let home: string;
let cwd: string;
let environment: Record<string, string> = {};
beforeEach(() => {
  home = tempDir();
  environment = {};
  cwd = join(home, "work", "app", "src");
  mkdirSync(cwd, { recursive: true });
});

function write(path: string, text: string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function sentences(host = "claude-code", recorded: string[] = []): Promise<string[]> {
  const memory = createHostMemory(home, environment, () => recorded.map((name) => join(home, name)));
  return [...(await memory(host, cwd))].sort();
}

test("reads the files of Claude Code in the folder, above it and in the home", async () => {
  write("work/app/src/CLAUDE.md", "Here.");
  write("work/app/CLAUDE.local.md", "Above.");
  write("work/.claude/rules/style.md", "In the rules.");
  write(".claude/CLAUDE.md", "In the home.");
  write("work/app/AGENTS.md", "Of another host.");
  expect(await sentences()).toEqual(["above", "here", "in the home", "in the rules"]);
});

test("reads the one recorded folder where the environment lacks the variable", async () => {
  write("recorded/AGENTS.md", "Used.");
  write(".codex/AGENTS.md", "Not used.");
  expect(await sentences("codex", ["recorded"])).toEqual(["used"]);
  expect(await sentences("codex", ["recorded", "other"])).toEqual(["not used"]);
});

test("reads the folder that the host's variable names", async () => {
  environment = { CODEX_HOME: join(home, "elsewhere") };
  write("elsewhere/AGENTS.md", "Used.");
  write(".codex/AGENTS.md", "Not used.");
  expect(await sentences("codex")).toEqual(["used"]);
});

test("reads the notes that Claude Code keeps for the project", async () => {
  const name = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
  write(`.claude/projects/${name}/memory/MEMORY.md`, "- Remembered by the agent");
  expect(await sentences()).toEqual(["remembered by the agent"]);
});

test("follows imports, once each, also in a circle", async () => {
  write("work/app/CLAUDE.md", "See @docs/rules.md and @~/mine.md for more.");
  write("work/app/docs/rules.md", "Imported.\n\n@../CLAUDE.md");
  write("mine.md", "From the home.");
  expect(await sentences()).toEqual(expect.arrayContaining(["from the home", "imported"]));
});

test.each([
  ["codex", "AGENTS.md"],
  ["gemini-cli", "GEMINI.md"],
  ["copilot-cli", ".github/copilot-instructions.md"],
  ["cursor", ".cursorrules"],
  ["opencode", "AGENTS.md"],
  ["openclaw", "MEMORY.md"],
])("reads what %s reads", async (host, name) => {
  write(`work/app/src/${name}`, "Known already.");
  expect(await sentences(host)).toEqual(["known already"]);
});

test("reads a changed file again", async () => {
  const memory = createHostMemory(home, environment);
  write("work/app/CLAUDE.md", "One.");
  expect([...(await memory("claude-code", cwd))]).toEqual(["one"]);
  write("work/app/CLAUDE.md", "Two, longer.");
  expect([...(await memory("claude-code", cwd))]).toEqual(["two, longer"]);
});

test("leaves out what cannot be read, and huge files", async () => {
  write("work/app/CLAUDE.md", `Huge.\n${"x".repeat(600_000)}`);
  mkdirSync(join(cwd, "CLAUDE.md"));
  symlinkSync(join(home, "nowhere"), join(cwd, "CLAUDE.local.md"));
  write(".claude/CLAUDE.md", "Readable.");
  chmodSync(join(home, "work"), 0o755);
  expect(await sentences()).toEqual(["readable"]);
});

test("knows no files of an unknown host", async () => {
  write("work/app/CLAUDE.md", "One.");
  expect(await sentences("another")).toEqual([]);
});
