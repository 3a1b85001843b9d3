import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import type { NewHostedObservation } from "../../../src/core/records/hosted-record.ts";
import {
  insertObservations,
  observationById,
  recentObservations,
} from "../../../src/store/postgres/observations.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const ours = await makeProject(database);
const theirs = await makeProject(database);
const everything = { kind: null, obs_type: null, platform_source: null };

function store(scope: typeof ours, ...observations: Partial<NewHostedObservation>[]) {
  return inTenant(database.app, scope, (connection) =>
    insertObservations(
      connection,
      observations.map((one) => hostedObservation(scope, one)),
    ),
  );
}

const count = async (table: string) => {
  const { rows } = await database.system.query<{ n: number }>({
    text: `select count(*)::int as n from ${table}`,
  });
  return rows[0]?.n;
};

test("stores observations with sources and index rows, in the given order", async () => {
  const sources = [
    { id: newId(), source_type: "manual" as const, source_id: newId(), generation_job_id: null },
  ];
  const stored = await store(ours, { title: "first", sources }, { title: "second", facts: ["a fact"] });
  expect(stored.map(({ seq }) => seq)).toEqual([...stored.map(({ seq }) => seq)].sort((a, b) => a - b));
  expect([await count("observation_sources"), await count("observation_search")]).toEqual([1, 2]);
  const newest = await inTenant(database.app, ours, (connection) =>
    recentObservations(connection, ours, { filter: everything, limit: 10 }),
  );
  expect(newest.map(({ title }) => title)).toEqual(["second", "first"]);
  expect(newest[0]).toMatchObject({ content: "second\n\n- a fact", facts: ["a fact"], metadata: {} });
});

test("a second record with the same generation key leaves nothing behind", async () => {
  const generation_key = newId();
  const before = await count("observation_search");
  const [first] = await store(ours, { generation_key });
  const again = await store(ours, { generation_key }, { generation_key: newId() });
  expect(again).toHaveLength(1);
  expect(again[0]?.id).not.toBe(first?.id);
  expect(await count("observation_search")).toBe((before ?? 0) + 2);
});

test("NUL and halves of letters, in texts and in names, do not stop a record", async () => {
  const metadata = { "a\0\ud800": ["\udc00\\u0000"] };
  const [stored] = await store(ours, { title: "a\0b\ud83d", narrative: "whole \ud83d\ude00", metadata });
  const found = await inTenant(database.app, ours, (connection) =>
    observationById(connection, ours, stored?.id ?? ""),
  );
  expect(found).toMatchObject({
    title: "ab\ufffd",
    narrative: "whole \u{1f600}",
    metadata: { "a\ufffd": ["\ufffd\\u0000"] },
  });
});

test("what is deleted takes its sources and its row of the index with it", async () => {
  const [stored] = await store(theirs, {
    sources: [{ id: newId(), source_type: "manual", source_id: newId(), generation_job_id: null }],
  });
  const before = [await count("observation_sources"), await count("observation_search")];
  await inTenant(database.app, theirs, (connection) =>
    connection.query({
      text: "delete from observations where team_id = $1 and project_id = $2 and id = $3",
      values: [theirs.team_id, theirs.project_id, stored?.id],
    }),
  );
  expect([await count("observation_sources"), await count("observation_search")]).toEqual(
    before.map((n) => (n ?? 0) - 1),
  );
});

test("a record of another team is not found by its id", async () => {
  const [stored] = await store(theirs, {});
  const found = await inTenant(database.app, ours, (connection) =>
    observationById(connection, { ...theirs }, stored?.id ?? ""),
  );
  expect(found).toBeUndefined();
});
