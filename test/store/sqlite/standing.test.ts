import { beforeEach, describe, expect, test } from "vitest";
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
  store,
  summaryDraft,
  titles,
} from "./regeneration-support.ts";

eachInAStoreOfItsOwn();

let session: number;
beforeEach(() => {
  session = addSession("one");
});

/** A message that came under a prompt that is not known yet. */
function addUnder(promptKey: string, type: "observation" | "summarize" = "observation"): number {
  const id = addEvent(session, type);
  db.prepare(
    "update raw_events set payload = json_insert('{}', '$.prompt_key', ?, '$.type', ?) where id = ?",
  ).run(promptKey, type, id);
  return id;
}

const isPrivate = (promptKey: string) => store.commit(() => store.withdrawals.ofPrompt(session, promptKey));

const sources = (): unknown[] =>
  db.prepare("select distinct raw_event_id from observation_sources order by 1").pluck().all();

describe("what a private prompt takes back while the model writes", () => {
  test("is not stored, whatever sources the answer names", async () => {
    const [secret, open] = [addUnder("k"), addEvent(session)];
    await generate(session, [draft("secret", secret), draft("open", open)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    await isPrivate("k");
    const reply = {
      observations: [draft("both", secret, open), draft("said of the other", open)],
      summaries: [],
      generator: "m",
    };
    expect(await store.regenerations.complete(batch, reply)).toBeNull();
    expect(titles()).toEqual(["open"]);
    for (const word of ["both", "said", "secret"]) expect(found(word)).toEqual([]);
    expect(sources()).toEqual([open]);
  });

  test("leaves the rest listed, to be regenerated without it", async () => {
    const [secret, open] = [addUnder("k"), addEvent(session)];
    await generate(session, [draft("secret", secret), draft("open", open)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    await isPrivate("k");
    await store.regenerations.complete(batch, {
      observations: [draft("late", open)],
      summaries: [],
      generator: "m",
    });
    expect(store.regenerations.counts()).toEqual({ left: 1, failed: 0 });
    const again = await nextBatch();
    expect(again.messages.map(({ id }) => id)).toEqual([open]);
    await complete([draft("after", open)]);
    expect(titles()).toEqual(["after"]);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
  });

  test("is in no summary either", async () => {
    const [secret, summarize] = [addUnder("k"), addEvent(session, "summarize")];
    await generate(session, [draft("secret", secret)], { summaries: [summaryDraft("before", summarize)] });
    await store.regenerations.select(local);
    const batch = await nextBatch();
    await isPrivate("k");
    const reply = { observations: [], summaries: [summaryDraft("of the secret", summarize)], generator: "m" };
    expect(await store.regenerations.complete(batch, reply)).toBeNull();
    expect(db.prepare("select request from session_summaries").pluck().all()).toEqual(["before"]);
  });

  test("counts too where no title tells of it", async () => {
    const [open, secret] = [addEvent(session), addUnder("k", "summarize")];
    await generate(session, [draft("open", open)], { summaries: [summaryDraft("secret", secret)] });
    await store.regenerations.select(local);
    const batch = await nextBatch();
    await isPrivate("k");
    const reply = { observations: [draft("what was summed up", open)], summaries: [], generator: "m" };
    expect(await store.regenerations.complete(batch, reply)).toBeNull();
    expect(titles()).toEqual(["open"]);
    expect(store.regenerations.counts()).toEqual({ left: 1, failed: 0 });
  });

  test("counts even if the model saw only its title", async () => {
    const secret = addUnder("k");
    await generate(session, [draft("secret", secret)], { generator: "m" });
    const [open, later] = [addEvent(session), addEvent(session)];
    await generate(session, [draft("open", open), draft("later", later)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    expect(batch.messages.map(({ id }) => id)).not.toContain(secret);
    expect(batch.recentTitles).toContain("secret");
    await isPrivate("k");
    const reply = { observations: [draft("follows the secret", open)], summaries: [], generator: "m" };
    expect(await store.regenerations.complete(batch, reply)).toBeNull();
    expect(titles().sort()).toEqual(["later", "open"]);
  });

  test("in another session changes nothing here", async () => {
    const open = addEvent(session);
    await generate(session, [draft("open", open)]);
    const here = session;
    session = addSession("two");
    const secret = addUnder("k");
    await generate(session, [draft("secret", secret)]);
    await store.regenerations.select({ ...local, project: "app" });
    db.prepare("delete from regenerations where session_id <> ?").run(here);
    const batch = await nextBatch();
    await isPrivate("k");
    const reply = { observations: [draft("after", open)], summaries: [], generator: "m" };
    expect(await store.regenerations.complete(batch, reply)).toMatchObject({
      observations: [{ title: "after" }],
    });
    expect(titles()).toEqual(["after"]);
  });
});

describe("a prompt that the user changes while the model writes", () => {
  async function asked(): Promise<{ open: number; prompts: number[] }> {
    const open = addEvent(session);
    const end = addEvent(session, "summarize");
    const prompts = ["first", "second"].map((text, at) => addPrompt(text, at + 1));
    db.prepare("update raw_events set payload = json_set(payload, '$.prompt_number', 2) where id = ?").run(
      end,
    );
    await generate(session, [draft("open", open)], { summaries: [summaryDraft("before", end)] });
    await store.regenerations.select(local);
    return { open, prompts };
  }

  function addPrompt(text: string, number: number): number {
    const { claude_session_id, sdk_session_id, project } = store.sessions.byId(session) ?? fail();
    const names = { claude_session_id, sdk_session_id, project };
    const prompt = { session_id: session, ...names, prompt_number: number, prompt_text: text };
    store.sessions.setUserPrompt(session, text);
    return store.prompts.insert({ ...prompt, private: 0, event_key: `q${number}`, now: 1_000 }).id;
  }

  test.each([
    ["the session's first", 0],
    ["one of the turn", 1],
  ])("%s: nothing of the answer is stored", async (_which, at) => {
    for (const change of ["edit", "delete"] as const) {
      const { open, prompts } = await asked();
      const batch = await nextBatch();
      expect(store.regenerations.isCurrent(batch)).toBe(true);
      const id = prompts[at] ?? 0;
      if (change === "edit") store.edits.prompt(id, "edited", 2_000);
      else store.deletions.prompt(id, 2_000);
      const reply = { observations: [draft("late", open)], summaries: [], generator: "m" };
      expect(await store.regenerations.complete(batch, reply)).toBeNull();
      session = addSession(`after ${change}`);
      await store.regenerations.drop();
    }
  });
});

function fail(): never {
  throw new Error("no session");
}
