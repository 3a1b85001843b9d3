import { describe, expect, test } from "vitest";
import {
  addEvent,
  addSession,
  complete,
  db,
  draft,
  eachInAStoreOfItsOwn,
  found,
  generate,
  local,
  nextBatch,
  reopen,
  store,
  summaryDraft,
  titles,
} from "./regeneration-support.ts";

eachInAStoreOfItsOwn();

describe("replacing", () => {
  test("keeps id and time, counts the revision, and everything else is the model's", async () => {
    const session = addSession("one");
    const id = addEvent(session);
    await generate(session, [draft("before", id)], { upgrade: true });
    db.prepare("update observations set synced_at = 5").run();
    const before = store.observations.byId(1);
    await store.regenerations.select(local);
    const { observations } = await complete([draft("after", id)]);
    expect(observations).toHaveLength(1);
    expect(store.observations.byId(1)).toEqual(observations[0]);
    expect(store.observations.byId(1)).toMatchObject({
      id: before?.id,
      created_at_epoch: before?.created_at_epoch,
      project: "app",
      title: "after",
      generator: "model-1",
      revision: 2,
      synced_at: null,
    });
    expect(db.prepare("select upgrade, generation_key from observations").get()).toEqual({
      upgrade: 0,
      generation_key: `${id}:0`,
    });
    expect(found("before")).toEqual([]);
    expect(found("after")).toEqual([1]);
    expect(db.prepare("select path from observation_files").pluck().all()).toEqual(["src/after.ts"]);
  });

  test.each([
    ["fewer: the surplus goes", ["a", "b", "c"], ["abc"], 2],
    ["more: the additional ones come", ["abc"], ["a", "b", "c"], 0],
    ["as many, otherwise cut", ["ab", "c"], ["a", "bc"], 0],
  ])("%s", async (_name, before, after, deleted) => {
    const session = addSession("one");
    const ids = new Map(["a", "b", "c"].map((name) => [name, addEvent(session)]));
    const cut = (word: string) => draft(`${word}x`, ...[...word].map((name) => ids.get(name) ?? 0));
    await generate(session, before.map(cut));
    await store.regenerations.select(local);
    const counts = store.pending.counts();
    const replaced = await complete(after.map(cut));
    expect(replaced.deleted).toHaveLength(deleted);
    expect(titles().sort()).toEqual(after.map((word) => `${word}x`));
    for (const word of before) if (!after.includes(word)) expect(found(`${word}x`)).toEqual([]);
    for (const word of after) expect(found(`${word}x`)).toHaveLength(1);
    expect(db.prepare("select count(*) from observation_sources").pluck().get()).toBe(3);
    expect(db.prepare("select count(*) from observation_files").pluck().get()).toBe(after.length);
    expect(db.prepare("select count(*) from observations_fts").pluck().get()).toBe(after.length);
    expect(store.pending.counts()).toEqual(counts);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
  });

  test("what the user pinned, rejected or superseded stays with its review", async () => {
    const session = addSession("one");
    const ids = ["a", "b", "c", "d"].map(() => addEvent(session));
    await generate(
      session,
      ids.map((id, index) => draft(`before ${index}`, id)),
    );
    const plain = { status: "active", pinned: 0, superseded_by: null } as const;
    store.review.setStanding(1, { ...plain, pinned: 1 });
    store.review.setStanding(2, { ...plain, status: "rejected" });
    store.review.setStanding(3, { ...plain, status: "superseded", superseded_by: 4 });
    await store.regenerations.select(local);
    const { deleted } = await complete([draft("all of it", ...ids)]);
    expect(deleted).toEqual([]);
    const standings = db.prepare("select status, pinned, superseded_by from observations order by id").raw();
    expect(standings.all()).toEqual([
      ["active", 1, null],
      ["rejected", 0, null],
      ["superseded", 0, 4],
      ["active", 0, null],
    ]);
  });

  test("keys are swapped without one standing in another's way", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session), addEvent(session)];
    await generate(session, [draft("1", a, b), draft("2", b, a)]);
    await store.regenerations.select(local);
    await complete([draft("3", b, a), draft("4", a, b)]);
    expect(titles()).toEqual(["3", "4"]);
    const keys = db.prepare("select generation_key from observations order by id").pluck().all();
    expect(keys).toEqual([`${b}:0`, `${a}:0`]);
  });

  test("rewrites a summary in place, and keeps it when the model leaves it out", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session, "summarize"), addEvent(session, "summarize")];
    // Each summary ends a batch.
    await generate(session, [], { summaries: [summaryDraft("alpha", a)], upgrade: true });
    await generate(session, [], { summaries: [summaryDraft("beta", b)], upgrade: true });
    expect(await store.regenerations.select(local)).toBe(2);
    await complete([], [summaryDraft("gamma", a)]);
    await complete([], []);
    const rows = db
      .prepare("select id, request, generator, revision, upgrade from session_summaries order by id")
      .all();
    expect(rows).toEqual([
      { id: 1, request: "gamma", generator: "model-1", revision: 2, upgrade: 0 },
      { id: 2, request: "beta", generator: "local", revision: 1, upgrade: 1 },
    ]);
    const index = db.prepare(
      "select rowid from session_summaries_fts where session_summaries_fts match ? order by rowid",
    );
    expect(index.pluck().all("alpha")).toEqual([]);
    expect(index.pluck().all("gamma")).toEqual([1]);
  });

  test("an answer that is only a summary leaves the observations as they are", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session), addEvent(session, "summarize")];
    await generate(session, [draft("a", a)], { summaries: [summaryDraft("before", b)] });
    await store.regenerations.select(local);
    const before = db.prepare("select * from observations").all();
    const replaced = await complete([], [summaryDraft("after", b)]);
    expect(replaced).toMatchObject({ observations: [], summaries: [{ request: "after" }], deleted: [] });
    expect(db.prepare("select * from observations").all()).toEqual(before);
    expect(found("a")).toEqual([1]);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
  });

  test("an answer that is only observations leaves the summary as it is", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session), addEvent(session, "summarize")];
    await generate(session, [draft("before", a)], { summaries: [summaryDraft("kept", b)] });
    await store.regenerations.select(local);
    const before = db.prepare("select * from session_summaries").all();
    await complete([draft("after", a)]);
    expect(titles()).toEqual(["after"]);
    expect(db.prepare("select * from session_summaries").all()).toEqual(before);
  });

  test("an observation of which the answer names no source stays as it is, with its key", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session), addEvent(session)];
    await generate(session, [draft("spoken", a), draft("unspoken", b)]);
    await store.regenerations.select(local);
    expect(await complete([draft("after", a)])).toMatchObject({ deleted: [] });
    expect(titles()).toEqual(["after", "unspoken"]);
    expect(found("unspoken")).toEqual([2]);
    const keys = db.prepare("select generation_key from observations order by id").pluck().all();
    expect(keys).toEqual([`${a}:0`, `${b}:0`]);
  });

  test("an answer whose observations all name sources that are gone takes nothing away", async () => {
    const session = addSession("one");
    const a = addEvent(session);
    await generate(session, [draft("a", a)]);
    await store.regenerations.select(local);
    await complete([draft("stray", a + 1_000)]);
    expect(titles()).toEqual(["a"]);
  });

  test("an answer without anything takes nothing away", async () => {
    const session = addSession("one");
    await generate(session, [draft("a", addEvent(session))]);
    await store.regenerations.select(local);
    await complete([]);
    expect(titles()).toEqual(["a"]);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
  });

  test("a regenerated statement gets the new marks and command families", async () => {
    const session = addSession("one");
    const id = addEvent(session);
    const marks = { said_by: "tool", standing: false, reach: "project", salience: 1 } as const;
    await generate(session, [{ ...draft("a", id), statement: { ...marks, families: ["npm test"] } }]);
    await store.regenerations.select(local);
    const after = { ...marks, salience: 2, families: ["npm run"] };
    await complete([{ ...draft("b", id), statement: after, routine: true }]);
    expect(store.observations.byId(1)).toMatchObject({ said_by: "tool", salience: 2, routine: 1 });
    expect(db.prepare("select family from fix_commands").pluck().all()).toEqual(["npm run"]);
  });

  test("a standing rule keeps its words and its id", async () => {
    const session = addSession("one");
    const [work, end] = [addEvent(session), addEvent(session, "summarize")];
    const said = (title: string, standing: boolean) =>
      ({
        ...draft(title, end),
        statement: { said_by: "user", standing, reach: "project", salience: 2 },
      }) as const;
    const before = [draft("work", work), said("rule", true), said("same", true), said("finding", false)];
    await generate(session, before, { summaries: [summaryDraft("alpha", end)] });
    await store.regenerations.select(local);
    await complete([draft("work again", work), said("cause", false), said("same", true)]);
    expect(db.prepare("select id, title, generator from observations order by id").raw().all()).toEqual([
      [1, "work again", "model-1"],
      [2, "rule", "local"],
      [3, "same", "model-1"],
      [4, "cause", "model-1"],
    ]);
  });

  test("a list that was dropped while the model wrote replaces nothing", async () => {
    const session = addSession("one");
    const id = addEvent(session);
    await generate(session, [draft("a", id)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    expect(await store.regenerations.drop()).toBe(1);
    await store.regenerations.complete(batch, {
      observations: [draft("late", id)],
      summaries: [],
      generator: "m",
    });
    expect(titles()).toEqual(["a"]);
  });

  test("a source that is purged while the model writes is not written twice", async () => {
    const session = addSession("one");
    const [a, b, c] = [addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("both", a, b), draft("whole", c)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    db.prepare("delete from raw_events where id = ?").run(a);
    const late = {
      observations: [draft("new both", a, b), draft("new whole", c)],
      summaries: [],
      generator: "m",
    };
    expect(await store.regenerations.complete(batch, late)).toBeNull();
    expect(titles()).toEqual(["both", "whole"]);
    await complete([draft("new whole", c)]);
    expect(titles()).toEqual(["both", "new whole"]);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
  });

  test("a store killed around a batch loses and doubles nothing", async () => {
    const session = addSession("one");
    const ids = Array.from({ length: 45 }, () => addEvent(session));
    await generate(
      session,
      ids.map((id) => draft(`old${id}`, id)),
    );
    await store.regenerations.select(local);
    // In the middle: the transaction was under way.
    const batch = await nextBatch();
    await expect(
      store.commit(() => {
        db.prepare("delete from regenerations").run();
        db.prepare("update observations set title = 'half'").run();
        throw new Error("killed");
      }),
    ).rejects.toThrow();
    reopen();
    expect(store.regenerations.counts().left).toBe(45);
    expect((await nextBatch()).messages).toEqual(batch.messages);
    for (let n = 0; n < 10 && store.regenerations.counts().left > 0; n++) {
      // Asked, but killed before the answer was stored.
      await nextBatch();
      reopen();
      const again = await nextBatch();
      await store.regenerations.complete(again, {
        observations: again.messages.map(({ id }) => draft(`new${id}`, id)),
        summaries: [],
        generator: "model-1",
      });
      reopen();
    }
    expect(titles()).toEqual(ids.map((id) => `new${id}`));
    expect(db.prepare("select count(*) from observations_fts").pluck().get()).toBe(45);
    expect(db.prepare("select max(revision), min(revision) from observations").get()).toEqual({
      "max(revision)": 2,
      "min(revision)": 2,
    });
  });
});

describe("a text that the user edited", () => {
  const fromUser = { said_by: "user", standing: false, reach: "project", salience: 2 } as const;
  const noParts = { investigated: null, learned: null, completed: null, next_steps: null, notes: null };
  const edit = (id: number, title: string) =>
    store.commit(() => store.edits.observation(id, { title }, 2_000));

  test("of a summary is not overwritten", async () => {
    const end = addEvent(addSession("one"), "summarize");
    const said = { ...draft("said", end), statement: fromUser };
    await generate(1, [said], { summaries: [summaryDraft("before", end)] });
    await store.commit(() => store.edits.summary(1, { request: "mine", ...noParts }, 2_000));
    await store.regenerations.select(local);
    const { summaries } = await complete([said], [summaryDraft("after", end)]);
    expect(summaries).toEqual([]);
    expect(store.summaries.byId(1)).toMatchObject({ request: "mine", generator: "manual" });
  });

  test.each([
    ["by a draft of its own event", ["a", "ab"]],
    ["by a draft of all events", ["ab"]],
  ])("of an observation is neither overwritten nor deleted %s", async (_name, drafts) => {
    const session = addSession("one");
    const ids = new Map(["a", "b"].map((name) => [name, addEvent(session)]));
    const cut = (word: string, title: string) => draft(title, ...[...word].map((name) => ids.get(name) ?? 0));
    await generate(session, [cut("a", "one"), cut("ab", "two")]);
    await edit(1, "mine");
    await store.regenerations.select(local);
    await complete(drafts.map((word) => cut(word, `${word} after`)));
    expect(titles()).toEqual(["mine", "ab after"]);
  });

  test.each([true, false])("does not come back once it is deleted (standing: %s)", async (standing) => {
    const end = addEvent(addSession("one"), "summarize");
    const said = { ...draft("said", end), statement: { ...fromUser, standing } };
    await generate(1, [said], { summaries: [summaryDraft("before", end)] });
    await edit(1, "mine");
    await store.commit(() => store.deletions.observation(1, 3_000));
    await store.regenerations.select(local);
    await complete([said], [summaryDraft("after", end)]);
    expect(titles()).toEqual([]);
  });
});
