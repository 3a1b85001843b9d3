// `mem trash` against a real worker.
import { expect, test } from "vitest";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { fillMemory } from "./mcp/fill.ts";
import { calledMem, type Mem, servedMem } from "./mem.ts";

async function remove(mem: Mem, path: string): Promise<void> {
  const port = readWorkerAddress(mem.home.dataDir)?.port;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "DELETE" });
  expect(answer.status).toBe(200);
}

test("lists what was deleted, restores it, and is emptied for good", async () => {
  const mem = servedMem();
  expect((await mem("trash")).stderr).toContain("The trash is empty.");
  await fillMemory(mem);
  await remove(mem, "/api/observations/1");
  await mem("edit", "2", "--title", "Ran all the tests");
  const { code, stdout, stderr } = await mem("trash");
  expect(code).toBe(0);
  const lines = stdout.split("\n");
  expect(lines[0]).toMatch(/^Id +Kind +Title +When +Gone on$/);
  expect(lines[1]).toMatch(/^2 +observation, edited +Ran the tests +just now +\d{4}-\d\d-\d\d$/);
  expect(lines[2]).toMatch(/^1 +observation +Fixed the login redirect +just now/);
  expect(stderr).toContain("mem trash restore <id>");
  expect((await mem("trash", "list", "--limit", "1")).stderr).toContain("mem trash --offset 1");
  expect(JSON.parse((await mem("trash", "--project", "web", "--json")).stdout)).toMatchObject({ items: [] });
  expect((await mem("trash", "--project", "none")).code).toBe(66);
  expect((await mem("search", "redirect")).stdout).not.toContain("Fixed the login");
  expect(await mem("trash", "restore", "#1")).toMatchObject({ code: 0, stdout: "Restored observation 1.\n" });
  expect((await mem("search", "redirect")).stdout).toContain("Fixed the login");
  const gone = await mem("trash", "restore", "1");
  expect([gone.code, gone.stderr]).toEqual([66, expect.stringContaining("`mem trash` lists")]);
  expect(await mem("trash", "empty")).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("mem trash empty --yes"),
  });
  expect((await mem("trash", "empty", "--yes")).stdout).toBe("Deleted 1 entry for good.\n");
  expect((await mem("trash", "empty")).stdout).toBe("The trash is empty already.\n");
});

test("a refused restore names the command that comes first", async () => {
  const mem = servedMem();
  await fillMemory(mem);
  const worker = createWorkerClient({ dataDir: mem.home.dataDir });
  const { items } = await worker.sessions();
  await worker.close();
  await remove(mem, "/api/observations/1");
  await remove(mem, `/api/sessions/${items.find(({ claude_session_id }) => claude_session_id === "s")?.id}`);
  const { code, stderr } = await mem("trash", "restore", "1");
  expect(code).toBe(65);
  expect(stderr).toContain("Restore the session first: `mem trash restore 2`.");
});

test.each([
  [["trash", "restore", "S1"], "number from `mem trash`"],
  [["trash", "drop"], "No such command: `mem trash drop`."],
])("mem %j is refused", async (words, sentence) => {
  const { code, stderr } = await calledMem()(...words);
  expect([code, stderr]).toEqual([64, expect.stringContaining(sentence)]);
});
