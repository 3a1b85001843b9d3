import { expect, test } from "vitest";
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
    ...{ sessions: 1, injections: 1, project: null },
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
