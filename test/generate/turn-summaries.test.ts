// Summaries of the turns of one session, from the store to the provider and back.
import { expect, test } from "vitest";
import type { PendingMessage } from "../../src/core/records/messages.ts";
import type { GenerationBatch } from "../../src/generate/provider.ts";
import { createLocalProvider } from "../../src/generate/providers/local/local.ts";
import { addMessages, echo, newSchedulerWorldEach, run, until, world } from "./scheduler-support.ts";

newSchedulerWorldEach();

const local = createLocalProvider();
const wrote = (path: string): PendingMessage => ({
  type: "observation",
  tool_name: "Write",
  tool_input: { file_path: `/w/${path}`, content: "x" },
  tool_response: { type: "create", filePath: `/w/${path}` },
  cwd: "/w",
});
const ended = (last_user_message: string, last_assistant_message: string): PendingMessage => ({
  type: "summarize",
  ...{ last_user_message, last_assistant_message },
});

function send(session: number, ...messages: PendingMessage[]): void {
  for (const message of messages) {
    world.now += 1;
    const payload = JSON.stringify(message);
    const event = { session_id: session, kind: message.type, event_key: `key ${world.now}`, payload };
    world.store.pending.enqueue(
      world.store.rawEvents.insert({ ...event, now: world.now }) ?? 0,
      session,
      world.now,
    );
    world.store.pending.count("accepted", 1);
  }
  world.scheduler.notify(session);
}

async function worked(): Promise<void> {
  await until(() => {
    const { accepted, done } = world.store.pending.counts();
    return accepted === done;
  });
}

const turns = [
  [wrote("t1.md"), wrote("t2.md"), ended("Write t1 and t2", "Both are there.")],
  [ended("Is all fine?", "Yes, all fine.")],
  [wrote("t3.md"), ended("Now t3", "There it is.")],
];

test.each([
  ["turn by turn", turns],
  ["all at once, as from a spool", [turns.flat()]],
])("each covers its own turn, and the empty one is counted and has none: %s", async (_how, deliveries) => {
  run(local.generate);
  const session = addMessages("a", 0);
  for (const messages of deliveries) {
    send(session, ...messages);
    await worked();
  }
  const summaries = world.store.summaries.ofSession("sdk-a");
  expect(summaries.map(({ files_modified }) => JSON.parse(files_modified))).toEqual([
    ["t1.md", "t2.md"],
    ["t3.md"],
  ]);
  expect(summaries[1]?.summary_text).not.toMatch(/t1|t2/);
  expect(world.store.pending.counts()).toEqual({
    ...{ accepted: 6, done: 6, skipped: 0, pending: 0, processing: 0, dead: 0 },
  });
});

test("a summarize message gets the titles since the last summary", async () => {
  const batches: GenerationBatch[] = [];
  run(async (batch) => {
    batches.push(batch);
    return batch.messages.some(({ message }) => message.type === "summarize")
      ? local.generate(batch, new AbortController().signal)
      : echo(batch);
  });
  const session = addMessages("a", 0);
  const named = (tool_name: string): PendingMessage => ({ type: "observation", tool_name });
  for (const message of [
    named("one"),
    ended("Do one", "Did one."),
    named("two"),
    ended("Do two", "Did two."),
  ]) {
    send(session, message);
    await worked();
  }
  expect(batches.map(({ recentTitles }) => recentTitles)).toEqual([[], ["one"], [], ["two"]]);
});

test("the provider is not asked for an empty turn, whatever comes with it", async () => {
  const asked: string[][] = [];
  run(async (batch) => {
    asked.push(batch.messages.map(({ message }) => message.tool_name ?? message.type));
    return echo(batch);
  });
  const session = addMessages("a", 0);
  send(session, ended("hi", "Hello!"));
  await worked();
  send(session, ended("hi", "Hello!"), { type: "observation", tool_name: "Read" });
  await worked();
  expect(asked).toEqual([["Read"]]);
  expect(world.store.summaries.ofSession("sdk-a")).toEqual([]);
});

test("a compaction in a turn makes one more summary and doubles no statement", async () => {
  run(local.generate);
  const session = addMessages("a", 0);
  const compaction: PendingMessage = { ...ended("Never push to main. Write t1.", ""), goes_on: true };
  const end = ended("Never push to main. Write t1.", "Both are there.");
  send(session, wrote("t1.md"), compaction);
  await worked();
  send(session, wrote("t2.md"), end);
  await worked();
  expect(world.store.summaries.ofSession("sdk-a")).toHaveLength(2);
  const rules = "select title from observations where statement_kind = 'rule'";
  expect(world.db.prepare(rules).pluck().all()).toEqual(["Never push to main."]);
});
