import { afterEach, beforeEach, expect, test } from "vitest";
import type { ClaimedMessage } from "../../../src/core/records/messages.ts";
import { createGenerationQueue, type GenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import type { Sqlite } from "../../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../../src/store/sqlite/store.ts";
import { openMigrated } from "../../helpers/memory-store.ts";

const claim = { now: 2_000, leaseMs: 60_000, limit: 50, maxChars: 1_000_000 };
let db: Sqlite;
let store: Store;
let queue: GenerationQueue;
let session: number;

beforeEach(() => {
  db = openMigrated();
  store = createStore(db);
  queue = createGenerationQueue(store, "instance-1");
  session = store.sessions.insert({
    claude_session_id: "host-1",
    sdk_session_id: "sdk-1",
    project: "demo",
    host: "api",
    cwd: null,
    now: 1_000,
  });
});

afterEach(() => {
  db.close();
});

function addMessages(count: number, kind: "observation" | "summarize" = "observation"): number[] {
  return Array.from({ length: count }, (_, n) => {
    const event_key = `${kind} ${n} after ${store.pending.ofSession(session)}`;
    const payload = JSON.stringify({ type: kind });
    const id = store.rawEvents.insert({ session_id: session, kind, event_key, payload, now: 1_000 }) ?? 0;
    store.pending.enqueue(id, session, 1_000);
    return id;
  });
}

async function take(now = claim.now): Promise<readonly ClaimedMessage[]> {
  return (await queue.claim(session, { ...claim, now }))?.messages ?? [];
}

function ids(messages: readonly ClaimedMessage[]): number[] {
  return messages.map(({ id }) => id);
}

async function addFailed(count: number): Promise<number[]> {
  const added = addMessages(count);
  await queue.release(await take(), { kind: "retry", at: 1_500, error: "no" });
  return added;
}

test("failed messages go together, behind those that were not tried", async () => {
  const failed = await addFailed(3);
  const fresh = addMessages(2);
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ count: 2, isRetry: false });
  expect(ids(await take())).toEqual(fresh);
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ count: 3, isRetry: true });
  expect(ids(await take())).toEqual(failed);
});

test("a turn ends with its summary, and with the prompt that follows", async () => {
  const first = [...addMessages(2), ...addMessages(1, "summarize")];
  const second = addMessages(1);
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ hasSummarize: true, isBeforePrompt: false });
  expect(ids(await take())).toEqual(first);
  expect(ids(await take())).toEqual(second);
});
