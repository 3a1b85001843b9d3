import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DraftObservation } from "../../../src/core/records/drafts.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import { createGroupCommit } from "../../../src/store/sqlite/group-commit.ts";
import { openDatabase, type Sqlite } from "../../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../../src/store/sqlite/store.ts";
import { openMigrated } from "../../helpers/memory-store.ts";

let directory: string;
let db: Sqlite;
let store: Store;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-store-"));
  db = openMigrated(join(directory, "mem.db"));
  store = createStore(db);
});

afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

function addSession(claudeSessionId = "host-1"): number {
  return store.sessions.insert({
    claude_session_id: claudeSessionId,
    sdk_session_id: `sdk-${claudeSessionId}`,
    project: "demo",
    host: "api",
    cwd: "/home/user/demo",
    now: 1_000,
  });
}

function addMessage(sessionId: number, key: string, at = 1_000): number {
  const id = store.rawEvents.insert({
    session_id: sessionId,
    kind: "observation",
    event_key: key,
    payload: JSON.stringify({ type: "observation", tool_name: "Read", tool_input: { file_path: key } }),
    now: at,
  });
  if (id === null) throw new Error(`the key ${key} is there already`);
  store.pending.enqueue(id, sessionId, at);
  store.pending.count("accepted", 1);
  return id;
}

function draft(title: string, sources: number[]): DraftObservation {
  return {
    obs_type: "discovery",
    title,
    subtitle: null,
    summary: title,
    narrative: null,
    facts: ["one fact"],
    concepts: ["how-it-works"],
    files_read: ["/home/user/demo/parseConfig.ts"],
    files_modified: [],
    provenance: "file",
    sources,
  };
}

const claim = { now: 2_000, leaseMs: 60_000, limit: 50, maxChars: 1_000_000 };

describe("the durable queue", () => {
  test("a completed batch stores observations, full text and queue in one commit", async () => {
    const session = addSession();
    const ids = ["a", "b"].map((key) => addMessage(session, key));
    const queue = createGenerationQueue(store, "instance-1");
    const batch = await queue.claim(session, claim);
    expect(batch?.messages.map((message) => message.id)).toEqual(ids);
    expect(store.pending.counts()).toMatchObject({ accepted: 2, processing: 2, pending: 0, done: 0 });
    const made = await queue.complete(batch as NonNullable<typeof batch>, {
      observations: ids.map((id) => draft(`Read ${id}`, [id])),
      summaries: [],
      generator: "local",
    });
    expect(made.observations.map((observation) => observation.title)).toEqual(ids.map((id) => `Read ${id}`));
    expect(store.pending.counts()).toEqual({
      accepted: 2,
      done: 2,
      skipped: 0,
      pending: 0,
      processing: 0,
      dead: 0,
    });
    const found = db
      .prepare("select rowid from observations_fts where observations_fts match 'facts : fact'")
      .all();
    expect(found).toHaveLength(2);
    expect(db.prepare("select raw_event_id from observation_sources order by 1").pluck().all()).toEqual(ids);
    expect(db.prepare("select distinct path from observation_files").pluck().all()).toEqual([
      "/home/user/demo/parseConfig.ts",
    ]);
  });

  test("a batch that is completed twice is stored once", async () => {
    const session = addSession();
    const id = addMessage(session, "a");
    const queue = createGenerationQueue(store, "instance-1");
    const batch = await queue.claim(session, claim);
    if (batch === null) throw new Error("nothing was claimed");
    const reply = { observations: [draft("Read a", [id])], summaries: [], generator: "local" };
    await queue.complete(batch, reply);
    const second = await queue.complete(batch, reply);
    expect(second.observations).toEqual([]);
    expect(store.observations.page({ offset: 0, limit: 10 }).items).toHaveLength(1);
    expect(store.pending.counts().done).toBe(1);
  });

  test("a message that was given to a dead instance is not completed by it", async () => {
    const session = addSession();
    const id = addMessage(session, "a");
    const batch = await createGenerationQueue(store, "dead").claim(session, claim);
    if (batch === null) throw new Error("nothing was claimed");
    await store.commit(() => store.pending.reclaimAll());
    const taken = await createGenerationQueue(store, "alive").claim(session, claim);
    expect(taken?.messages.map((message) => message.id)).toEqual([id]);
    const late = await createGenerationQueue(store, "dead").complete(batch, {
      observations: [draft("late", [id])],
      summaries: [],
      generator: "local",
    });
    expect(late.observations).toEqual([]);
    expect(store.pending.counts()).toMatchObject({ processing: 1, done: 0 });
  });

  test("a message that failed before is claimed alone", async () => {
    const session = addSession();
    const [first = 0, second = 0] = ["a", "b"].map((key) => addMessage(session, key));
    const queue = createGenerationQueue(store, "instance-1");
    const batch = await queue.claim(session, claim);
    await queue.release(batch?.messages ?? [], { kind: "retry", at: 1_500, error: "no" });
    const alone = { ...claim, limitOfRetry: 1 };
    expect((await queue.claim(session, alone))?.messages.map((message) => message.id)).toEqual([first]);
    expect((await queue.claim(session, alone))?.messages.map((message) => message.id)).toEqual([second]);
  });

  test("a message that is given back has not spent an attempt, one that is retried has", async () => {
    const session = addSession();
    addMessage(session, "a");
    const queue = createGenerationQueue(store, "instance-1");
    const first = await queue.claim(session, claim);
    await queue.release(first?.messages ?? [], { kind: "give_back" });
    const second = await queue.claim(session, claim);
    expect(second?.messages[0]?.attempts).toBe(0);
    await queue.release(second?.messages ?? [], { kind: "retry", at: 5_000, error: "later" });
    expect(await queue.claim(session, claim)).toBeNull();
    expect(queue.nextDue(2_000)).toBe(5_000);
    expect((await queue.claim(session, { ...claim, now: 5_000 }))?.messages[0]?.attempts).toBe(1);
  });

  test("an expired lease goes back to pending", async () => {
    const session = addSession();
    addMessage(session, "a");
    const queue = createGenerationQueue(store, "instance-1");
    await queue.claim(session, { ...claim, leaseMs: 10 });
    expect(await queue.reclaimExpired(2_005, [])).toBe(0);
    expect(await queue.reclaimExpired(2_011, [])).toBe(1);
    expect(queue.sessionsDue(2_011)).toEqual([session]);
  });

  test("keeps an expired lease of a running session: a suspended machine's clock ran on", async () => {
    const session = addSession();
    addMessage(session, "a");
    const queue = createGenerationQueue(store, "instance-1");
    await queue.claim(session, { ...claim, leaseMs: 10 });
    expect(await queue.reclaimExpired(9_999, [session])).toBe(0);
    expect(await queue.reclaimExpired(9_999, [session + 1])).toBe(1);
  });

  test("a worker crash does not fail a message: the batch stays together until the third", async () => {
    const session = addSession();
    for (const key of ["a", "b"]) addMessage(session, key);
    const queue = createGenerationQueue(store, "instance-1");
    for (const [crashes, size] of [
      [0, 2],
      [1, 2],
      [2, 2],
      [3, 1],
    ]) {
      const batch = await queue.claim(session, { ...claim, limitOfRetry: 1 });
      expect(batch?.messages).toHaveLength(size ?? 0);
      expect(batch?.messages[0]).toMatchObject({ attempts: crashes, failures: 0 });
      await store.commit(() => store.pending.reclaimAll());
    }
  });

  test("a message whose payload cannot be read is dead and holds nothing up", async () => {
    const session = addSession();
    const [broken = 0, fine = 0] = ["a", "b"].map((key) => addMessage(session, key));
    db.prepare("update raw_events set payload = '{\"type' where id = ?").run(broken);
    const batch = await createGenerationQueue(store, "instance-1").claim(session, claim);
    expect(batch?.messages.map((message) => message.id)).toEqual([fine]);
    expect(store.pending.counts()).toMatchObject({ dead: 1, processing: 1 });
  });

  test("a retry that lies beyond every delay is due: the clock was put back", async () => {
    const session = addSession();
    addMessage(session, "a");
    const queue = createGenerationQueue(store, "instance-1");
    const batch = await queue.claim(session, claim);
    await queue.release(batch?.messages ?? [], { kind: "retry", at: 3_600_000, error: "no" });
    expect(queue.sessionsDue(2_000)).toEqual([session]);
    expect(await queue.claim(session, claim)).not.toBeNull();
  });

  test("sessions are due by their oldest message", () => {
    const [one, two, three] = ["one", "two", "three"].map((name) => addSession(name));
    addMessage(two ?? 0, "a");
    addMessage(one ?? 0, "b");
    addMessage(two ?? 0, "c");
    expect(createGenerationQueue(store, "instance-1").sessionsDue(2_000)).toEqual([two, one]);
    expect(three).toBeGreaterThan(0);
  });

  test("with a backlog of other sessions a claim looks at its own messages only", () => {
    const plans = db
      .prepare(
        "explain query plan select id from pending_messages where status = 'pending' and session_id = 1 order by id",
      )
      .all() as { detail: string }[];
    expect(plans.map((plan) => plan.detail).join()).toMatch(
      /SEARCH.*pending_messages_ready \(session_id=\?\)/,
    );
  });
});

describe("group commit", () => {
  test("writes of one turn share a transaction, and each gets its own answer", async () => {
    const session = addSession();
    const ids = await Promise.all(["a", "b", "c"].map((key) => store.commit(() => addMessage(session, key))));
    expect(new Set(ids).size).toBe(3);
  });

  test("a write that fails takes no neighbour with it", async () => {
    const session = addSession();
    const results = await Promise.allSettled([
      store.commit(() => addMessage(session, "a")),
      store.commit(() => {
        addMessage(session, "b");
        throw new Error("on purpose");
      }),
      store.commit(() => addMessage(session, "c")),
    ]);
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const keys = db.prepare("select event_key from raw_events order by event_key").pluck().all();
    expect(keys).toEqual(["a", "c"]);
    expect(store.pending.counts().accepted).toBe(2);
  });

  test("a locked database fails all waiting writes together", async () => {
    const other = openDatabase(db.name, { product: "0.0.0-test", now: 1 });
    other.exec("begin immediate");
    let tries = 0;
    const failed = createGroupCommit(db, () => void tries++);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => failed.commit(() => addSession(`locked-${n}`))),
    );
    expect(new Set(results.map((result) => result.status))).toEqual(new Set(["rejected"]));
    expect(results[0]).toMatchObject({ reason: { code: "storage_busy" } });
    expect(tries).toBe(1);
    other.exec("rollback");
    other.close();
    expect(await failed.commit(() => addSession("free again"))).toBeGreaterThan(0);
  });

  test("reports a full disk from a failed write until the next successful one", async () => {
    const pages = Number(db.pragma("page_count", { simple: true }));
    expect(store.storageFailure()).toBeNull();
    db.pragma(`max_page_count = ${pages}`);
    const fill = Array.from({ length: 200 }, (_, n) => store.commit(() => addSession(`full-${n}`)));
    await Promise.allSettled(fill);
    expect(store.storageFailure()).toMatchObject({ code: "storage_full" });
    db.pragma(`max_page_count = ${pages + 1_000}`);
    await store.commit(() => addSession("room again"));
    expect(store.storageFailure()).toBeNull();
  });

  test("every connection that writes syncs at each commit", () => {
    expect(db.pragma("synchronous", { simple: true })).toBe(2);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
  });

  test("restores syncing at each commit after a shared sync, also a failed one", async () => {
    const session = addSession();
    const write = (key: string) => store.commit(() => addMessage(session, key));
    await Promise.all([..."abcdefgh"].map(write));
    expect(db.pragma("synchronous", { simple: true })).toBe(2);
    const refused = store.commit(() => JSON.parse("{"));
    await Promise.allSettled([refused, ...[..."ijklmnop"].map(write)]);
    expect(db.pragma("synchronous", { simple: true })).toBe(2);
  });

  test("commits writes that arrive during a sync after it; a flush does not wait", async () => {
    const session = addSession();
    const done: string[] = [];
    const write = async (key: string) => {
      await store.commit(() => addMessage(session, key));
      done.push(key);
    };
    const first = [..."abcdefgh"].map(write);
    await new Promise((resolve) => setImmediate(resolve));
    const later = ["i", "j"].map(write);
    await Promise.all([...first, ...later]);
    expect(done.join("")).toBe("abcdefghij");
    const last = ["k", "l"].map(write);
    store.flush();
    expect(db.prepare("select count(*) from raw_events").pluck().get()).toBe(12);
    await Promise.all(last);
  });
});

describe("records", () => {
  test("the same event key is stored once in a session and again in another", () => {
    const [one, two] = [addSession("one"), addSession("two")];
    addMessage(one, "same");
    expect(
      store.rawEvents.insert({
        session_id: one,
        kind: "observation",
        event_key: "same",
        payload: "{}",
        now: 1,
      }),
    ).toBeNull();
    expect(addMessage(two, "same")).toBeGreaterThan(0);
  });

  test("a private prompt is in no page and in no index", () => {
    const session = addSession();
    const base = {
      session_id: session,
      claude_session_id: "host-1",
      sdk_session_id: "sdk-host-1",
      project: "demo",
      now: 5,
    };
    store.prompts.insert({ ...base, prompt_number: 1, prompt_text: "", private: 1, event_key: "p1" });
    store.prompts.insert({
      ...base,
      prompt_number: 2,
      prompt_text: "fix the login",
      private: 0,
      event_key: "p2",
    });
    expect(store.prompts.page({ offset: 0, limit: 10 }).items.map((prompt) => prompt.prompt_number)).toEqual([
      2,
    ]);
    expect(db.prepare("select count(*) from user_prompts_fts").pluck().get()).toBe(1);
    expect(store.prompts.byNumber(session, 2)?.private).toBe(0);
    expect(store.prompts.byNumber(session, 1)?.private).toBe(1);
  });

  test("raw events are purged by age, but never while something waits for them", () => {
    const session = addSession();
    const [old = 0] = ["old"].map((key) => addMessage(session, key, 10));
    store.rawEvents.insert({
      session_id: session,
      kind: "observation",
      event_key: "done",
      payload: "{}",
      now: 10,
    });
    addMessage(session, "new", 1_000);
    expect(store.rawEvents.purge(500, 100)).toBe(1);
    expect(db.prepare("select id from raw_events order by id").pluck().all()).toContain(old);
    expect(db.prepare("select count(*) from raw_events").pluck().get()).toBe(2);
  });

  test("a raw event from a wrong clock does not block the purge of later ones", () => {
    const session = addSession();
    for (const [key, at] of [
      ["future", 9_999_999],
      ["old", 10],
      ["older", 9],
    ] as const) {
      store.rawEvents.insert({
        session_id: session,
        kind: "observation",
        event_key: key,
        payload: "{}",
        now: at,
      });
    }
    expect(store.rawEvents.purge(500, 100)).toBe(2);
  });

  test("a page says whether more follows it", () => {
    for (const name of ["a", "b", "c"]) addSession(name);
    expect(store.sessions.page({ offset: 0, limit: 2 })).toMatchObject({ hasMore: true });
    expect(store.sessions.page({ offset: 2, limit: 2 })).toMatchObject({ hasMore: false });
    expect(store.sessions.page({ offset: 0, limit: 9, project: "other" }).items).toEqual([]);
  });
});
