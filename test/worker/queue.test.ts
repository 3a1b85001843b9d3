import { beforeEach, expect, test } from "vitest";
import { createQueue } from "../../src/worker/queue.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let notified: number[];
let changes: number;

beforeEach(() => {
  notified = [];
  changes = 0;
});

function ports() {
  return createQueue({
    store: memory.store,
    clock: { now: () => someTime + 5_000, monotonicMs: () => 0 },
    queueChanged: () => void changes++,
    notify: (session) => void notified.push(session),
    retryNow: () => ({ resumed: false, waitsUntil: someTime + 60_000 }),
  });
}

function addSession(name: string): number {
  return memory.store.sessions.insert({
    claude_session_id: name,
    sdk_session_id: `sdk ${name}`,
    project: "shop",
    host: "api",
    cwd: null,
    now: someTime,
  });
}

function addDead(session: number, count: number, error = "no JSON"): number[] {
  const { rawEvents, pending } = memory.store;
  return Array.from({ length: count }, (_, index) => {
    const event = { session_id: session, kind: "observation" as const, payload: "{}", now: someTime };
    const id = rawEvents.insert({ ...event, event_key: `${session} ${index} ${error}` }) ?? 0;
    pending.enqueue(id, session, someTime);
    pending.count("accepted", 1);
    memory.db.prepare("update pending_messages set status = 'processing' where id = ?").run(id);
    pending.release(id, { kind: "dead", error });
    return id;
  });
}

test("retries every failed message, and notifies the generator once per session", async () => {
  const [one, two] = [addSession("one"), addSession("two")];
  addDead(one, 700);
  addDead(two, 600);
  expect(await ports().retry({ failed: true })).toEqual({
    retried: 1300,
    waiting: 0,
    processing: 0,
    notFound: 0,
    resumed: false,
    waitsUntil: someTime + 60_000,
  });
  expect(notified).toEqual([one, two]);
  expect(changes).toBe(1);
  expect(memory.store.pending.counts()).toMatchObject({ pending: 1300, dead: 0 });
});

test("by ids it says what was not moved, and why", async () => {
  const session = addSession("one");
  const [dead = 0, waiting = 0, busy = 0] = addDead(session, 3);
  await ports().retry({ ids: [waiting] });
  memory.db.prepare("update pending_messages set status = 'processing' where id = ?").run(busy);
  const ids = [dead, waiting, busy, 999];
  expect(await ports().retry({ ids })).toMatchObject({ retried: 1, waiting: 1, processing: 1, notFound: 1 });
  expect(await ports().drop({ ids })).toEqual({ dropped: 2, processing: 1, notFound: 1 });
});

test("a drop keeps the message counts right; an empty drop signals nothing", async () => {
  addDead(addSession("one"), 3);
  expect(await ports().drop({ failed: true })).toEqual({ dropped: 3, processing: 0, notFound: 0 });
  expect(memory.store.pending.counts()).toMatchObject({ accepted: 3, skipped: 3, dead: 0 });
  expect(await ports().drop({ failed: true })).toMatchObject({ dropped: 0 });
  expect([notified.length, changes]).toEqual([1, 1]);
});

test("a page tells how old each message is, and no secret that a reason may hold", () => {
  const key = `sk-ant-${"api03-"}${"Zq8w".repeat(20)}`;
  addDead(addSession("one"), 1, `refused key ${key}`);
  const [item] = ports().page({ offset: 0, limit: 1 }).items;
  expect(item?.ageMs).toBe(5_000);
  expect(item?.last_error).toContain("refused key [redacted");
  expect(item?.last_error).not.toContain("Zq8w");
});
