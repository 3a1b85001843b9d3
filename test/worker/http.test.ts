// Through the real routes into a real file: no field that a client can fill reaches the disk or an answer uncleaned.
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { loadSettings } from "../../src/settings/load.ts";
import { settingKeys } from "../../src/settings/table.ts";
import { withLateStatements } from "../../src/store/sqlite/late-statements.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { buildWorker } from "../../src/worker/build.ts";
import { listedSettings } from "../../src/worker/http.ts";
import { findCanaries, tempDir } from "../helpers/temp-dir.ts";

const planted = (name: string) => `${name} <private>CANARY-${name}</private>`;
const message = {
  claudeSessionId: planted("session"),
  cwd: planted("cwd"),
  project: planted("project"),
  platformSource: planted("host"),
  agentType: planted("agent type"),
  promptId: planted("prompt id"),
};

const requests: [method: string, path: string, body: object][] = [
  ["POST", "/api/sessions/init", { ...message, prompt: "go" }],
  [
    "POST",
    "/api/sessions/observations",
    { ...message, tool_name: planted("tool"), tool_use_id: planted("tool use"), agentId: planted("agent") },
  ],
  ["POST", "/api/sessions/summarize", { ...message, last_assistant_message: planted("last") }],
  ["POST", "/observations", { ...message, claudeSessionId: "two", title: planted("title") }],
  ["PATCH", "/sessions/1", { title: planted("session title") }],
  ["POST", "/api/settings", { selectedProject: planted("selected") }],
  [
    "POST",
    "/api/hooks/claude-code/novelty",
    { session_id: message.claudeSessionId, cwd: "/w", hook_event_name: planted("event") },
  ],
];

test("nothing that a private tag hides in any field is stored or answered", async () => {
  const dataDir = tempDir();
  const settings = loadSettings({ dataDir, env: {} });
  const clock = { now: () => 1_760_000_000_000, monotonicMs: () => performance.now() };
  const db = withLateStatements(
    openDatabase(settings.paths.database, { product: "0.0.0", now: clock.now() }),
  );
  let port = 0;
  const identity = { instance: "one", secret: "s", startedAt: clock.now() };
  const log = pino({ level: "silent" });
  const worker = buildWorker({ db, settings, env: {}, log, clock, identity, port: () => port });
  await worker.ready();
  await new Promise<void>((resolve) => worker.server.listen(0, "127.0.0.1", resolve));
  port = portOf(worker.server.address());
  const base = `http://127.0.0.1:${port}`;
  const answers: string[] = [];
  for (const [method, path, body] of requests) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
    expect([path, answer.ok]).toEqual([path, true]);
    answers.push(await answer.text());
  }
  for (const path of ["/sessions", "/observations", "/api/settings", "/api/projects"])
    answers.push(await (await fetch(base + path)).text());
  await worker.close();
  db.pragma("wal_checkpoint(truncate)");
  expect(db.prepare("select count(*) from raw_events").pluck().get()).toBe(3);
  db.close();
  writeFileSync(join(dataDir, "answers"), answers.join("\n"));
  expect(findCanaries(dataDir, ["CANARY"])).toEqual([]);
});

test("the list of settings has every setting and no secret", () => {
  const canary = "canary-2718";
  const dataDir = tempDir();
  const env = {
    MEM_SECONDARY_API_KEY: canary,
    MEM_TV_TOKEN: canary,
    MEM_COMPAT_BASE_URL: `https://user:${canary}@llm.example/v1`,
    MEM_LOG_LEVEL: "DEBUG",
  };
  const listed = listedSettings(loadSettings({ dataDir, env }));
  expect(listed.map(({ name }) => name)).toEqual(settingKeys);
  expect(JSON.stringify(listed)).not.toContain(canary);
  const row = (key: string) => listed.find(({ name }) => name === key);
  expect(row("MEM_TV_TOKEN")).toMatchObject({ value: "set", origin: "environment", isSecret: true });
  expect(row("MEM_COMPAT_API_KEY")).toMatchObject({ value: "", origin: "default", isSecret: true });
  expect(row("MEM_LOG_LEVEL")).toMatchObject({
    value: "DEBUG",
    default: "INFO",
    isSecret: false,
    command: "mem settings set MEM_LOG_LEVEL <value>",
  });
});

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
