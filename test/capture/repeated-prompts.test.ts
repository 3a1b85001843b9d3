// A prompt that is delivered again after the user deleted or edited it.
import { beforeEach, describe, expect, test } from "vitest";
import type { Intake } from "../../src/capture/inputs.ts";
import { deliveryKey } from "../../src/core/prompt-key.ts";
import { eachMemoryStore, intakeInto } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let intake: Intake;
let now: number;

beforeEach(() => {
  now = 1_000_000;
  intake = intakeInto(memory.store, () => now);
});

const claudeSessionId = "host-1";

function deliver(prompt: string, eventKey: string, promptNumber?: number) {
  now += 60_000;
  return intake.initSession({ claudeSessionId, prompt, eventKey, promptNumber });
}

const texts = () =>
  memory.db.prepare<[], string>("select prompt_text from user_prompts order by prompt_number").pluck().all();

const deletePrompt = (id: number) => memory.store.deletions.prompt(id, now);
const edit = (id: number, text: string) => memory.store.edits.prompt(id, text, now);
const newestEdit = () => memory.store.trash.page({ offset: 0, limit: 1, since: 0 }).items[0]?.trash_id ?? 0;

describe("a deleted prompt", () => {
  test("is not stored again by the same event, in its session or in the next one", async () => {
    await deliver("one", "q1");
    await deliver("two", "q2");
    deletePrompt(1);
    expect(await deliver("one", "q1")).toEqual({
      ...{ sessionDbId: 1, promptNumber: 1, skipped: true, reason: "duplicate" },
    });
    expect(texts()).toEqual(["two"]);
    memory.store.deletions.session(1, now);
    const { sessionDbId, ...answer } = await deliver("two", "q2");
    expect(answer).toEqual({ promptNumber: 2, skipped: true, reason: "duplicate" });
    expect(memory.store.sessions.byClaudeId(claudeSessionId)).toMatchObject({ id: sessionDbId });
    expect(sessionDbId).not.toBe(1);
    expect(memory.store.stats()).toMatchObject({ sessions: 1, prompts: 0 });
  });

  test("begins the next session as private as the deleted one was", async () => {
    await deliver("one", "q1");
    await deliver("<private>all of it</private>", "q2");
    memory.store.deletions.session(1, now);
    expect(await deliver("one", "q1")).toMatchObject({ reason: "duplicate" });
    const use = { claudeSessionId, tool_name: "Read", tool_input: { file_path: "a.ts" } };
    expect(await intake.observe(use)).toEqual({ status: "skipped", reason: "private" });
    await deliver("three", "q3");
    expect(await intake.observe(use)).toMatchObject({ status: "queued" });
  });

  test("whose host id ends as a key of a text does is known again", async () => {
    await deliver("one", "run:0123456789abcdef");
    await deliver("two", "run:fedcba9876543210");
    deletePrompt(1);
    edit(2, "edited");
    for (const [text, key] of [
      ["one", "run:0123456789abcdef"],
      ["two", "run:fedcba9876543210"],
    ] as const)
      expect(await deliver(text, key)).toMatchObject({ skipped: true, reason: "duplicate" });
    expect(texts()).toEqual(["edited"]);
    const named = memory.store.sessions.forIntake(claudeSessionId, { promptKey: "run:fedcba9876543210" });
    expect(named).toMatchObject({ prompt_number: 2 });
  });

  test("is restored beside another text with its host id, but not beside the same text", async () => {
    await deliver("one", "q1");
    const entry = deletePrompt(1)?.trash_id ?? 0;
    await deliver("typed meanwhile", "q1");
    expect(memory.store.restore(entry, 0)).toMatchObject({ action: "deleted" });
    for (const text of ["one", "typed meanwhile"])
      expect(await deliver(text, "q1")).toMatchObject({ reason: "duplicate" });
    expect(texts()).toEqual(["one", "typed meanwhile"]);

    const again = deletePrompt(1)?.trash_id ?? 0;
    memory.store.prompts.insert({
      ...{ session_id: 1, claude_session_id: claudeSessionId, sdk_session_id: "s", project: "demo" },
      ...{
        prompt_number: 9,
        prompt_text: "one",
        private: 0,
        event_key: deliveryKey("q1", { private: false, text: "one" }),
      },
      now,
    });
    expect(memory.store.restore(again, 0)).toMatchObject({ is: "stored_again" });
  });

  test("is not stored again once the trash is empty", async () => {
    await deliver("one", "q1");
    deletePrompt(1);
    memory.db.exec("delete from trash");
    expect(await deliver("one", "q1")).toMatchObject({ skipped: true, reason: "duplicate" });
    expect(texts()).toEqual([]);
  });

  test("is not stored again in the form that the spool cuts", async () => {
    const long = "x".repeat(100_000);
    await deliver(long, "q1");
    deletePrompt(1);
    expect(await deliver(long, "q1")).toMatchObject({ reason: "duplicate" });
  });

  test("leaves room for another text of its event and for other sessions", async () => {
    await deliver("one", "q1");
    deletePrompt(1);
    expect(await deliver("typed meanwhile", "q1")).toMatchObject({ skipped: false });
    await intake.initSession({ claudeSessionId: "host-2", prompt: "one", eventKey: "q1" });
    expect(texts()).toEqual(["typed meanwhile", "one"].sort());
  });

  test("is known as before once it is restored", async () => {
    await deliver("one", "q1");
    const entry = deletePrompt(1)?.trash_id ?? 0;
    memory.store.restore(entry, 0);
    expect(await deliver("one", "q1")).toMatchObject({ promptNumber: 1, reason: "duplicate" });
    expect(texts()).toEqual(["one"]);
  });
});

test("a private prompt of a deleted session still makes what follows private", async () => {
  await deliver("<private>all of it</private>", "q1");
  memory.store.deletions.session(1, now);
  await deliver("in the open", "q2");
  expect(await deliver("<private>all of it</private>", "q1")).toMatchObject({ reason: "private" });
  const use = { claudeSessionId, tool_name: "Read", tool_input: { file_path: "a.ts" } };
  expect(await intake.observe(use)).toEqual({ status: "skipped", reason: "private" });
});

describe("an edited prompt", () => {
  test("is recognized as the same event, and its text stays", async () => {
    await deliver("one", "q1");
    edit(1, "edited");
    edit(1, "edited twice");
    expect(await deliver("one", "q1")).toMatchObject({ promptNumber: 1, reason: "duplicate" });
    expect(await deliver("one", "q1", 1)).toMatchObject({ promptNumber: 1, reason: "duplicate" });
    expect(texts()).toEqual(["edited twice"]);
  });

  test("is recognized without the host's id by number or time", async () => {
    await intake.initSession({ claudeSessionId, prompt: "one", promptNumber: 1 });
    edit(1, "edited");
    for (const promptNumber of [1, undefined])
      expect(await intake.initSession({ claudeSessionId, prompt: "one", promptNumber })).toMatchObject({
        ...{ promptNumber: 1, reason: "duplicate" },
      });
    expect(texts()).toEqual(["edited"]);
  });

  test("is not stored again after it is deleted", async () => {
    await deliver("one", "q1");
    edit(1, "edited");
    deletePrompt(1);
    expect(await deliver("one", "q1")).toMatchObject({ reason: "duplicate" });
    expect(texts()).toEqual([]);
  });

  test("still names the messages of its event", async () => {
    await deliver("one", "q1");
    await deliver("two", "q2");
    edit(1, "edited");
    const session = memory.store.sessions.forIntake(claudeSessionId, { promptKey: "q1" });
    expect(session).toMatchObject({ prompt_number: 1 });
  });

  test("leaves its key to a later text, and is undone beside it", async () => {
    await deliver("one", "q1");
    edit(1, "edited");
    const entry = newestEdit();
    await deliver("typed meanwhile", "q1");
    expect(memory.store.restore(entry, 0)).toMatchObject({ action: "edited" });
    for (const text of ["one", "typed meanwhile"])
      expect(await deliver(text, "q1")).toMatchObject({ reason: "duplicate" });
    expect(texts()).toEqual(["one", "typed meanwhile"]);
  });
});

describe("a prompt with something of its host around it", () => {
  const wrapped = "<ide_opened_file>never /a.ts</ide_opened_file>\nfix it";

  test("is stored as the user's request, once", async () => {
    await deliver(wrapped, "q1");
    expect(await deliver(wrapped, "q1")).toMatchObject({ reason: "duplicate" });
    // A transcript lacks what the hook had, or has what it lacked.
    expect(await deliver("fix it", "q1")).toMatchObject({ reason: "duplicate" });
    expect(texts()).toEqual(["fix it"]);
    deletePrompt(1);
    expect(await deliver(wrapped, "q1")).toMatchObject({ reason: "duplicate" });
    expect(texts()).toEqual([]);
  });

  test("is known if an earlier version stored all of it", async () => {
    await deliver("fix it", "q1");
    memory.db.prepare("update user_prompts set prompt_text = ?").run(wrapped);
    expect(await deliver(wrapped, "q1")).toMatchObject({ reason: "duplicate" });
  });

  test("is no prompt if no user wrote it", async () => {
    const given = "This session is being continued from a previous conversation.\nAlways push.";
    expect(await deliver(given, "q1")).toEqual({ sessionDbId: 0, promptNumber: 0, skipped: true });
    expect(texts()).toEqual([]);
  });

  test("hides a private part that begins in it", async () => {
    await deliver("<ide_selection>a <private>b</ide_selection> CANARY</private>\nfix it", "q1");
    expect(texts().join()).not.toContain("CANARY");
  });
});

test("a request below 600 KB of log is stored whole", async () => {
  await deliver(
    `${"12:00:01 INFO it runs\n".repeat(15_000)}\nfix it\n\n${"12:00:02 INFO\n".repeat(20_000)}`,
    "q1",
  );
  const [text = ""] = texts();
  expect(text).toContain("\nfix it\n");
  expect(text.length).toBeLessThanOrEqual(256 * 1024);
});
