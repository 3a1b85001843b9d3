import { expect, test } from "vitest";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { isInControl } from "../../src/worker/control-group.ts";
import { calledMem, type Mem } from "./mem.ts";

async function start(mem: Mem, session: string): Promise<string> {
  const { port } = JSON.parse((await mem("worker", "status", "--json")).stdout);
  const payload = {
    session_id: session,
    cwd: mem.home.dataDir,
    hook_event_name: "SessionStart",
    source: "startup",
  };
  const answer = await fetch(`http://127.0.0.1:${port}/api/hooks/claude-code/SessionStart`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(payload),
  });
  return answer.text();
}

test("says what was injected, in words and as JSON, and what that does not prove", async () => {
  const mem = calledMem();
  await mem("remember", "Use pnpm, never npm.", "--everywhere");
  expect(await start(mem, "one")).toContain("Use pnpm, never npm.");
  const { stdout, code } = await mem("report");
  expect(code).toBe(0);
  expect(stdout).toMatch(/: 1 text with about \d+ tokens, in 1 session\./);
  expect(stdout).toMatch(/^Rules +1 +0 +0 +0 +0 +0 0 %$/m);
  expect(stdout).toContain("no proof");
  const json = JSON.parse((await mem("report", "--json", "--since", "1d")).stdout);
  expect(json).toMatchObject({
    ...{ sessions: 1, injections: 1, project: null, groups: null, control_percent: 0 },
    kinds: [{ kind: "rule", shown: 1, used: 0 }],
  });
});

test("without injections it says so, and names an unknown project", async () => {
  const mem = calledMem();
  await mem("remember", "Use pnpm, never npm.", "--project", "shop");
  expect((await mem("report", "--project", "shop")).stdout).toMatch(
    /^Nothing was injected since [\d-]+\.\n$/,
  );
  expect(await mem("report", "--project", "none")).toMatchObject({ code: 66 });
});

test("sessions of the control group are recorded without context, and said in status", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_CONTROL_GROUP_PERCENT", "50");
  await mem("remember", "Use pnpm, never npm.", "--everywhere");
  const names = Array.from({ length: 50 }, (_, number) => `session-${number}`);
  const control = names.find((name) => isInControl(name, 50)) ?? "";
  const other = names.find((name) => !isInControl(name, 50)) ?? "";
  expect(await start(mem, control)).not.toContain("pnpm");
  expect(await start(mem, other)).toContain("pnpm");
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  for (const claudeSessionId of [control, other])
    await client.postSession("init", { claudeSessionId, cwd: mem.home.dataDir, prompt: "Go on." });
  await client.close();
  const { groups, control_percent } = JSON.parse((await mem("report", "--json")).stdout);
  expect({ groups, control_percent }).toMatchObject({
    ...{ control_percent: 50, groups: { control: { sessions: 1, prompts: 1 }, injected: { sessions: 1 } } },
  });
  expect((await mem("report")).stdout).toMatch(/^Without context +1 /m);
  expect((await mem("status")).stderr + (await mem("status")).stdout).toContain(
    "50 % of sessions are a control group",
  );
});
