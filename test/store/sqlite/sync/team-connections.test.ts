// Which records wait for the team when a project is connected again.
import { expect, test } from "vitest";
import type { TeamBatch } from "../../../../src/core/records/team.ts";
import { createTeamRecords } from "../../../../src/store/sqlite/sync/team-records.ts";
import { createMemoryStore, someTime } from "../../../helpers/memory-store.ts";
import { addImportedTurn } from "./imported-turn.ts";

const later = someTime + 1_000;

async function connected() {
  const memory = createMemoryStore();
  const records = createTeamRecords(memory.db, memory.store);
  const connect = (team_project: string, now: number, earlier = false) =>
    records.projects.connect({ project: "shop", team_project, earlier }, "team", now);
  await connect("p", someTime, true);
  const { id } = memory.addObservation({ project: "shop", title: "first", at: someTime });
  const send = async () => {
    const batches = await records.take("laptop", 100);
    for (const { team_project, records: sent } of batches)
      await records.stamp(
        team_project,
        sent.map((record) => ({
          record,
          result: { outcome: "stored", memory_id: null, revision: record.revision } as const,
        })),
      );
    return batches.map(seen);
  };
  await send();
  return { memory, records, connect, send, id };
}

const seen = ({ team_project, records }: TeamBatch) => [
  team_project,
  ...records.map(({ content }) => content?.title ?? null),
];

test("a project that gets another place at the team takes its records along", async () => {
  const { connect, send, records } = await connected();
  await connect("q", later);
  expect(await send()).toEqual([["p", null]]);
  expect(await send()).toEqual([["q", "first"]]);
  expect(await send()).toEqual([]);
  await connect("q", later);
  expect(records.counts().waiting).toBe(0);
});

test("after a disconnection, edits of earlier records go too", async () => {
  const { memory, connect, send, records, id } = await connected();
  memory.addObservation({ project: "shop", title: "not sent", at: someTime });
  await records.projects.disconnect("shop");
  memory.db.prepare("update observations set title = 'edited', revision = 2 where id = ?").run(id);
  expect(await send()).toEqual([]);
  await connect("p", later);
  expect(await send()).toEqual([["p", "edited", "not sent"]]);
});

test("a record that is restored after another connection goes to the team again", async () => {
  const { memory, records, connect, send, id } = await connected();
  await records.projects.disconnect("shop");
  await connect("p", later);
  await send();
  const row = memory.db.prepare("select * from observations where id = ?").get(id);
  memory.db.prepare("delete from observations where id = ?").run(id);
  expect(await send()).toEqual([["p", null]]);
  const columns = Object.keys(row as object);
  memory.db
    .prepare(
      `insert into observations (${columns.join(", ")}) values (${columns.map((name) => `@${name}`).join(", ")})`,
    )
    .run(row);
  expect(await send()).toEqual([["p", "first"]]);
});

async function connectedLater(now: number) {
  const memory = createMemoryStore();
  const records = createTeamRecords(memory.db, memory.store);
  memory.addObservation({ project: "shop", title: "before", session: "old", at: someTime });
  await records.projects.connect({ project: "shop", team_project: "p", earlier: false }, "team", now);
  const titles = async () => (await records.take("laptop", 100)).flatMap((batch) => seen(batch).slice(1));
  return { memory, records, titles };
}

test("a clock set back after the connection keeps no new record from the team", async () => {
  const { memory, titles } = await connectedLater(later);
  const at = someTime - 1_000_000;
  const { prompt_number } = memory.addPrompt("A new question.", { project: "shop", session: "old", at });
  memory.addObservation({ project: "shop", title: "asked since", session: "old", prompt_number, at });
  memory.addObservation({ project: "shop", title: "a new session", session: "new", at });
  memory.addSummary({ project: "shop", request: "summed up", session: "new", at });
  expect(await titles()).toEqual(["asked since", "a new session", "summed up"]);
});

test("a clock set back before the connection shares no record from before it", async () => {
  const { memory, records, titles } = await connectedLater(someTime - 1_000_000);
  expect(records.projects.list()).toMatchObject([{ since_epoch: someTime + 1 }]);
  memory.addObservation({ project: "shop", title: "made again", session: "old", at: someTime });
  memory.addObservation({ project: "shop", title: "new", session: "new", at: someTime - 900_000 });
  expect(await titles()).toEqual(["new"]);
});

test("an import of older sessions stays out of the team", async () => {
  const { memory, titles } = await connectedLater(later);
  memory.addPrompt("An old question.", { project: "shop", session: "imported", at: someTime });
  const session = memory.store.sessions.byClaudeId("imported")?.id;
  memory.db.prepare("insert into imported_sessions values (?, 1)").run(session);
  memory.addObservation({ project: "shop", title: "imported", session: "imported", at: someTime });
  expect(await titles()).toEqual([]);
});

test("turns that an import adds to a session recorded here stay out of the team", async () => {
  const { memory, titles } = await connectedLater(later);
  addImportedTurn(memory, "old", "shop");
  expect(await titles()).toEqual([]);
});
