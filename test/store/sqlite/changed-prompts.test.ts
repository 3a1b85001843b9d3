// A prompt that the user edits or deletes while a model call is running that was sent its text.
import { beforeEach, expect, test } from "vitest";
import { createGenerationQueue, type GenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import { eachMemoryStore } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();
let queue: GenerationQueue;
let session: number;

beforeEach(() => {
  queue = createGenerationQueue(memory.store, "one");
});

type Batch = NonNullable<Awaited<ReturnType<GenerationQueue["claim"]>>>;

function prompted(...texts: string[]): void {
  for (const text of texts) {
    const { claude_session_id } = memory.addPrompt(text, { session: "s-1" });
    session = memory.store.sessions.byClaudeId(claude_session_id)?.id ?? 0;
    memory.store.sessions.setUserPrompt(session, text);
  }
}

function queued(kind: "observation" | "summarize", payload: object = {}): void {
  const { rawEvents, pending } = memory.store;
  const text = JSON.stringify({ type: kind, prompt_number: 2, tool_name: "Bash", ...payload });
  const event = { session_id: session, kind, event_key: kind, payload: text, now: 1_000 };
  pending.enqueue(rawEvents.insert(event) ?? 0, session, 1_000);
}

async function claim(): Promise<Batch> {
  const batch = await queue.claim(session, { now: 2_000, leaseMs: 60_000, limit: 10, maxChars: 10_000 });
  if (batch === null) throw new Error("nothing to claim");
  return batch;
}

/** How much is stored of an answer to the batch. */
async function stored(batch: Batch): Promise<number> {
  const draft = {
    ...{ obs_type: "change", title: "Old", subtitle: null, summary: "Old.", narrative: null, facts: [] },
    ...{ concepts: [], files_read: [], files_modified: [], provenance: "file" as const },
    sources: batch.messages.map(({ id }) => id),
  };
  const passed = ["npm test"];
  const reply = { observations: [draft], summaries: [], generator: "m", passed };
  return (await queue.complete(batch, reply)).observations.length;
}

const edit = (id: number) => memory.store.edits.prompt(id, "Look at the mango.", 3_000)?.sentIn ?? null;
const erase = (id: number) => (memory.store.deletions.prompt(id, 3_000)?.isSent === true ? session : null);
const changes = [
  ["edited", edit],
  ["deleted", erase],
] as const;

test.each(changes)(
  "the session's first prompt, %s: every running answer is discarded",
  async (_how, change) => {
    prompted("Look at the kumquat.", "Go on.");
    queued("observation");
    const batch = await claim();
    expect(change(1)).toBe(session);
    expect(memory.store.pending.counts()).toMatchObject({ pending: 1, processing: 0 });
    expect(await stored(batch)).toBe(0);
    const again = await claim();
    expect(again.messages).toMatchObject([{ attempts: 0 }]);
    expect(again.session.user_prompt).not.toContain("kumquat");
    expect(await stored(again)).toBe(1);
  },
);

test.each(changes)("a later prompt, %s: the answer about its turn is discarded", async (_how, change) => {
  prompted("Hello.", "Look at the kumquat.");
  queued("summarize", { last_user_message: "Look at the kumquat.", last_assistant_message: "Done." });
  const batch = await claim();
  expect(change(2)).toBe(session);
  expect(await stored(batch)).toBe(0);
  const again = await claim();
  expect(JSON.stringify([again.messages, again.turn])).not.toContain("kumquat");
});

test("an answer that was sent another prompt is stored", async () => {
  prompted("Hello.", "Go on.");
  queued("observation");
  const batch = await claim();
  expect([edit(2), erase(2)]).toEqual([null, null]);
  expect(await stored(batch)).toBe(1);
});

test("without a running call nothing is discarded", () => {
  prompted("Hello.");
  queued("observation");
  expect([edit(1), erase(1)]).toEqual([null, null]);
});

test("an edit that is undone during a call discards its answer too", async () => {
  prompted("Look at the kumquat.", "Go on.");
  edit(1);
  const [entry] = memory.store.trash.page({ offset: 0, limit: 1, since: 0 }).items;
  queued("observation");
  const batch = await claim();
  expect(memory.store.restore(entry?.trash_id ?? 0, 0)).toMatchObject({ isSent: true, session });
  expect(await stored(batch)).toBe(0);
  expect((await claim()).session.user_prompt).toContain("kumquat");
});
