// Codex CLI's recorded payloads through the registered hook and a real worker: the exact output of each.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kebabCase } from "../../src/text/kebab-case.ts";
import { serveIn } from "../helpers/called-worker.ts";
import { drained, until, type WorkerHome, workerHome } from "../helpers/worker-process.ts";
import { refusedByCodex } from "./codex-output.ts";
import { silent } from "./hook/hook-payload.ts";
import { launchers, runHook, spooled } from "./hook/run-hook.ts";

const fixtures = new URL("../fixtures/host-events/codex/", import.meta.url);
const rule = "Use pnpm, never npm.";

function recorded(file: string, more: object = {}): string {
  return JSON.stringify({ ...JSON.parse(readFileSync(new URL(`${file}.json`, fixtures), "utf8")), ...more });
}

function send(home: WorkerHome, file: string, more: object = {}) {
  const [name = ""] = file.split(".");
  return runHook(launchers["as registered"](kebabCase(name), "codex"), home, recorded(file, more));
}

/** The one event and text of an output; nothing else is in it. */
function contextIn(stdout: string): { event: string; text: string } {
  const { hookSpecificOutput, ...rest } = JSON.parse(stdout);
  const { hookEventName: event, additionalContext: text, ...more } = hookSpecificOutput;
  expect([rest, more]).toEqual([{}, {}]);
  return { event, text };
}

function countIn(status: unknown): number {
  return (status as { accepted: number }).accepted;
}

async function memoryOfLogin(home: WorkerHome) {
  const worker = await serveIn(home);
  expect((await worker.post("/api/rules", { text: rule, project: "demo" })).status).toBe(201);
  expect(await send(home, "PostToolUse.apply_patch", { session_id: "earlier" })).toEqual(silent);
  await drained(worker);
  return worker;
}

// The session of each payload and what it had before decide what it gets; payloads without text here get nothing.
const outputs: readonly [file: string, texts?: string[]][] = [
  ["SessionStart.startup", [rule]],
  ["UserPromptSubmit"],
  ["PreToolUse.Bash"],
  ["PostToolUse.Bash"],
  ["SessionStart.resume"],
  ["Stop"],
  ["SessionEnd.other"],
  ["PreToolUse.Bash.read-elsewhere", ["Earlier records about src/login.ts"]],
  ["PreToolUse.apply_patch"],
  ["PostToolUse.apply_patch"],
  ["PostToolUse.Bash.failed"],
  ["PostToolUse.spawn_agent"],
  ["SubagentStart"],
  ["UserPromptSubmit.in-subagent"],
  ["PreToolUse.Bash.in-subagent"],
  ["PostToolUse.Bash.in-subagent"],
  ["SubagentStop"],
  ["PreCompact.auto"],
  ["PostCompact.auto"],
  ["SessionStart.compact", [rule]],
  ["PreCompact.manual"],
  ["PostCompact.manual"],
  ["SessionStart.clear", [rule]],
];

test("every recorded payload gets its exact envelope, or nothing", async () => {
  const files = readdirSync(fixtures).map((file) => file.replace(".json", ""));
  expect(outputs.map(([file]) => file).toSorted()).toEqual(files.toSorted());
  const home = workerHome({ MEM_CONTEXT_OBSERVATION_TYPES: "decision" });
  await memoryOfLogin(home);
  // The folder of a command is not the session's, which its prompt tells.
  const { session_id } = JSON.parse(recorded("PreToolUse.Bash.read-elsewhere"));
  await send(home, "UserPromptSubmit", { session_id, turn_id: "before" });
  for (const [file, texts] of outputs) {
    const run = await send(home, file);
    if (texts === undefined) expect({ file, ...run }).toEqual({ file, ...silent });
    else {
      const [event = ""] = file.split(".");
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(refusedByCodex(event, run.stdout)).toEqual([]);
      expect(contextIn(run.stdout)).toEqual({
        event,
        text: expect.stringMatching(texts.map((text) => text.replaceAll(".", "\\.")).join("[^]*")),
      });
    }
  }
  expect(spooled(home)).toEqual([]);
});

test("a prompt without a worker leaves the context to the next one", async () => {
  const home = workerHome();
  const worker = await memoryOfLogin(home);
  await worker.stop();
  expect(await send(home, "UserPromptSubmit")).toEqual(silent);
  expect(spooled(home)).toHaveLength(1);
  await serveIn(home);
  await until(() => (spooled(home).length === 0 ? true : undefined), 20_000, "an empty spool");
  const next = await send(home, "UserPromptSubmit", { turn_id: "turn-2", prompt: "Go on, please." });
  expect(contextIn(next.stdout)).toEqual({ event: "UserPromptSubmit", text: expect.stringContaining(rule) });
  const later = await send(home, "UserPromptSubmit", { turn_id: "turn-3", prompt: "And on." });
  expect(later).toEqual(silent);
});

test("a compaction queues a summary and gives the context back", async () => {
  const home = workerHome();
  const worker = await memoryOfLogin(home);
  const accepted = async () => (await worker.get("/api/processing-status")).body;
  const prompt = (turn_id: string) =>
    send(home, "UserPromptSubmit", { turn_id, prompt: `Go on, ${turn_id}.` });
  const { session_id } = JSON.parse(recorded("UserPromptSubmit"));
  expect(contextIn((await prompt("a")).stdout).text).toContain(rule);
  expect(await prompt("b")).toEqual(silent);
  const before = await accepted();
  expect(await send(home, "PreCompact.manual", { session_id })).toEqual(silent);
  expect(await accepted()).toMatchObject({ accepted: countIn(before) + 1 });
  expect(contextIn((await prompt("c")).stdout).text).toContain(rule);
  expect(await prompt("d")).toEqual(silent);
});
