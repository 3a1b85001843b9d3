import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { servedMem } from "./mem.ts";

test("prints what an agent gets, why each record is in it, and why there is nothing", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  await mem("remember", "Never use npm, use pnpm.", "--project", "shop");
  await mem("remember", "Short answers.", "--everywhere");
  const start = await mem("context", "--project", "shop");
  expect(start.code).toBe(0);
  expect(start.stdout).toMatch(/^Start of a session in shop: \d+ tokens\n<\S+>\n# Memory of shop\n/);
  expect(start.stdout).toContain("- Never use npm, use pnpm. (#1)\n");
  expect(start.stdout).toContain(
    [
      "Why:",
      '  #2  decision, said by user, rule everywhere, salience 5.0: in "Rules from the user"',
      '  #1  decision, said by user, rule in this project, salience 5.0: in "Rules from the user"',
      "",
    ].join("\n"),
  );
  const words = ["--project", "shop", "--prompt", "tell me a joke", "--command", "npm install zod"];
  const all = await mem("context", ...words);
  expect(all.stdout).toMatch(
    /^First prompt in shop: 0 tokens\nNo record fits this prompt: it reads as general talk\.\n\nBefore the command: \d+ tokens\n/,
  );
  // Nothing is recorded: the same question has the same answer.
  expect(await mem("context", ...words)).toEqual(all);
  const json = JSON.parse((await mem("context", ...words, "--json")).stdout);
  expect(json).toMatchObject({ project: "shop", items: [{ moment: "prompt" }, { moment: "command" }] });
  const long = await mem("context", "--project", "shop", "--prompt", "pnpm ".repeat(8000));
  expect(long.stdout).toMatch(
    /^First prompt in shop: \d+ tokens\nNo other record fits this prompt: the start has/,
  );
  const unknown = await mem("context", "--project", "shpo");
  expect(unknown.code).toBe(66);
  expect(unknown.stderr).toContain("Install mem for one: `mem install`.");
  expect(start.stderr).toBe("");
});

test("prints one moment alone, with the text that the hook of that moment injects", async () => {
  const mem = servedMem({ MEM_CONTEXT_FULL_COUNT: "0" });
  await mem("remember", "Never use npm, use pnpm.", "--project", "shop");
  const cwd = join(tempDir(), "shop");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const { port } = readWorkerAddress(mem.home.dataDir) ?? {};
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${port}${path}`, init)).text();
  };
  // In a separate session, after its start.
  const hooked = async (event: string, payload: object): Promise<string> => {
    const send = async (name: string, more: object) => {
      const base = { hook_event_name: name, session_id: `before ${JSON.stringify(payload)}`, cwd };
      const answer = await post(`/api/hooks/claude-code/${name}`, { ...base, ...more });
      return answer === "" ? "" : JSON.parse(answer).hookSpecificOutput.additionalContext;
    };
    const start = await send("SessionStart", { source: "startup" });
    return event === "SessionStart" ? start : send(event, payload);
  };
  const record = {
    type: "discovery",
    title: "The cart keeps its redis lock",
    filesModified: [join(cwd, "cart.ts")],
  };
  await post("/observations", { claudeSessionId: "s", cwd, ...record });
  const before = async (tool_name: string, tool_input: object) =>
    hooked("PreToolUse", { tool_name, tool_input });
  const moments = {
    start: [[], () => hooked("SessionStart", { source: "startup" })],
    prompt: [
      ["--prompt", "why is the redis lock slow?"],
      () => hooked("UserPromptSubmit", { prompt: "why is the redis lock slow?" }),
    ],
    command: [["--command", "npm install zod"], () => before("Bash", { command: "npm install zod" })],
    file: [["--file", join(cwd, "cart.ts")], () => before("Read", { file_path: join(cwd, "cart.ts") })],
  } as const;
  for (const [moment, [asked, hook]] of Object.entries(moments)) {
    const { stdout } = await mem("context", "--project", "shop", ...asked, "--json");
    const text = await hook();
    expect(text, moment).toContain("<mem-context-");
    expect(JSON.parse(stdout).items).toMatchObject([{ moment, text }]);
  }
});

test.each([
  ["--prompt", "tell me a joke", "First prompt", "No record fits this prompt: it reads as general talk."],
  [
    "--command",
    "ls",
    "Before the command",
    "No rule forbids this command, and it runs nothing that failures are",
  ],
  [
    "--file",
    "a.ts",
    "Before the file is read or edited",
    "No record is about this file, and no rule names it.",
  ],
])("says in one sentence that there is nothing for %s %s", async (option, value, heading, nothing) => {
  const mem = servedMem();
  await mem("remember", "Never use npm, use pnpm.", "--project", "shop");
  const { stdout } = await mem("context", "--project", "shop", option, value);
  expect(stdout.replaceAll("\n", " ")).toMatch(new RegExp(`^${heading} in shop: 0 tokens ${nothing}`));
});
