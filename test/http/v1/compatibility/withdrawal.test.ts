import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import { createStderrLog } from "../../../../src/core/log.ts";
import { createHostedGeneration } from "../../../../src/server/generation/generation.ts";
import { loadSettings } from "../../../../src/settings/load.ts";
import { loadServerSettings } from "../../../../src/settings/server.ts";
import { requestsTo } from "../../../helpers/hosted-requests.ts";
import { openTestServer } from "../../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "one" });
const { post } = requestsTo(server, key);

async function rows<R extends object>(text: string): Promise<R[]> {
  return (await server.database.system.query<R>({ text })).rows;
}

test("a private prompt at any moment of generation leaves nothing; the rest is kept", async () => {
  await startGenerating();
  const sessions = Array.from({ length: 16 }, (_, index) => index);
  const answers = await Promise.all(sessions.map((index) => oneSession(index)));
  expect(answers.map(({ status }) => status)).toEqual(sessions.map(() => 200));
  const unfinished = "select 1 from generation_jobs where status in ('queued', 'processing')";
  while ((await rows(unfinished)).length > 0) await delay(50);
  const stored = JSON.stringify([
    await rows("select * from observations"),
    await rows("select payload from agent_events"),
    await rows("select * from generation_jobs"),
  ]);
  expect(stored).not.toContain("moonbase");
  for (const index of sessions) expect(stored).toContain(`public-${index}.ts`);
  expect(await rows("select 1 from generation_jobs where status <> 'completed'")).toEqual([]);
});

/** A public and a private tool use, then the private one's prompt, at another moment for each session. */
async function oneSession(index: number) {
  const send = (path: string, body: object) =>
    post(`/api/sessions/${path}`, { claudeSessionId: `s-${index}`, ...body });
  await send("init", { prompt: "In the open", promptId: "p1" });
  await send("observations", { ...edit(`public-${index}.ts`), promptId: "p1" });
  await send("observations", { ...edit(`moonbase-${index}.ts`), promptId: "p2" });
  await delay(index * 40);
  return send("init", { prompt: "<private>the moonbase</private>", promptId: "p2" });
}

function edit(file: string) {
  return {
    tool_name: "Edit",
    tool_input: { file_path: `/w/${file}`, old_string: "a", new_string: "b" },
    tool_response: { filePath: `/w/${file}` },
  };
}

async function startGenerating(): Promise<void> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "mem-test-")));
  const env = { MEM_PROVIDER: "local" };
  const generation = createHostedGeneration({
    database: server.database,
    settings: loadSettings({ dataDir, env }),
    server: loadServerSettings(env),
    env,
    log: createStderrLog("SILENT").log,
    clock: systemClock,
  });
  running.stop = async () => {
    await generation.stop();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  await generation.start();
}

const running: { stop?(): Promise<void> } = {};
afterAll(() => running.stop?.());
