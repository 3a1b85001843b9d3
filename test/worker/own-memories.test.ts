// What the agents of hosts keep in their own memories, as the other hosts of the project get it, live and by an import.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { callWorker, sharedWorker } from "../helpers/called-worker.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

const root = sharedTempDir();
const folders = {
  ...{ CLAUDE_CONFIG_DIR: join(root, "claude"), CODEX_HOME: join(root, "codex") },
  ...{ GEMINI_CLI_HOME: join(root, "gemini"), QWEN_HOME: join(root, "qwen") },
  OPENCLAW_STATE_DIR: join(root, "openclaw"),
};
const shared = sharedWorker(({ env }) => Object.assign(env, folders));
let ids = 0;

/** A new project. */
async function project(worker = shared()) {
  const { port, get, post } = await worker;
  const cwd = join(folders.OPENCLAW_STATE_DIR, `workspace-${++ids}`);
  mkdirSync(cwd, { recursive: true });
  const memory = join("projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory");
  return {
    ...{ cwd, memory, port, post },
    /** What a new session of the host gets. */
    async start(host: string): Promise<string> {
      const event = host === "openclaw" ? "context" : "session-start";
      const id = `session-${++ids}`;
      const sent = { session_id: id, claudeSessionId: id, cwd, source: "startup" };
      return JSON.stringify((await post(`/api/hooks/${host}/${event}`, sent)).body);
    },
    /** Writes a file of Claude Code's own memory. */
    wrote(name: string, type: string, text: string): string {
      const head = `---\nname: ${name}\nmetadata:\n  type: ${type}\n---\n`;
      return write(join(folders.CLAUDE_CONFIG_DIR, memory, `${name}.md`), `${head}\n${text}\n`);
    },
    async rules() {
      const { body } = await get(`/api/rules?${new URLSearchParams({ cwd })}`);
      return body as { rules: { id: number; text: string }[]; proposals: object[] };
    },
  };
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

test("Codex gets a rule of Claude Code's memory, and Claude Code does not", async () => {
  const { wrote, start, rules } = await project();
  wrote("pnpm", "feedback", "Use pnpm, never npm. <private>hunter2</private>");
  wrote("MEMORY", "feedback", "The index of all facts.");
  wrote("odd", "unheard", "Of an unknown form.");
  expect(await start("claude-code")).not.toContain("pnpm");
  const told = await start("codex");
  expect(told).toContain("Use pnpm, never npm.");
  expect(told).not.toMatch(/hunter2|index|unknown form/);
  expect(await rules()).toMatchObject({ rules: [{ source: "agent", said_by: "agent" }], proposals: [] });
});

const typed = (fact: string) => `---\nname: port\ndescription: noise\ntype: feedback\n---\n\n${fact}\n`;
const listed = (fact: string) =>
  `# Facts\n\n- [Noise](noise.md) - noise\n- See /a/noise.md for noise.\n- **Noise:** _(optional)_\n- ${fact}\n`;
const geminiFile = (cwd: string, name: string) => {
  const settings = join(folders.GEMINI_CLI_HOME, ".gemini");
  write(join(settings, "projects.json"), JSON.stringify({ projects: { [cwd]: "shop" } }));
  return join(settings, "tmp", "shop", "memory", name);
};

// In Qwen Code 0.24.4, Gemini CLI 0.61.0 and OpenClaw 2026.9.6 as those programs tell their agents to write them.
test.each<[string, string | null, (cwd: string, memory: string) => string, (fact: string) => string]>([
  ["Claude Code", "claude-code", (_, memory) => join(folders.CLAUDE_CONFIG_DIR, memory, "port.md"), typed],
  ["Qwen Code", null, (_, memory) => join(folders.QWEN_HOME, memory, "feedback", "port.md"), typed],
  ["the index of Gemini CLI", "gemini-cli", (cwd) => geminiFile(cwd, "MEMORY.md"), listed],
  [
    "a note of Gemini CLI",
    "gemini-cli",
    (cwd) => geminiFile(cwd, "port.md"),
    (fact) => `# Port\n\n${fact}\n`,
  ],
  ["OpenClaw", "openclaw", (cwd) => join(cwd, "MEMORY.md"), listed],
  ["OpenClaw about the user", "openclaw", (cwd) => join(cwd, "USER.md"), listed],
])("%s: follows its file, and is not told to its host", async (_name, own, pathOf, textOf) => {
  const { cwd, memory, start } = await project();
  const other = own === "claude-code" ? "codex" : "claude-code";
  const path = pathOf(cwd, memory);
  for (const port of [4000, 4100, 4000]) {
    write(path, textOf(`The preview runs on port ${port}.`));
    const told = await start(other);
    expect(told).toContain(`port ${port}`);
    expect(told).not.toMatch(new RegExp(`${8100 - port}|noise`, "i"));
    if (own !== null) expect(await start(own)).not.toContain("port");
  }
  rmSync(path);
  expect(await start(other)).not.toContain("port");
});

test("an import reads the memory of its projects, also beside given transcripts", async () => {
  const { cwd, memory, wrote, rules, post } = await project();
  const payload = { session_id: `imported-${cwd}`, cwd, prompt: "What is it?" };
  const events = [{ event: "UserPromptSubmit", at: Date.now(), key: "one", turn: null, payload }];
  const imported = async (events: object[], folder?: string) => {
    await post("/api/import/events", { source: "0".repeat(64), host: "claude-code", folder, events });
    return (await rules()).rules;
  };
  const path = wrote("pnpm", "feedback", "Use pnpm, never npm.");
  expect(await imported(events)).toMatchObject([{ text: "Use pnpm, never npm.", source: "agent" }]);
  rmSync(path);
  // The end of an import without anything new.
  expect(await imported([])).toEqual([]);
  const folder = join(root, "backup");
  write(join(folder, memory, "port.md"), typed("Use port 4100."));
  expect(await imported(events, folder)).toMatchObject([{ text: "Use port 4100.", source: "agent" }]);
});

test("a fact that the user rejected or deleted stays away with the same file", async () => {
  const { wrote, start, rules, port, post } = await project();
  for (const name of ["a", "b"]) wrote(name, "user", `Prefers ${name}.`);
  expect(await start("codex")).toMatch(/Prefers/);
  const [one, other] = (await rules()).rules;
  await post(`/api/observations/${one?.id}/status`, { status: "rejected" });
  await fetch(`http://127.0.0.1:${port}/api/observations/${other?.id}`, { method: "DELETE" });
  for (const name of ["a", "b"]) wrote(name, "user", `Prefers ${name}.\n`);
  expect(await start("codex")).not.toContain("Prefers");
});

test("the memory is read when the agent writes it", async () => {
  const { cwd, wrote, rules, start, post } = await project();
  await start("claude-code");
  const file_path = wrote("port", "user", "Prefers port 4000.");
  const tool_input = { file_path, content: "" };
  const used = { tool_name: "Write", tool_use_id: "w", tool_input, tool_response: {} };
  await post("/api/hooks/claude-code/post-tool-use", { session_id: "writes", cwd, ...used });
  expect(await rules()).toMatchObject({ rules: [{ text: "Prefers port 4000." }] });
});

test("gives only the blocks about this project of the one memory of Codex", async () => {
  const { cwd, start } = await project();
  const block = (at: string, fact: string) =>
    `# Task Group: work\napplies_to: cwd=${at}; reuse_rule=safe\n\n### keywords\n\n- words\n\n## Reusable knowledge\n\n- ${fact}\n`;
  const text = block(cwd, "Migrations run before tests.") + block(`${cwd}-other`, "It is written in Go.");
  write(join(folders.CODEX_HOME, "memories", "MEMORY.md"), text);
  const told = await start("claude-code");
  expect(told).toContain("Migrations run before tests.");
  expect(told).not.toMatch(/Go\.|- words/);
  expect(await start("codex")).not.toContain("Migrations");
});

test("MEM_HOST_MEMORY=false reads nothing of it", async () => {
  const off = callWorker(undefined, { ...folders, MEM_HOST_MEMORY: "false" });
  const { wrote, start } = await project(off);
  wrote("pnpm", "feedback", "Use pnpm, never npm.");
  expect(await start("codex")).not.toContain("pnpm");
});
