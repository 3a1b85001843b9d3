// The worker as a whole, before it listens.
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { withLateStatements } from "../../src/store/sqlite/late-statements.ts";
import { closeDatabase, openDatabase } from "../../src/store/sqlite/open.ts";
import { createStore } from "../../src/store/sqlite/store.ts";
import { buildWorker } from "../../src/worker/build.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("what a killed worker had claimed waits again before anyone can ask", async () => {
  const dataDir = tempDir();
  const db = withLateStatements(openDatabase(join(dataDir, "mem.db"), { product: "0.0.0-test", now: 1 }));
  onTestFinished(() => closeDatabase(db));
  const store = createStore(db);
  claimOne(store);
  expect(store.pending.counts()).toMatchObject({ pending: 0, processing: 1 });
  const worker = buildWorker({
    db,
    settings: loadSettings({ dataDir, env: {} }),
    env: {},
    log: pino({ level: "silent" }),
    clock: systemClock,
    identity: { instance: "next", secret: "s", startedAt: 1 },
    port: () => 1,
  });
  await worker.ready();
  expect(store.pending.counts()).toMatchObject({ pending: 1, processing: 0 });
  await worker.close();
});

function claimOne(store: ReturnType<typeof createStore>): void {
  const session = store.sessions.insert({
    claude_session_id: "host",
    sdk_session_id: "sdk",
    project: "demo",
    host: "api",
    cwd: null,
    now: 1,
  });
  const event = store.rawEvents.insert({
    session_id: session,
    kind: "observation",
    event_key: "k",
    payload: JSON.stringify({ type: "observation", tool_name: "Read", tool_input: "x" }),
    now: 1,
  });
  store.pending.enqueue(event ?? 0, session, 1);
  store.pending.count("accepted", 1);
  const claim = {
    sessionId: session,
    owner: "killed",
    now: 1,
    leaseUntil: 1_000,
    limit: 1,
    maxChars: 1_000_000,
  };
  expect(store.pending.claim(claim)).toHaveLength(1);
}
