// A worker over a real store, in the process of the test.
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Environment } from "../../src/settings/environment.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { buildWorker } from "../../src/worker/build.ts";
import { createMemoryStore } from "./memory-store.ts";
import { tempDir } from "./temp-dir.ts";

/** With these settings, on a real port. */
export async function openWorker(env: Environment = {}) {
  const settings = loadSettings({ dataDir: tempDir(), env: { MEM_PROVIDER: "local", ...env } });
  const memory = createMemoryStore(settings.paths.database);
  const { db } = memory;
  const identity = { instance: "one", secret: "s", startedAt: systemClock.now() };
  let origin = "";
  const worker = buildWorker({
    db,
    settings,
    env,
    log: pino({ level: "silent" }),
    clock: systemClock,
    identity,
    port: () => Number(new URL(origin).port),
  });
  onTestFinished(async () => {
    await worker.close();
    db.close();
  });
  await worker.ready();
  await new Promise<void>((resolve) => worker.server.listen(0, "127.0.0.1", resolve));
  const address = worker.server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  origin = `http://127.0.0.1:${address.port}`;
  async function ask(path: string, init?: RequestInit) {
    const answer = await fetch(`${origin}${path}`, init);
    return { status: answer.status, text: await answer.text() };
  }
  const headers = { "content-type": "application/json" };
  return {
    ...memory,
    get: (path: string) => ask(path),
    post: (path: string, body: unknown) => ask(path, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}
