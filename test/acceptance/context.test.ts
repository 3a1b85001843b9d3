// Context as a host gets it from the built worker: over its hooks, across a restart, and as files in folders.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calledMem } from "../cli/mem.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import {
  drained,
  startWorker,
  type WorkerHome,
  type WorkerProcess,
  workerHome,
} from "../helpers/worker-process.ts";

/** Records of an earlier session in `folder`, made from what a host sent. */
async function remember(worker: WorkerProcess, folder: string): Promise<void> {
  const base = { session_id: "earlier", cwd: folder };
  await send(worker, "UserPromptSubmit", { ...base, prompt: "Keep the query in the login redirect" });
  for (const [index, name] of ["login", "cache", "queue"].entries()) {
    await send(worker, "PostToolUse", {
      ...base,
      tool_name: "Edit",
      tool_use_id: `toolu_${index}`,
      tool_input: {
        file_path: join(folder, "src", name, `${name}.ts`),
        old_string: `const ${name} = 1;`,
        new_string: `const ${name} = 2; // ${name} redirect`,
      },
      tool_response: { filePath: join(folder, "src", name, `${name}.ts`) },
    });
  }
  await drained(worker);
}

/** What the hook of the event would put into the agent's context. */
async function send(worker: WorkerProcess, event: string, payload: object): Promise<string> {
  const { body } = await worker.post(`/api/hooks/claude-code/${event}`, {
    hook_event_name: event,
    ...payload,
  });
  const answer = body as { hookSpecificOutput?: { additionalContext?: string } };
  return answer.hookSpecificOutput?.additionalContext ?? "";
}

function project(): string {
  const folder = join(tempDir(), "shop");
  for (const name of ["login", "cache", "queue"]) mkdirSync(join(folder, "src", name), { recursive: true });
  mkdirSync(join(folder, ".git"));
  return folder;
}

async function started(home: WorkerHome, folder: string): Promise<WorkerProcess> {
  const worker = await startWorker(home);
  await remember(worker, folder);
  return worker;
}

const answered = (texts: readonly string[]) => texts.filter((text) => text !== "");

test("injects everything once, by two hooks and over a restart, until a reset", async () => {
  const home = workerHome();
  const folder = project();
  const first = await started(home, folder);
  const base = { session_id: "s-1", cwd: folder };
  const begin = { ...base, source: "startup" };
  const both = (worker: WorkerProcess, event: string, payload: object) =>
    Promise.all([send(worker, event, payload), send(worker, event, payload)]).then(answered);
  const [start = "", ...more] = await both(first, "SessionStart", begin);
  expect(more).toEqual([]);
  expect(start).toMatch(/^<mem-context-(\w{8})>\n[\s\S]+\n<\/mem-context-\1>$/);
  for (const name of ["login", "cache", "queue"]) expect(start).toContain(name);
  const prompt = { ...base, prompt: "why does the login redirect lose its query?", prompt_id: "p-1" };
  expect(await both(first, "UserPromptSubmit", prompt)).toEqual([]);
  await first.stop();
  const second = await startWorker(home);
  const read = { ...base, tool_name: "Read", tool_input: { file_path: join(folder, "src/login/login.ts") } };
  expect(await both(second, "SessionStart", begin)).toEqual([]);
  expect(
    await both(second, "UserPromptSubmit", { ...prompt, prompt_id: "p-2", prompt: "login again" }),
  ).toEqual([]);
  expect(await both(second, "PreToolUse", read)).toEqual([]);
  expect(await both(second, "PreToolUse", { ...read, session_id: "s-2" })).toHaveLength(1);
  expect(await both(second, "SessionStart", { ...base, source: "compact" })).toHaveLength(1);
  expect(await both(second, "SessionStart", { ...base, source: "resume" })).toEqual([]);
});

test("a first prompt adds matching records, a private one none; stores neither again", async () => {
  const home = workerHome({ MEM_CONTEXT_OBSERVATIONS: "1" });
  const folder = project();
  const worker = await started(home, folder);
  const base = { cwd: folder, prompt_id: "p-1" };
  for (const session_id of ["s-1", "s-2"])
    await send(worker, "SessionStart", { ...base, session_id, source: "startup" });
  const prompt = "why does the login redirect lose its query?";
  const hidden = { ...base, session_id: "s-1", prompt: `<private>${prompt}</private>` };
  expect(await send(worker, "UserPromptSubmit", hidden)).toBe("");
  const told = await send(worker, "UserPromptSubmit", { ...base, session_id: "s-2", prompt });
  expect(told).toContain("login.ts");
  expect(told.match(/^- #\d+/gm)?.length).toBeLessThanOrEqual(5);
  await send(worker, "UserPromptSubmit", {
    ...base,
    session_id: "s-2",
    prompt_id: "p-2",
    prompt: `go on ${told}`,
  });
  const prompts = JSON.stringify((await worker.get("/api/prompts")).body);
  expect(prompts).toContain("go on");
  expect(prompts).not.toContain("mem-context");
});

test("a setting writes context files, and one command removes them without a trace", async () => {
  const folder = project();
  const mine = join(folder, "src", "cache", "CLAUDE.md");
  writeFileSync(mine, "# Mine\r\nno end");
  const off = calledMem();
  await started(off.home, folder);
  expect(await off("folders", "refresh")).toMatchObject({ code: 65, stdout: "" });
  expect(existsSync(join(folder, "src", "login", "CLAUDE.md"))).toBe(false);
  const mem = calledMem({ MEM_FOLDER_CONTEXT_ENABLED: "true" });
  await started(mem.home, folder);
  expect((await mem("folders", "refresh")).stdout).toContain("3 files written.");
  expect(readFileSync(join(folder, "src", "login", "CLAUDE.md"), "utf8")).toContain("login.ts, ");
  expect(JSON.parse((await mem("folders", "list", "--json")).stdout).items).toHaveLength(3);
  expect((await mem("folders", "remove", join(folder, "src", "login"))).stdout).toContain(
    "Removed the context of mem from 1 file.",
  );
  expect((await mem("folders", "remove")).stdout).toContain("Removed the context of mem from 2 files.");
  expect(existsSync(join(folder, "src", "login", "CLAUDE.md"))).toBe(false);
  expect(readFileSync(mine, "utf8")).toBe("# Mine\r\nno end");
});
