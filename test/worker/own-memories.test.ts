// What the agents of hosts keep in their own memory files, told to the other hosts over real hooks.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type CalledWorker, callWorker } from "../helpers/called-worker.ts";
import { tempDir } from "../helpers/temp-dir.ts";

let sessions = 0;

async function world(env = {}) {
  const root = tempDir();
  const cwd = join(root, "app");
  mkdirSync(cwd);
  const settings = { CLAUDE_CONFIG_DIR: join(root, "claude"), CODEX_HOME: join(root, "codex") };
  const called = await callWorker(undefined, { ...settings, ...env });
  const memory = join(root, "claude", "projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return {
    cwd,
    called,
    keep: (name: string, type: string, text: string) =>
      write(join(memory, name), `---\nname: ${name}\nmetadata:\n  type: ${type}\n---\n\n${text}\n`),
    codex: (text: string) => write(join(root, "codex", "memories", "MEMORY.md"), text),
    hook: (host: string, event: string, more: object) => hook(called, `${host}/${event}`, { cwd, ...more }),
    rules: async () => (await called.get(`/api/rules?${new URLSearchParams({ cwd })}`)).body,
    start: (host: string) =>
      hook(called, `${host}/session-start`, { session_id: `s${++sessions}`, cwd, source: "startup" }),
  };
}

async function hook({ port }: CalledWorker, path: string, payload: object): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/hooks/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(payload),
  });
  return answer.text();
}

test("a rule in Claude Code's memory is told to Codex, and not to Claude Code", async () => {
  const { keep, start, rules } = await world();
  keep("pnpm.md", "feedback", "Use pnpm, never npm. <private>hunter2</private>");
  keep("MEMORY.md", "feedback", "The index of all facts.");
  keep("odd.md", "unheard", "Of an unknown form.");
  expect(await start("claude-code")).not.toContain("pnpm");
  const told = await start("codex");
  expect(told).toContain("Use pnpm, never npm.");
  expect(told).not.toMatch(/hunter2|index|unknown form/);
  expect(await rules()).toMatchObject({ rules: [{ source: "agent", said_by: "agent" }], proposals: [] });
});

test("a changed fact replaces its record, a removed one is told no more, and one taken back may return", async () => {
  const { keep, start } = await world();
  const path = keep("port.md", "reference", "The preview runs on port 4000.");
  expect(await start("codex")).toContain("port 4000");
  keep("port.md", "reference", "Now the preview runs on port 4100.");
  const changed = await start("codex");
  expect(changed).toContain("port 4100");
  expect(changed).not.toContain("port 4000");
  rmSync(path);
  expect(await start("codex")).not.toContain("port");
  keep("port.md", "reference", "The preview runs on port 4000.");
  expect(await start("codex")).toContain("port 4000");
});

test("a fact that the user rejected or deleted stays away while its file says the same", async () => {
  const { keep, start, called } = await world();
  const files = { "a.md": "We ship on Fridays.", "b.md": "We ship from main." };
  for (const [name, text] of Object.entries(files)) keep(name, "project", text);
  expect(await start("codex")).toMatch(/Fridays.*main|main.*Fridays/s);
  await called.post("/api/observations/1/status", { status: "rejected" });
  await fetch(`http://127.0.0.1:${called.port}/api/observations/2`, { method: "DELETE" });
  for (const [name, text] of Object.entries(files)) keep(name, "project", `${text}\n`);
  expect(await start("codex")).not.toMatch(/Fridays|main/);
});

test("is read when the agent writes it", async () => {
  const { keep, hook, rules } = await world();
  await hook("claude-code", "session-start", { session_id: "one", source: "startup" });
  await hook("claude-code", "user-prompt-submit", { session_id: "one", prompt: "Remember the port" });
  const file_path = keep("port.md", "user", "Prefers port 4000.");
  await hook("claude-code", "post-tool-use", {
    ...{ session_id: "one", tool_name: "Write", tool_use_id: "w" },
    ...{ tool_input: { file_path, content: "" }, tool_response: { filePath: file_path } },
  });
  expect(await rules()).toMatchObject({ rules: [{ text: "Prefers port 4000." }] });
});

test("of the one memory of Codex only the blocks about this project are told", async () => {
  const { codex, cwd, start } = await world();
  const block = (at: string, fact: string) =>
    `# Task Group: work\napplies_to: cwd=${at}; reuse_rule=safe\n\n### keywords\n\n- words\n\n## Reusable knowledge\n\n- ${fact}\n`;
  codex(block(cwd, "Migrations run before tests.") + block(`${cwd}-other`, "It is written in Go."));
  const told = await start("claude-code");
  expect(told).toContain("Migrations run before tests.");
  expect(told).not.toMatch(/Go\.|- words/);
  expect(await start("codex")).not.toContain("Migrations");
});

test("with MEM_HOST_MEMORY=false nothing of it is told", async () => {
  const { keep, start } = await world({ MEM_HOST_MEMORY: "false" });
  keep("pnpm.md", "feedback", "Use pnpm, never npm.");
  expect(await start("codex")).not.toContain("pnpm");
});
