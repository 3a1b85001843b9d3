// A private prompt that comes after what it caused: nothing of that stays.
import { beforeEach, describe, expect, test } from "vitest";
import type { Intake } from "../../src/capture/inputs.ts";
import { createGenerationQueue, type GenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import { eachMemoryStore, intakeInto } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let intake: Intake;
let queue: GenerationQueue;
let now: number;
let brokenOff: number[];
let takenBackIn: string[];

beforeEach(async () => {
  now = 1_000_000;
  brokenOff = [];
  takenBackIn = [];
  intake = intakeInto(memory.store, () => now, {
    async onWithdrawn({ sessionDbId, project, isShown }) {
      takenBackIn.push(project);
      if (isShown) brokenOff.push(sessionDbId);
    },
  });
  queue = createGenerationQueue(memory.store, "instance-1");
  await prompt("in the open", "q1");
  now += 60_000;
});

const session = { claudeSessionId: "host-1" };
const spooled = { ...session, promptKey: "q2" };
const use = { tool_name: "Read", tool_input: { file_path: "CANARY.ts" } };

function prompt(text: string, eventKey: string) {
  return intake.initSession({ ...session, prompt: text, eventKey, at: now - 1_000 });
}

const privatePrompt = () => prompt("<private>CANARY</private>", "q2");

function rows(table: string): number | undefined {
  return memory.db.prepare<[], number>(`select count(*) from ${table}`).pluck().get();
}

function claim() {
  return queue.claim(1, { now, leaseMs: 60_000, limit: 10, maxChars: 1_000_000 });
}

/** Stores one observation and one summary that were made of all the messages of the batch. */
async function answer(batch: Awaited<ReturnType<typeof claim>>) {
  if (batch === null) throw new Error("nothing was claimed");
  const sources = batch.messages.map(({ id }) => id);
  const none = { facts: [], concepts: [], files_read: ["CANARY.ts"], files_modified: [] };
  const observation = { ...none, obs_type: "change", title: "CANARY", summary: "CANARY", sources };
  const parts = { request: "CANARY", investigated: null, learned: null, completed: null, next_steps: null };
  return queue.complete(batch, {
    observations: [{ ...observation, subtitle: null, narrative: null, provenance: "file" }],
    summaries: [{ ...none, ...parts, notes: null, source: sources.at(-1) ?? 0 }],
    generator: "local",
  });
}

const stores = ["raw_events", "pending_messages", "observations", "observation_sources", "observation_files"];
const texts = ["observations_fts", "session_summaries", "session_summaries_fts"];

function expectNothing(): void {
  for (const table of [...stores, ...texts]) expect([table, rows(table)]).toEqual([table, 0]);
}

const none = { done: 0, skipped: 0, pending: 0, processing: 0, dead: 0 };

describe("what a private prompt caused and what came before it", () => {
  test("does not stay in the queue or among the raw events, and counts as skipped", async () => {
    await intake.observe({ ...spooled, ...use });
    await intake.summarize({ ...spooled, last_assistant_message: "CANARY" });
    await intake.keep({ ...spooled, name: "Novelty", payload: "CANARY" });
    expect(memory.store.pending.counts()).toEqual({ ...none, accepted: 2, pending: 2 });
    expect(await privatePrompt()).toMatchObject({ reason: "private" });
    expectNothing();
    expect(brokenOff).toEqual([]);
    expect(memory.store.pending.counts()).toEqual({ ...none, accepted: 2, skipped: 2 });
  });

  test("does not stay when it opened the session or is dead-lettered", async () => {
    const other = { claudeSessionId: "host-2" };
    await intake.observe({ ...other, ...use, promptKey: "q9" });
    memory.db.prepare("update pending_messages set status = 'dead'").run();
    await intake.initSession({ ...other, prompt: "<private>CANARY</private>", eventKey: "q9" });
    expectNothing();
    expect(memory.store.pending.counts()).toEqual({ ...none, accepted: 1, skipped: 1 });
  });

  test("does not stay in the records that were made of it, nor in their full text", async () => {
    await intake.observe({ ...spooled, ...use });
    await intake.summarize(spooled);
    await answer(await claim());
    expect([...stores, ...texts].map(rows)).toEqual([2, 0, 1, 2, 1, 1, 1, 1]);
    await privatePrompt();
    expectNothing();
    // What else was made of the records, outside of the store, is to go too.
    expect([takenBackIn, brokenOff]).toEqual([["unknown"], []]);
    expect(memory.store.pending.counts()).toEqual({ ...none, accepted: 2, done: 2 });
  });

  test("is not stored by the running call; the rest of its batch is retried", async () => {
    await intake.observe({ ...session, ...use, promptKey: "q1" });
    await intake.observe({ ...spooled, ...use });
    const batch = await claim();
    expect(batch?.messages).toHaveLength(2);
    expect(brokenOff).toEqual([]);
    await privatePrompt();
    expect(brokenOff).toEqual([1]);
    expect(await answer(batch)).toMatchObject({ observations: [], summaries: [] });
    expect(memory.store.pending.counts()).toEqual({ ...none, accepted: 2, skipped: 1, pending: 1 });
    expect((await claim())?.messages).toMatchObject([{ attempts: 0, message: { prompt_number: 1 } }]);
  });
});

describe("a prompt that comes after what it caused", () => {
  test("takes nothing back when it is public", async () => {
    await intake.observe({ ...spooled, ...use });
    await prompt("in the open too", "q2");
    expect(rows("raw_events")).toBe(1);
    expect(memory.store.pending.counts()).toEqual({ ...none, accepted: 1, pending: 1 });
  });

  test("takes back nothing of another prompt or another session when it is private", async () => {
    await intake.observe({ ...session, ...use });
    await intake.observe({ ...session, ...use, promptKey: "q1" });
    await intake.observe({ ...session, ...use, promptKey: "q22" });
    await intake.observe({ ...spooled, ...use, claudeSessionId: "host-2" });
    memory.db.prepare("update raw_events set payload = 'no JSON' where id = 1").run();
    await privatePrompt();
    expect(memory.store.pending.counts()).toEqual({ ...none, accepted: 4, pending: 4 });
  });
});

describe("copies in the trash of what a private prompt caused", () => {
  const trashed = () => {
    const rows = memory.db.prepare<[], string>("select content from trash_rows").pluck().all();
    return [...rows, ...memory.db.prepare<[], string>("select title from trash").pluck().all()];
  };
  const withCanary = () => trashed().filter((text) => text.includes("CANARY"));
  const inject = (claude: string, ...ids: number[]) =>
    memory.store.injections.add(
      { session: claude, reader: "" },
      {
        ...{ moment: "start", cause: null, text: `CANARY of ${ids.join()}`, tokens: 3 },
        records: ids.map((id) => ({ kind: "observation" as const, id })),
      },
      now,
    );

  async function workUnderThePrompt(): Promise<void> {
    await intake.observe({ ...spooled, ...use });
    await intake.summarize({ ...spooled, last_user_message: "CANARY", last_assistant_message: "CANARY" });
    await answer(await claim());
  }

  test("go from entries of other records and sessions", async () => {
    const { store } = memory;
    await workUnderThePrompt();
    const open = memory.addObservation({ title: "in the open", session: "host-3" });
    inject("host-1", 1, open.id);
    inject("host-3", 1);
    store.deletions.observation(open.id, now);
    store.deletions.session(store.sessions.byClaudeId("host-3")?.id ?? 0, now);
    store.deletions.prompt(1, now);
    expect(withCanary()).toHaveLength(3);
    await privatePrompt();
    expect(withCanary()).toEqual([]);
    expect(store.trash.page({ offset: 0, limit: 9, since: 0 }).items).toHaveLength(3);
  });

  test("go with edits and deletions of the records themselves", async () => {
    const { store } = memory;
    await workUnderThePrompt();
    store.edits.observation(1, { title: "another title" }, now);
    store.deletions.observation(1, now);
    store.deletions.summary(1, now);
    expect(withCanary()).not.toEqual([]);
    await privatePrompt();
    expect(trashed()).toEqual([]);
  });

  test("go from a deleted session, which is restored without them", async () => {
    const { store } = memory;
    await intake.observe({ ...session, ...use, promptKey: "q1" });
    await workUnderThePrompt();
    await intake.observe({ ...spooled, ...use });
    inject("host-1", 1);
    const entry = store.deletions.session(1, now)?.trash_id ?? 0;
    expect(withCanary()).not.toEqual([]);
    await privatePrompt();
    // The first tool use came under the prompt in the open, but its observation is of both.
    expect(withCanary()).toHaveLength(1);
    expect(store.restore(entry, 0)).toMatchObject({ counts: { sessions: 1, observations: 0, summaries: 0 } });
    expect(rows("raw_events")).toBe(1);
    expect(rows("injection_texts")).toBe(0);
  });
});
