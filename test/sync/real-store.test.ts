// The engine over the store of the worker: what leaves the device, and a hub that is away for a week.
import { expect, test } from "vitest";
import { recordKinds, syncedColumns } from "../../src/core/records/sync-payload.ts";
import { tableOf } from "../../src/store/sqlite/sync/identities.ts";
import { createSyncRecords } from "../../src/store/sqlite/sync/sync-records.ts";
import { scryptCost } from "../../src/sync/account-key.ts";
import { createSyncEngine } from "../../src/sync/engine.ts";
import { createHubClient } from "../../src/sync/hub-client.ts";
import { createRing, type KeyRing } from "../../src/sync/key-ring.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { volume } from "../helpers/volume.ts";
import { token } from "./device.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { createVirtualTime } from "./virtual-time.ts";

async function createRealDevice(ring: KeyRing) {
  const memory = createMemoryStore();
  const hub = createMemoryHub();
  const records = createSyncRecords(memory.db, { ...memory.store, clean: (text) => text });
  const time = createVirtualTime(async () => {
    // The store commits a little later than a promise does.
    do for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    while (["pulling", "pushing"].includes(engine.status().state));
  });
  const engine = createSyncEngine({
    ...{ store: records, ring, nonce: "nonce", clock: time.clock, timers: time.timers, createLive: null },
    client: createHubClient(hub.transport, { token, userId: "account-1", deviceName: "laptop" }),
    jitter: () => 1,
    isSessionActive: () => false,
    onApplied: () => undefined,
    onChange: () => undefined,
    onFailure: () => undefined,
  });
  await records.includeEarlier();
  await records.projects.setDefault(true);
  return { memory, hub, records, engine, time };
}

/** Puts a different word into every text of every record. */
function plantCanaries({
  memory: { db, store, addObservation, addSummary, addPrompt },
}: Awaited<ReturnType<typeof createRealDevice>>) {
  addObservation({ title: "a title", facts: ["a fact"] });
  addSummary({ request: "a request" });
  addPrompt("a prompt");
  store.projects.ensure("app");
  const canaries: string[] = [];
  for (const kind of recordKinds) {
    const table = tableOf[kind];
    const texts = db
      .prepare<[], string>(`select name from pragma_table_info('${table}') where lower(type) = 'text'`)
      .pluck()
      .all()
      .filter((name) => syncedColumns(kind).includes(name) && !fixed.has(name));
    for (const name of texts) {
      const canary = `canary-${kind}-${name}`;
      const isList = /^(facts|concepts|files_)/.test(name);
      db.prepare(`update ${table} set ${name} = ?`).run(isList ? JSON.stringify([canary]) : canary);
      canaries.push(canary);
    }
  }
  db.prepare("update user_prompts set private = 0").run();
  return canaries;
}

const rows = volume(5_000);

// Words of a list, and the project, which decides what leaves.
const fixed = new Set(["project", "provenance", "status", "said_by", "reach", "obs_type"]);

test("an encrypted account pushes no text of any record; a plain one pushes all", async () => {
  for (const ring of [
    await createRing("a passphrase for tests", scryptCost.least),
    { mode: "plain" } as const,
  ]) {
    const device = await createRealDevice(ring);
    const canaries = plantCanaries(device);
    expect(canaries.length).toBeGreaterThan(25);
    device.memory.addPrompt("canary of a private prompt", { private: true });
    device.engine.start();
    await device.time.advance(2_000);
    expect(device.records.pending()).toMatchObject({
      observations: 0,
      summaries: 0,
      prompts: 0,
      sessions: 0,
    });
    const pushed = device.hub.bodies.join("\n");
    const found = canaries.filter((canary) => pushed.includes(canary));
    expect(found).toEqual(ring.mode === "plain" ? canaries : []);
    expect(pushed).not.toContain("private prompt");
    if (ring.mode === "sealed") expect(pushed).not.toMatch(/canary|"app"/);
    device.memory.close();
  }
});

test("records of a week without a hub arrive in order, and starts stay short", async () => {
  const device = await createRealDevice({ mode: "plain" });
  const { engine, hub, time, records, memory } = device;
  memory.addPrompt("the first");
  memory.store.projects.ensure("app");
  const columns = "session_id, claude_session_id, sdk_session_id, project, private, created_at_epoch";
  const add = memory.db.prepare<[{ key: string; text: string; number: number }]>(
    `insert into user_prompts (${columns}, prompt_number, event_key, prompt_text)
     select ${columns}, @number, @key, @text from user_prompts where id = 1`,
  );
  engine.start();
  await time.advance(0);
  hub.isDown = true;
  const hours = 7 * 24;
  const perHour = Math.ceil(rows / hours);
  for (let hour = 0; hour < hours; hour += 1) {
    memory.db.transaction(() => {
      for (let n = 0; n < perHour; n += 1) {
        const number = hour * perHour + n + 2;
        add.run({ key: `key ${number}`, text: `prompt ${number}`, number });
      }
    })();
    engine.written();
    const start = time.clock.monotonicMs();
    expect(await engine.pullNow({ deadlineMs: 1_500 })).toBe("failed");
    expect(time.clock.monotonicMs() - start).toBeLessThanOrEqual(1_500);
    await time.advance(3_600_000);
  }
  expect(records.pending().prompts).toBe(hours * perHour);
  hub.isDown = false;
  await time.advance(600_000);
  expect(records.pending().prompts).toBe(0);
  const numbers = hub
    .ops()
    .filter(({ kind }) => kind === "prompt")
    .map(({ body }) => JSON.parse(body).payload.prompt_number);
  expect(numbers).toHaveLength(hours * perHour + 1);
  expect(numbers.slice(1)).toEqual(Array.from({ length: hours * perHour }, (_, at) => at + 2));
  memory.close();
});
