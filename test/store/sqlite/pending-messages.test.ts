import { afterEach, beforeEach, expect, test } from "vitest";
import type { ClaimedMessage, PendingMessage } from "../../../src/core/records/messages.ts";
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

let added = 0;

function addMessages(
  count: number,
  kind: "observation" | "summarize" = "observation",
  fields: Partial<PendingMessage> = {},
): number[] {
  return Array.from({ length: count }, () => {
    const event_key = `event ${++added}`;
    const payload = JSON.stringify({ type: kind, ...fields });
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
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ count: 2, isOver: false });
  expect(ids(await take())).toEqual(fresh);
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ count: 3, isOver: true });
  expect(ids(await take())).toEqual(failed);
});

const ofPrompt = (prompt_number: number) => ({ prompt_number });

/** What is claimed of the turns, one after the other. */
async function claims(): Promise<number[][]> {
  const all: number[][] = [];
  for (let batch = await take(); batch.length > 0; batch = await take()) all.push(ids(batch));
  return all;
}

test("a turn ends with its summary", async () => {
  const first = [...addMessages(2), ...addMessages(1, "summarize")];
  const second = addMessages(1);
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ isOver: true });
  expect(await claims()).toEqual([first, second]);
});

test("an interrupted turn is due, and never claimed or drafted with the next one", async () => {
  const broken = addMessages(2, "observation", ofPrompt(1));
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ isOver: false });
  db.prepare("update sessions set newest_prompt = 2").run();
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ isOver: true });
  const next = [...addMessages(1, "observation", ofPrompt(2)), ...addMessages(1, "summarize", ofPrompt(2))];
  expect(ids(queue.undrafted(session, 50)?.messages ?? [])).toEqual(broken);
  expect(await claims()).toEqual([broken, next]);
});

test("a compaction ends no turn, neither in the queue nor in a regeneration", async () => {
  const turn = [
    ...addMessages(1, "observation", ofPrompt(1)),
    ...addMessages(1, "summarize", { ...ofPrompt(1), goes_on: true }),
    ...addMessages(1, "observation", ofPrompt(1)),
  ];
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ isOver: false });
  const all = [...turn, ...addMessages(1, "summarize", ofPrompt(1))];
  expect(queue.waiting(session, 2_000, 10)).toMatchObject({ isOver: true });
  const batch = await queue.claim(session, claim);
  expect(ids(batch?.messages ?? [])).toEqual(all);
  expect(batch?.turn?.uses.map(({ isOfTurn }) => isOfTurn)).toEqual([true, true]);
  expect(await regenerated(all)).toEqual([all]);
});

test("a regeneration does not join an interrupted turn with the next one", async () => {
  const broken = addMessages(1, "observation", ofPrompt(1));
  const next = [...addMessages(1, "observation", ofPrompt(2)), ...addMessages(1, "summarize", ofPrompt(2))];
  await claims();
  expect(await regenerated([...broken, ...next])).toEqual([broken, next]);
});

/** The batches in which the messages are regenerated. */
async function regenerated(listed: readonly number[]): Promise<number[][]> {
  const list = db.prepare("insert into regenerations (raw_event_id, session_id) values (?, ?)");
  for (const id of listed) list.run(id, session);
  const batches: number[][] = [];
  for (let batch = await store.regenerations.next(50); batch; batch = await store.regenerations.next(50)) {
    batches.push(ids(batch.messages));
    await store.regenerations.complete(batch, { observations: [], summaries: [], generator: "m" });
  }
  return batches;
}
