import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DraftObservation, DraftSummary } from "../../../src/domain/drafts.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import { openDatabase, type Sqlite } from "../../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../../src/store/sqlite/store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

let path: string;
let db: Sqlite;
let store: Store;

beforeEach(() => {
  path = join(tempDir(), "mem.db");
  open();
});
afterEach(() => {
  db.close();
});

function open(): void {
  db = openDatabase(path, { product: "0.0.0-test", now: 1 });
  store = createStore(db);
}

/** As after a kill: nothing was closed, the file is opened anew. */
function reopen(): void {
  db.close();
  open();
}

const limits = { messages: 20, characters: 60_000 };
const local = { generator: "local" };

function addSession(name: string, project = "app"): number {
  return store.sessions.insert({
    claude_session_id: name,
    sdk_session_id: `sdk-${name}`,
    project,
    host: "api",
    cwd: null,
    now: 1_000,
  });
}

function addEvent(session: number, type: "observation" | "summarize" = "observation", at = 1_000): number {
  const key = String(Math.floor((db.prepare("select count(*) from raw_events").pluck().get() as number) + 1));
  const payload = JSON.stringify({ type, tool_name: `Tool ${key}`, tool_input: { command: "x".repeat(37) } });
  const id = store.rawEvents.insert({ session_id: session, kind: type, event_key: key, payload, now: at });
  if (id === null) throw new Error("no event");
  store.pending.enqueue(id, session, at);
  store.pending.count("accepted", 1);
  return id;
}

function draft(title: string, ...sources: number[]): DraftObservation {
  return {
    obs_type: "change",
    title,
    subtitle: null,
    summary: `${title} happened.`,
    narrative: null,
    facts: [`fact of ${title}`],
    concepts: [],
    files_read: [],
    files_modified: [`src/${title}.ts`],
    provenance: "file",
    sources,
  };
}

function summaryDraft(request: string, source: number): DraftSummary {
  return {
    request,
    investigated: null,
    learned: null,
    completed: null,
    next_steps: null,
    notes: null,
    facts: [],
    concepts: [],
    files_read: [],
    files_modified: [],
    source,
  };
}

/** Takes everything of the session through the generation queue, as the loop does. */
async function generate(
  session: number,
  observations: DraftObservation[],
  { summaries = [], generator = "local", upgrade = false }: GenerateOptions = {},
): Promise<void> {
  const queue = createGenerationQueue(store, "instance-1");
  const claim = { now: 2_000, leaseMs: 1_000, limit: 50, maxChars: 1_000_000 };
  const batch = await queue.claim(session, claim);
  if (batch === null) throw new Error("nothing to generate");
  await queue.complete(batch, { observations, summaries, generator, upgrade });
}

interface GenerateOptions {
  summaries?: DraftSummary[];
  generator?: string;
  upgrade?: boolean;
}

function titles(): unknown[] {
  return db.prepare("select title from observations order by id").pluck().all();
}

function found(word: string): unknown[] {
  return db.prepare("select rowid from observations_fts where observations_fts match ?").pluck().all(word);
}

async function nextBatch() {
  const batch = await store.regenerations.next(limits);
  if (batch === null) throw new Error("no batch");
  return batch;
}

async function complete(observations: DraftObservation[], summaries: DraftSummary[] = []) {
  return store.regenerations.complete(await nextBatch(), { observations, summaries, generator: "model-1" });
}

describe("choosing", () => {
  test.each([
    ["generator", { generator: "model-0" }, ["d"]],
    ["project", { ...local, project: "tool" }, ["c"]],
    ["time", { ...local, since: 5_000 }, ["b"]],
    ["nothing but local", local, ["a", "b", "c"]],
  ])("by %s takes what fits", async (_by, selection, expected) => {
    const one = addSession("one");
    const [a, b] = [addEvent(one), addEvent(one, "observation", 5_000)];
    await generate(one, [draft("a", a), draft("b", b)]);
    const two = addSession("two", "tool");
    await generate(two, [draft("c", addEvent(two))]);
    const three = addSession("three", "tool");
    await generate(three, [draft("d", addEvent(three))], { generator: "model-0" });
    expect(await store.regenerations.select(selection)).toBe(expected.length);
    const chosen = db
      .prepare(
        `select o.title
         from regenerations g
         join observation_sources s on s.raw_event_id = g.raw_event_id
         join observations o on o.id = s.observation_id
         order by o.title`,
      )
      .pluck()
      .all();
    expect(chosen).toEqual(expected);
  });

  test("an observation of which a source is past its age stays as it is", async () => {
    const session = addSession("one");
    const [a, b, c] = [addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("both", a, b), draft("whole", c)]);
    db.prepare("delete from raw_events where id = ?").run(a);
    expect(await store.regenerations.select(local)).toBe(1);
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual([c]);
  });

  test("more records than one step takes are all chosen", async () => {
    const session = addSession("one");
    const ids = db.transaction(() => Array.from({ length: 1_200 }, () => addEvent(session)))();
    for (let n = 0; n < 24; n++)
      await generate(
        session,
        ids.slice(n * 50, n * 50 + 50).map((id) => draft(`t${id}`, id)),
      );
    expect(await store.regenerations.select(local)).toBe(1_200);
  });

  test("what was given up is tried again when it is chosen again", async () => {
    const session = addSession("one");
    await generate(session, [draft("a", addEvent(session))]);
    await store.regenerations.select(local);
    for (let n = 0; n < 3; n++) await store.regenerations.fail(await nextBatch(), "no");
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 1 });
    expect(await store.regenerations.next(limits)).toBeNull();
    await store.regenerations.select(local);
    expect(store.regenerations.counts()).toEqual({ left: 1, failed: 0 });
  });
});

describe("batches", () => {
  test("hold one session's messages in order, as many as the limits let, the newest session first", async () => {
    const [one, two] = [addSession("one"), addSession("two")];
    const first = [addEvent(one), addEvent(one), addEvent(one)];
    const second = [addEvent(two)];
    await generate(
      one,
      first.map((id) => draft(`t${id}`, id)),
    );
    await generate(
      two,
      second.map((id) => draft(`t${id}`, id)),
    );
    await store.regenerations.select(local);
    const sizes = { messages: 2, characters: 1_000 };
    const batch = await store.regenerations.next(sizes);
    expect(batch?.session.id).toBe(two);
    await store.regenerations.complete(batch ?? (await nextBatch()), {
      observations: [draft("new", ...second)],
      summaries: [],
      generator: "m",
    });
    expect((await store.regenerations.next(sizes))?.messages.map(({ id }) => id)).toEqual(first.slice(0, 2));
    const small = { messages: 20, characters: 150 };
    expect((await store.regenerations.next(small))?.messages).toHaveLength(1);
  });

  test("a message holds what the host sent", async () => {
    const session = addSession("one");
    const id = addEvent(session);
    await generate(session, [draft("a", id)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    expect(batch.messages[0]).toMatchObject({
      id,
      session_id: session,
      failures: 0,
      message: { type: "observation", tool_name: `Tool ${id}` },
    });
    expect(batch.recentTitles).toEqual(["a"]);
  });

  test("messages that stand in one observation come together, over the limit too", async () => {
    const session = addSession("one");
    const ids = [addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("all", ...ids)]);
    await store.regenerations.select(local);
    const batch = await store.regenerations.next({ messages: 1, characters: 1 });
    expect(batch?.messages.map(({ id }) => id)).toEqual(ids);
  });

  test("one that failed is tried alone, after the others", async () => {
    const [one, two] = [addSession("one"), addSession("two")];
    const first = [addEvent(one)];
    const second = [addEvent(two), addEvent(two)];
    await generate(
      one,
      first.map((id) => draft(`t${id}`, id)),
    );
    await generate(
      two,
      second.map((id) => draft(`t${id}`, id)),
    );
    await store.regenerations.select(local);
    await store.regenerations.fail(await nextBatch(), "no");
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual(first);
    await store.regenerations.fail(await nextBatch(), "no");
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual(second.slice(0, 1));
  });

  test("a source that went away after the choice leaves its observation as it is, and the rest goes on", async () => {
    const session = addSession("one");
    const [a, b, c] = [addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("both", a, b), draft("whole", c)]);
    await store.regenerations.select(local);
    db.prepare("delete from raw_events where id = ?").run(a);
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual([c]);
    await complete([draft("new", c)]);
    expect(titles()).toEqual(["both", "new"]);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
  });

  test("a payload that cannot be read holds nothing up", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session), addEvent(session)];
    await generate(session, [draft("a", a), draft("b", b)]);
    await store.regenerations.select(local);
    db.prepare("update raw_events set payload = '{' where id = ?").run(a);
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual([b]);
  });
});

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
    expect(replaced.deleted).toBe(deleted);
    expect(titles().sort()).toEqual(after.map((word) => `${word}x`));
    for (const word of before) if (!after.includes(word)) expect(found(`${word}x`)).toEqual([]);
    for (const word of after) expect(found(`${word}x`)).toHaveLength(1);
    expect(db.prepare("select count(*) from observation_sources").pluck().get()).toBe(3);
    expect(db.prepare("select count(*) from observation_files").pluck().get()).toBe(after.length);
    expect(db.prepare("select count(*) from observations_fts").pluck().get()).toBe(after.length);
    expect(store.pending.counts()).toEqual(counts);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
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

  test("a summary is written anew in its place, and stays when the model leaves it out", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session, "summarize"), addEvent(session, "summarize")];
    await generate(session, [], {
      summaries: [summaryDraft("alpha", a), summaryDraft("beta", b)],
      upgrade: true,
    });
    expect(await store.regenerations.select(local)).toBe(2);
    await complete([], [summaryDraft("gamma", a)]);
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

  test("an answer without anything takes nothing away", async () => {
    const session = addSession("one");
    await generate(session, [draft("a", addEvent(session))]);
    await store.regenerations.select(local);
    await complete([]);
    expect(titles()).toEqual(["a"]);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
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
    await store.regenerations.complete(batch, {
      observations: [draft("new both", a, b), draft("new whole", c)],
      summaries: [],
      generator: "m",
    });
    expect(titles()).toEqual(["both", "new whole"]);
  });

  test("a store that is killed before, after or in the middle of a batch loses and doubles nothing", async () => {
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
