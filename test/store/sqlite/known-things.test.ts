// What a model sees of earlier turns, and ends of it.
import { expect, test } from "vitest";
import type { StatementKind } from "../../../src/core/records/statement.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import {
  addEvent,
  addSession,
  draft,
  eachInAStoreOfItsOwn,
  generate,
  store,
  summaryDraft,
} from "./regeneration-support.ts";

eachInAStoreOfItsOwn();

const said = (title: string, kind: StatementKind, source: number, standing = false) => ({
  ...draft(title, source),
  statement: { said_by: "agent", kind, standing, reach: "project", salience: 1 } as const,
});

async function claimed(session: number) {
  const queue = createGenerationQueue(store, "instance-1");
  const batch = await queue.claim(session, { now: 3_000, leaseMs: 1_000, limit: 50, maxChars: 1_000_000 });
  if (batch === null) throw new Error("no batch");
  return { queue, batch };
}

/** Three statements of an earlier turn, with ids from 1. */
async function earlier(): Promise<number> {
  const session = addSession("one");
  const end = addEvent(session, "summarize");
  const made = [said("old", "decision", end), said("left", "open", end), said("done", "outcome", end)];
  await generate(session, made, { summaries: [summaryDraft("Begin", end)], generator: "m" });
  return session;
}

test("shows active statements from before the turn, and the summary so far", async () => {
  const session = await earlier();
  addEvent(session, "summarize", 1_500);
  const { batch } = await claimed(session);
  const { records, summary } = batch.knownBefore();
  expect(records.map(({ id, kind }) => [id, kind])).toEqual([
    [2, "open"],
    [1, "decision"],
  ]);
  expect(summary).toContain("Begin");
});

test("a reply ends what it replaces and closes, says by what, and can be undone", async () => {
  const session = await earlier();
  const end = addEvent(session, "summarize", 1_500);
  const { queue, batch } = await claimed(session);
  const { changed } = await queue.complete(batch, {
    observations: [{ ...said("new", "decision", end), replaces: [1] }],
    summaries: [summaryDraft("All of it", end)],
    generator: "m",
    isJudged: true,
    closes: [2],
  });
  expect(changed?.map(({ id, status, superseded_by: by }) => [id, status, by])).toEqual([
    [1, "superseded", 4],
    [2, "superseded", null],
  ]);
  expect(store.observations.byId(2)?.facts).toContain("says m");
  const reopened = { status: "active", pinned: 0, superseded_by: null } as const;
  const { facts } = await store.commit(() => store.review.setStanding(2, reopened) ?? { facts: "" });
  expect(JSON.parse(facts)).toEqual(said("left", "open", end).facts);
  expect(store.summaries.ofSession("sdk-one").map(({ request }) => request)).toEqual(["All of it"]);
});

test("what the user wrote or pinned is not ended", async () => {
  const session = await earlier();
  await store.commit(() => store.edits.observation(1, { title: "The user's" }, 1));
  const pinned = { status: "active", pinned: 1, superseded_by: null } as const;
  await store.commit(() => store.review.setStanding(2, pinned));
  const end = addEvent(session, "summarize", 1_500);
  const { queue, batch } = await claimed(session);
  const { changed } = await queue.complete(batch, {
    ...{ observations: [{ ...said("new", "decision", end), replaces: [1, 2] }], summaries: [] },
    ...{ generator: "m", isJudged: true, closes: [1, 2] },
  });
  expect(changed).toEqual([]);
});
