// Deleting and restoring through the worker's routes, on a real database file.
import { describe, expect, test } from "vitest";
import { disagreements } from "../../src/store/sqlite/derived-check.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import { volume } from "../helpers/volume.ts";
import {
  answersOf,
  ask,
  bytesWith,
  conservation,
  dayMs,
  db,
  eachWithAWorker,
  generated,
  hits,
  idsOf,
  listen,
  now,
  remove,
  restore,
  rows,
  store,
  tablesWith,
  travel,
  workIn,
} from "./trash-world.ts";

eachWithAWorker();

describe("a session", () => {
  test("leaves nothing of it outside the trash, and comes back as it was", async () => {
    await workIn("s-1", "kumquat");
    await workIn("s-2", "papaya");
    const before = rows();
    const found = await answersOf("kumquat");
    expect(tablesWith("kumquat")).not.toEqual([]);
    const { status, body } = await remove("/api/sessions/1");
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: "session", id: 1, deleted: { prompts: 1, sessions: 1 } });
    expect(body.undo_until_epoch).toBe(now + 30 * dayMs);
    expect(tablesWith("kumquat")).toEqual([]);
    expect(await hits("kumquat")).toBe(0);
    expect(tablesWith("papaya")).not.toEqual([]);
    conservation();
    expect((await ask("GET", "/api/stats")).body.database.sessions).toBe(1);
    expect((await restore(body.trash_id)).body).toMatchObject({ kind: "session", restored: body.deleted });
    expect(rows()).toEqual(before);
    expect(await answersOf("kumquat")).toEqual(found);
    expect(disagreements(db)).toEqual({});
    conservation();
  });

  test("deleted during a private prompt stays private until the next prompt", async () => {
    const session = { claudeSessionId: "s-1", project: "app" };
    const use = { ...session, tool_name: "Bash", tool_input: { command: "echo kumquat" } };
    const skipped = { status: "skipped", reason: "private" };
    await ask("POST", "/api/sessions/init", { ...session, prompt: "<private>all of it</private>" });
    expect((await ask("POST", "/api/sessions/observations", use)).body).toEqual(skipped);
    await remove("/api/sessions/1");
    expect((await ask("POST", "/api/sessions/observations", use)).body).toEqual(skipped);
    expect((await ask("POST", "/observations", { ...session, title: "kumquat" })).body).toEqual(skipped);
    expect(tablesWith("kumquat")).toEqual([]);
    conservation();
    await ask("POST", "/api/sessions/init", { ...session, prompt: "Now in the open." });
    expect((await ask("POST", "/api/sessions/observations", use)).body).toEqual({ status: "queued" });
  });

  test("takes waiting messages with it, which wait again after the undo", async () => {
    const message = { claudeSessionId: "s-1", project: "app" };
    await ask("POST", "/api/sessions/init", { ...message, prompt: "Go." });
    await ask("POST", "/api/sessions/observations", {
      ...message,
      tool_name: "Bash",
      tool_input: { command: "kumquat" },
    });
    expect(store.pending.counts()).toMatchObject({ pending: 1 });
    const { body } = await remove("/api/sessions/1");
    expect(store.pending.counts()).toMatchObject({ accepted: 1, skipped: 1, pending: 0 });
    conservation();
    await restore(body.trash_id);
    conservation();
    await generated();
    expect(store.pending.counts()).toMatchObject({ accepted: 1, done: 1, skipped: 0 });
  });

  test("begins again with the next event, and is restored beside the new one", async () => {
    await workIn("s-1", "kumquat");
    const injected = { moment: "start", cause: null, text: "Of the first.", tokens: 4, records: [] } as const;
    store.injections.add({ session: "s-1", reader: "" }, injected, now);
    const { body } = await remove("/api/sessions/1");
    await workIn("s-1", "papaya");
    expect(await hits("kumquat")).toBe(0);
    expect((await restore(body.trash_id)).status).toBe(200);
    expect(await hits("kumquat")).toBeGreaterThan(0);
    expect(await hits("papaya")).toBeGreaterThan(0);
    expect(idsOf("sessions")).toEqual([1, 2]);
    const { session, items: injections } = (await ask("GET", "/api/sessions/1/injections")).body;
    expect(injections).toMatchObject([{ text: "Of the first." }]);
    expect((await ask("GET", "/api/sessions/2/injections")).body.items).toEqual([]);
    expect((await ask("GET", "/api/prompt/1")).body.claude_session_id).toBe(session.claude_session_id);
    conservation();
  });

  test("discards the answer of a running call", async () => {
    const message = { claudeSessionId: "s-1", project: "app" };
    await ask("POST", "/api/sessions/init", { ...message, prompt: "Go." });
    await ask("POST", "/api/sessions/observations", {
      ...message,
      tool_name: "Bash",
      tool_input: { command: "ls" },
    });
    const queue = createGenerationQueue(store, "one");
    const claim = { now, leaseMs: 60_000, limit: 10, maxChars: 10_000 };
    const batch = await queue.claim(1, claim);
    if (batch === null) throw new Error("nothing to claim");
    await remove("/api/sessions/1");
    const draft = {
      ...{ obs_type: "change", title: "Late", subtitle: null, summary: "Late.", narrative: null, facts: [] },
      ...{ concepts: [], files_read: [], files_modified: [], provenance: "file" as const },
      sources: batch.messages.map(({ id }) => id),
    };
    const stored = await queue.complete(batch, { observations: [draft], summaries: [], generator: "m" });
    expect(stored.observations).toEqual([]);
    expect(idsOf("observations")).toEqual([]);
    conservation();
  });
});

test("where another record has the place, nothing is restored or lost", async () => {
  await workIn("s-1", "kumquat");
  const { body } = await remove("/api/sessions/1");
  await workIn("s-2", "papaya");
  db.exec("update session_summaries set id = 1");
  const before = rows();
  expect((await restore(body.trash_id)).status).toBe(409);
  expect(rows()).toEqual(before);
  expect((await ask("GET", "/api/trash")).body.items).toHaveLength(1);
});

describe("an observation", () => {
  const made = () =>
    db.prepare<[], { id: number; title: string }>("select id, title from observations order by id").all();

  test("is gone from rows, search, timeline, context and files, and comes back as it was", async () => {
    await workIn("s-1", "kumquat");
    const edit = made().find(({ title }) => title.includes("kumquata.ts"))?.id ?? 0;
    const path = "/w/app/kumquata.ts";
    const before = rows();
    expect(tablesWith("kumquatina")).not.toEqual([]);
    const { body } = await remove(`/api/observations/${edit}`);
    expect(body).toMatchObject({ kind: "observation", id: edit, deleted: { observations: 1, summaries: 0 } });
    expect((await ask("GET", `/api/observation/${edit}`)).status).toBe(404);
    expect(tablesWith("kumquatina")).toEqual([]);
    expect((await ask("GET", `/api/observations/by-file?path=${path}`)).body.total).toBe(0);
    expect(JSON.stringify((await ask("GET", "/api/timeline?query=kumquat")).body)).not.toContain("kumquata");
    expect((await remove(`/api/observations/${edit}`)).body.error).toMatchObject({ code: "not_found" });
    await ask("POST", "/api/maintenance/repair", {});
    await expect.poll(() => store.derived.waiting()).toBe(0);
    expect(tablesWith("kumquatina")).toEqual([]);
    await restore(body.trash_id);
    expect(rows()).toEqual(before);
    expect((await ask("GET", `/api/observations/by-file?path=${path}`)).body.total).toBe(1);
    expect(disagreements(db)).toEqual({});
    expect((await restore(body.trash_id)).status).toBe(404);
  });

  test("is not stored again when its event is delivered again", async () => {
    const message = { claudeSessionId: "s-1", project: "app" };
    const use = { ...message, tool_name: "Bash", tool_use_id: "one", tool_input: { command: "kumquat" } };
    await ask("POST", "/api/sessions/init", { ...message, prompt: "Go." });
    await ask("POST", "/api/sessions/observations", use);
    await generated();
    await remove(`/api/observations/${made()[0]?.id}`);
    await ask("POST", "/api/sessions/observations", use);
    await generated();
    expect(made()).toEqual([]);
    expect(tablesWith("kumquat")).toEqual([]);
    conservation();
  });

  test("that replaced another one makes it active, until it is restored", async () => {
    for (const title of ["Old", "New"])
      await ask("POST", "/observations", { claudeSessionId: "s-1", project: "app", title });
    await ask("POST", "/api/observations/1/status", { status: "superseded", superseded_by: 2 });
    const { body } = await remove("/api/observations/2");
    const statusOf = async () => (await ask("GET", "/api/observation/1")).body;
    expect(await statusOf()).toMatchObject({ status: "active", superseded_by: null });
    await restore(body.trash_id);
    expect(await statusOf()).toMatchObject({ status: "superseded", superseded_by: 2 });
  });

  test("that replaced others tells the stream that they are active, and replaced again", async () => {
    for (const [session, title] of [
      ["s-1", "Old"],
      ["s-2", "New"],
    ])
      await ask("POST", "/observations", { claudeSessionId: session, project: "app", title });
    await ask("POST", "/api/observations/1/status", { status: "superseded", superseded_by: 2 });
    const events = await listen();
    const changes = () =>
      events.flatMap(({ type, observation }) => (type === "observation_changed" ? [observation] : []));
    for (const path of ["/api/observations/2", "/api/sessions/2"]) {
      events.length = 0;
      const { body } = await remove(path);
      await expect.poll(changes).toMatchObject([{ id: 1, status: "active", superseded_by: null }]);
      await restore(body.trash_id);
      await expect.poll(changes).toMatchObject([{}, { id: 1, status: "superseded", superseded_by: 2 }]);
    }
  });

  test("of a deleted session comes back only after the session", async () => {
    await ask("POST", "/observations", { claudeSessionId: "s-1", project: "app", title: "One" });
    const one = (await remove("/api/observations/1")).body;
    const session = (await remove("/api/sessions/1")).body;
    const refused = await restore(one.trash_id);
    expect(refused.status).toBe(409);
    expect(refused.body.error.hint).toContain(`/api/trash/${session.trash_id}/restore`);
    expect((await restore(session.trash_id)).status).toBe(200);
    expect((await restore(one.trash_id)).status).toBe(200);
  });

  test("loses its text in the log of injections until it is restored", async () => {
    await ask("POST", "/observations", { claudeSessionId: "s-0", project: "app", title: "The kumquat rule" });
    await ask("POST", "/api/sessions/init", { claudeSessionId: "s-1", project: "app", prompt: "Go." });
    store.injections.add(
      { session: "s-1", reader: "" },
      {
        ...{ moment: "start", cause: null, text: "The kumquat rule (#1)", tokens: 6 },
        records: [{ kind: "observation", id: 1 }],
      },
      now,
    );
    const logged = async () => (await ask("GET", "/api/sessions/2/injections")).body.items;
    const { body } = await remove("/api/observations/1");
    expect(await logged()).toMatchObject([{ text: null, records: [{ id: 1, title: "", is_deleted: true }] }]);
    expect(tablesWith("kumquat")).toEqual([]);
    await restore(body.trash_id);
    expect(await logged()).toMatchObject([
      { text: "The kumquat rule (#1)", records: [{ title: "The kumquat rule", is_deleted: false }] },
    ]);
  });
});

test("a summary is deleted and restored; its turn is not summarized again", async () => {
  await workIn("s-1", "kumquat");
  const [id] = idsOf("session_summaries");
  const before = rows();
  const { body } = await remove(`/api/summaries/${id}`);
  expect(body).toMatchObject({ kind: "summary", id, deleted: { summaries: 1 } });
  expect((await ask("GET", `/api/summary/${id}`)).status).toBe(404);
  await ask("POST", "/api/sessions/complete", { claudeSessionId: "s-1" });
  await generated();
  expect(idsOf("session_summaries")).toEqual([]);
  await ask("POST", "/api/sessions/init", { claudeSessionId: "s-1", project: "app", prompt: "Go." });
  await restore(body.trash_id);
  expect(rows().session_summaries).toEqual(before.session_summaries);
  expect(rows().raw_events).toEqual(before.raw_events);
});

test("a prompt takes the copies of its text with it", async () => {
  const message = { claudeSessionId: "s-1", project: "app" };
  await ask("POST", "/api/sessions/init", { ...message, prompt: "Mind the kumquat." });
  await ask("POST", "/api/sessions/summarize", { ...message, last_assistant_message: "Done." });
  store.injections.add(
    { session: "s-1", reader: "" },
    { moment: "prompt", cause: "Mind the kumquat.", text: "Some rule.", tokens: 2, records: [] },
    now,
  );
  // The queue moves meanwhile.
  const stored = () => ({ ...rows(), pending_messages: [], message_counts: [] });
  const before = stored();
  const { body } = await remove("/api/prompts/1");
  expect(body).toMatchObject({ kind: "prompt", id: 1, deleted: { prompts: 1 } });
  expect(tablesWith("kumquat")).toEqual([]);
  await restore(body.trash_id);
  expect(stored()).toEqual(before);
  expect(await hits("kumquat")).toBeGreaterThan(0);
});

describe("records of one turn", () => {
  const deleteAll = async (paths: readonly string[]) => {
    const entries: number[] = [];
    for (const path of paths) entries.push((await remove(path)).body.trash_id);
    return entries;
  };
  const turn = async () => {
    const message = { claudeSessionId: "s-1", project: "app" };
    const prompt = "Always use kumquat, never lemon.";
    await ask("POST", "/api/sessions/init", { ...message, prompt });
    const closing = { last_user_message: prompt, last_assistant_message: "Done." };
    await ask("POST", "/api/sessions/summarize", { ...message, ...closing });
    await generated();
  };
  const paths = ["/api/prompts/1", "/api/observations/1", "/api/summaries/1"];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const deleteIn = (order: readonly number[]) => deleteAll(order.map((index) => paths[index] ?? ""));

  test("deleted in every order, come back as they were", async () => {
    await turn();
    const before = rows().raw_events;
    for (const [at, order] of orders.entries()) {
      for (let more = 0; more < volume(orders.length, 2); more++) {
        const back = orders[(orders.length - 1 - at + more) % orders.length] ?? [];
        const entries = await deleteIn(order);
        expect(tablesWith("kumquat")).toEqual([]);
        for (const index of back)
          expect((await restore(entries[order.indexOf(index)] ?? 0)).status).toBe(200);
        expect([order, back, rows().raw_events]).toEqual([order, back, before]);
      }
    }
  });

  test("the prompt's text stays deleted when the others come back", async () => {
    await turn();
    for (const order of orders) {
      const entries = await deleteIn(order);
      const back = async (index: number) =>
        expect((await restore(entries[order.indexOf(index)] ?? 0)).status).toBe(200);
      for (const index of [1, 2]) await back(index);
      const messages = rows().raw_events?.map((row) => JSON.parse(JSON.parse(row).payload));
      expect(messages).toMatchObject([{ last_assistant_message: "Done." }]);
      expect([order, messages?.[0]]).toEqual([
        order,
        expect.not.objectContaining({ last_user_message: expect.anything() }),
      ]);
      await back(0);
    }
  });
});

test("what is older than 30 days cannot be restored, and is purged in steps", async () => {
  await workIn("s-1", "kumquat");
  const { body } = await remove("/api/sessions/1");
  const then = travel(30);
  expect((await restore(body.trash_id)).status).toBe(404);
  expect((await ask("GET", "/api/trash")).body.items).toEqual([]);
  expect(bytesWith("kumquat")).toBe(true);
  const purge = (at: number) => store.commit(() => store.trash.purge(at - 30 * dayMs, 3));
  expect(await purge(then)).toBe(3);
  while ((await purge(then)) > 0);
  expect(db.prepare("select count(*) from trash_rows").pluck().get()).toBe(0);

  // The words leave the pages of the full text a day later.
  while ((await purge(then + dayMs)) > 0);
  expect(db.prepare("select count(*) from trash").pluck().get()).toBe(0);
  expect(bytesWith("kumquat")).toBe(false);
});
