// A record that the user deleted is not generated again from events that other records share.
import { expect, test } from "vitest";
import type { StatementMarks } from "../../../src/core/records/statement.ts";
import {
  addEvent,
  addSession,
  complete,
  db,
  draft,
  eachInAStoreOfItsOwn,
  generate,
  local,
  store,
  summaryDraft,
  titles,
} from "./regeneration-support.ts";

eachInAStoreOfItsOwn();

const cause: StatementMarks = { said_by: "agent", standing: false, reach: "project", salience: 1 };

const remove = (kind: "observation" | "summary", id: number) =>
  store.commit(() => store.deletions[kind](id, 5_000));

test("of two accounts of one event the deleted one is left out, whatever its title", async () => {
  const session = addSession("one");
  const event = addEvent(session);
  await generate(session, [draft("kept", event), draft("deleted", event)]);
  await remove("observation", 2);
  await store.regenerations.select(local);
  await complete([draft("kept better", event), draft("deleted better", event)]);
  expect(titles()).toEqual(["kept better"]);
});

test("a statement with the title of a deleted one is left out, another one is stored", async () => {
  const session = addSession("one");
  const end = addEvent(session, "summarize");
  const said = (title: string) => ({ ...draft(title, end), statement: cause });
  await generate(session, [said("kept"), said("deleted")]);
  await remove("observation", 2);
  await store.regenerations.select(local);
  await complete([said("deleted"), said("kept"), said("new")]);
  expect(titles()).toEqual(["kept", "new"]);
});

test("a deleted summary is not written again with the statements of its turn", async () => {
  const session = addSession("one");
  const end = addEvent(session, "summarize");
  const statement = { ...draft("said", end), statement: cause };
  await generate(session, [statement], { summaries: [summaryDraft("asked", end)] });
  await remove("summary", 1);
  await store.regenerations.select(local);
  await complete([statement], [summaryDraft("asked again", end)]);
  expect(db.prepare("select count(*) from session_summaries").pluck().get()).toBe(0);
});

test("an event of deleted records alone is emptied and not regenerated", async () => {
  const session = addSession("one");
  const [alone, shared] = [addEvent(session), addEvent(session)];
  await generate(session, [draft("deleted", alone, shared), draft("kept", shared)]);
  await store.regenerations.select(local);
  await remove("observation", 1);
  const events = db.prepare("select id, kind, length(payload) > 20 from raw_events order by id").raw().all();
  expect(events).toEqual([
    [alone, "other", 0],
    [shared, "observation", 1],
  ]);
  expect(store.regenerations.counts().left).toBe(1);
});

test("the key of a deleted record stays taken until it is restored", async () => {
  const session = addSession("one");
  const event = addEvent(session);
  await generate(session, [draft("deleted", event), draft("kept", event)]);
  const key = () => db.prepare("select generation_key from observations order by id").pluck().all();
  expect(key()).toEqual([`${event}:0`, `${event}:1`]);
  const removed = await remove("observation", 1);
  await store.regenerations.select(local);
  await complete([draft("kept", event), draft("other", event), draft("third", event)]);
  expect(titles()).toEqual(["kept", "third"]);
  await store.commit(() => store.restore(removed?.trash_id ?? 0, 0));
  expect(titles()).toEqual(["deleted", "kept", "third"]);
  expect(new Set(key()).size).toBe(3);
});
