// Which records wait for the team when a project is connected again.
import { expect, test } from "vitest";
import type { TeamBatch } from "../../../../src/core/records/team.ts";
import { createTeamRecords } from "../../../../src/store/sqlite/sync/team-records.ts";
import { createMemoryStore, someTime } from "../../../helpers/memory-store.ts";

const later = someTime + 1_000;

async function connected() {
  const memory = createMemoryStore();
  const records = createTeamRecords(memory.db, memory.store);
  const connect = (team_project: string, since_epoch: number) =>
    records.projects.connect({ project: "shop", team_project, since_epoch }, "team");
  await connect("p", 0);
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
