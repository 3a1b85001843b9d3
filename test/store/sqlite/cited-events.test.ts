import { beforeEach, describe, expect, test } from "vitest";
import type { DraftObservation } from "../../../src/core/records/drafts.ts";
import type { StatementMarks } from "../../../src/core/records/statement.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import {
  addEvent,
  addSession,
  complete,
  db,
  draft,
  eachInAStoreOfItsOwn,
  generate,
  local,
  nextBatch,
  store,
  summaryDraft,
  titles,
} from "./regeneration-support.ts";

eachInAStoreOfItsOwn();

let session: number;
beforeEach(() => {
  session = addSession("one");
});

const cause: StatementMarks = { said_by: "agent", standing: false, reach: "project", salience: 1 };
const rule: StatementMarks = { ...cause, said_by: "user", standing: true };

const said = (title: string, statement: StatementMarks, ...sources: number[]): DraftObservation => ({
  ...draft(title, ...sources),
  statement,
});

const links = () =>
  db
    .prepare("select observation_id, raw_event_id, cited from observation_sources order by 1, 3, 2")
    .raw()
    .all();

const claim = { now: 2_000, leaseMs: 1_000, limit: 50, maxChars: 1_000_000 };

function addUnder(promptKey: string): number {
  const id = addEvent(session);
  const payload = JSON.stringify({ prompt_key: promptKey, type: "observation" });
  db.prepare("update raw_events set payload = ? where id = ?").run(payload, id);
  return id;
}

const isPrivate = (promptKey: string) => store.commit(() => store.withdrawals.ofPrompt(session, promptKey));

describe("a statement", () => {
  test("is linked with the message it stands in and the session's events that it cites", async () => {
    const earlier = addEvent(session);
    await generate(session, [draft("ran", earlier)]);
    const stranger = addEvent(addSession("two"));
    const [later, summarize] = [addEvent(session), addEvent(session, "summarize")];
    await generate(session, [
      draft("ran again", later),
      said("cause", cause, summarize, earlier, later, stranger, 999),
    ]);
    expect(links()).toEqual([
      [1, earlier, 0],
      [2, later, 0],
      [3, summarize, 0],
      [3, earlier, 1],
      [3, later, 1],
    ]);
    const tokens = db.prepare("select discovery_tokens > 0 from observations order by id").pluck().all();
    expect(tokens).toEqual([1, 1, 0]);
  });

  test("goes with an event that it cites when the prompt turns out to be private", async () => {
    const secret = addUnder("k");
    await generate(session, [draft("ran", secret)]);
    const summarize = addEvent(session, "summarize");
    await generate(session, [said("cites it", cause, summarize, secret), said("stays", cause, summarize)]);
    await isPrivate("k");
    expect(titles()).toEqual(["stays"]);
  });
});

describe("a prompt that turns out to be private", () => {
  const trashed = () => db.prepare("select kind, action from trash order by id").raw().all();

  test("takes what the user deleted or edited of it out of the trash", async () => {
    const [secret, other] = [addUnder("k"), addEvent(session)];
    await generate(session, [draft("deleted", secret), draft("edited", secret), draft("stays", other)]);
    await store.commit(() => store.deletions.observation(1, 5));
    for (const id of [2, 3]) await store.commit(() => store.edits.observation(id, { title: "New" }, 5));
    expect(trashed()).toHaveLength(3);
    await isPrivate("k");
    expect(trashed()).toEqual([["observation", "edited"]]);
    expect(titles()).toEqual(["New"]);
  });

  test("takes its records out of the texts of injections", async () => {
    await generate(session, [draft("ran", addUnder("k")), draft("stays", addEvent(session))]);
    for (const id of [1, 2])
      store.injections.add(
        { session: "other", reader: "" },
        { moment: "start", cause: null, text: "t", tokens: 1, records: [{ kind: "observation", id }] },
        5,
      );
    await isPrivate("k");
    expect(
      store.injections.ofSession("other", { offset: 0, limit: 10 }).items.map(({ text }) => text),
    ).toEqual([null, "t"]);
  });
});

describe("while a turn is being read, a private prompt before it", () => {
  test("breaks the call off, and nothing of the answer is stored", async () => {
    const secret = addUnder("k");
    await generate(session, [draft("ran", secret)]);
    const summarize = addEvent(session, "summarize");
    const queue = createGenerationQueue(store, "me");
    const batch = await queue.claim(session, claim);
    expect(batch?.turn?.shown).toEqual([secret]);
    expect(await isPrivate("k")).toMatchObject({ isShown: true });
    const reply = {
      observations: [said("of the secret", cause, summarize)],
      summaries: [],
      generator: "m",
    };
    if (batch !== null) expect((await queue.complete(batch, reply)).observations).toEqual([]);
    expect(store.pending.counts()).toMatchObject({ accepted: 2, done: 1, pending: 1, processing: 0 });
    expect((await queue.claim(session, claim))?.turn?.shown).toEqual([]);
  });

  test("keeps a regenerated answer from being stored", async () => {
    const secret = addUnder("k");
    await generate(session, [draft("ran", secret)], { generator: "m" });
    const summarize = addEvent(session, "summarize");
    await generate(session, [said("before", cause, summarize)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    expect(batch.messages.map(({ id }) => id)).toEqual([summarize]);
    await isPrivate("k");
    expect(store.regenerations.isCurrent(batch)).toBe(false);
    const reply = { observations: [said("of the secret", cause, summarize)], summaries: [], generator: "m" };
    expect(await store.regenerations.complete(batch, reply)).toBeNull();
    expect(titles()).toEqual(["before"]);
  });
});

describe("making again", () => {
  test("does not pull in the events that a statement cites", async () => {
    const earlier = addEvent(session);
    await generate(session, [draft("ran", earlier)], { generator: "m" });
    const summarize = addEvent(session, "summarize");
    await generate(session, [said("cause", cause, summarize, earlier)], {
      summaries: [summaryDraft("asked", summarize)],
    });
    expect(await store.regenerations.select(local)).toBe(1);
    const batch = await nextBatch();
    expect(batch.messages.map(({ id }) => id)).toEqual([summarize]);
    expect(batch.turn?.uses.map(({ id }) => id)).toEqual([earlier]);
    await store.regenerations.complete(batch, {
      observations: [said("better cause", cause, summarize, earlier)],
      summaries: [],
      generator: "m",
    });
    expect(titles()).toEqual(["ran", "better cause"]);
    expect(links()).toEqual([
      [1, earlier, 0],
      [2, summarize, 0],
      [2, earlier, 1],
    ]);
  });

  test("replaces a statement of its kind and keeps a rule that the answer omits", async () => {
    const summarize = addEvent(session, "summarize");
    await generate(session, [said("rule", rule, summarize), said("cause", cause, summarize)]);
    await store.regenerations.select(local);
    const { deleted } = await complete([said("new cause", cause, summarize)]);
    expect(deleted).toEqual([]);
    expect(titles()).toEqual(["rule", "new cause"]);
  });

  test("leaves a text that the user edited as it is, and adds no second one", async () => {
    const summarize = addEvent(session, "summarize");
    await generate(session, [said("rule", rule, summarize), said("cause", cause, summarize)]);
    const text = { title: "edited", summary: "edited", narrative: null, concepts: "[]" };
    await store.commit(() => store.edits.observation(1, text, 1));
    await store.regenerations.select(local);
    await complete([said("rule again", rule, summarize), said("new cause", cause, summarize)]);
    expect(titles()).toEqual(["edited", "new cause"]);
  });
});
