import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import type { ObservationFilter } from "../../../src/core/records/hosted-record.ts";
import { codeOf, packTerms } from "../../../src/core/records/record-terms.ts";
import { searchCode, searchCodes } from "../../../src/core/records/search-codes.ts";
import type { ProjectScope, Tenant } from "../../../src/core/records/tenancy.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import {
  countRecords,
  findCandidates,
  readTerms,
  recordsContaining,
} from "../../../src/store/postgres/search.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { termsOf } from "../../../src/text/words.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const ours = await makeProject(database);
const sibling = await makeProject(database, ours.team_id);
const theirs = await makeProject(database);
const everything: ObservationFilter = { kind: null, obs_type: null, platform_source: null };
const wholeTeam: Tenant = { team_id: ours.team_id, project_id: null };

const session_id = newId();
await database.system.query({
  text: `insert into sessions (id, team_id, project_id, content_session_id, platform_source, memory_epoch)
    values ($1, $2, $3, 's', 'codex', 1)`,
  values: [session_id, ours.team_id, ours.project_id],
});
const titles = ["before that", "before", "the upload retry", "after", "after that", "far away"];
for (const scope of [ours, sibling, theirs]) {
  await inTenant(database.app, scope, (connection) =>
    insertObservations(
      connection,
      titles.map((title) =>
        hostedObservation(scope, { title, session_id: scope === ours ? session_id : null }),
      ),
    ),
  );
}

const codes = termsOf("upload").map(codeOf);

function find(tenant: Tenant, scope: ProjectScope, filter = everything) {
  return inTenant(database.app, tenant, (connection) =>
    findCandidates(connection, scope, { codes, population: 6, filter, most: 10 }),
  );
}

test("the best hits come with two neighbors on each side in their session", async () => {
  const { hits, standing, frequencies } = await find(ours, ours);
  expect(frequencies).toEqual([1]);
  expect(hits).toHaveLength(1);
  expect(standing.map(({ beside, id }) => id - beside)).toEqual([-1, -2, 1, 2]);
  expect(standing.every(({ beside }) => beside === hits[0]?.id)).toBe(true);
});

test("the words of records are read in the project alone, each with its own", async () => {
  const { hits, standing } = await find(ours, ours);
  const ids = [...hits, ...standing].map(({ id }) => id);
  const read = (tenant: Tenant, scope: ProjectScope) =>
    inTenant(database.app, tenant, (connection) => readTerms(connection, scope, ids));
  const records = await read(ours, ours);
  expect(records.map(({ id }) => id)).toEqual(ids.sort((a, b) => a - b));
  expect(records.map(({ terms }) => [...terms.codes.subarray(terms.title, terms.files)])).toEqual(
    titles.slice(0, 5).map((title) => termsOf(title).map(codeOf)),
  );
  expect(records.every(({ created_at_epoch }) => created_at_epoch > 1_700_000_000_000)).toBe(true);
  expect(await read(theirs, ours)).toEqual([]);
  expect(await read(theirs, { ...ours, team_id: theirs.team_id })).toEqual([]);
});

test("a tenant without access to the project finds nothing in it", async () => {
  for (const [tenant, scope] of [
    [theirs, ours],
    [theirs, { ...ours, team_id: theirs.team_id }],
    [ours, theirs],
    [ours, sibling],
    [wholeTeam, theirs],
  ] as const) {
    expect((await find(tenant, scope)).hits).toEqual([]);
  }
  expect((await find(wholeTeam, sibling)).hits).toHaveLength(1);
});

test("the search function returns nothing without a tenant or of another one", async () => {
  const ask = (scope: ProjectScope) => ({
    text: "select seq from search_candidates($1, $2, $3, 6, null, null, null, 10)",
    values: [scope.project_id, codes.map((code) => searchCode(scope.project_id, code)), []],
  });
  expect((await database.app.query(ask(ours))).rows).toEqual([]);
  const within = (tenant: Tenant, scope: ProjectScope) =>
    inTenant(database.app, tenant, async (connection) => (await connection.query(ask(scope))).rows.length);
  expect(await within(ours, ours)).toBe(1);
  expect(await within(theirs, ours)).toBe(0);
  expect(await within(sibling, ours)).toBe(0);
  expect(await within(wholeTeam, ours)).toBe(1);
});

test("what is narrowed to is kept from candidates and from those beside them", async () => {
  const narrowed = async (filter: Partial<ObservationFilter>) => {
    const { hits, standing } = await find(ours, ours, { ...everything, ...filter });
    return [hits.length, standing.length];
  };
  expect(await narrowed({ platform_source: "codex" })).toEqual([1, 4]);
  expect(await narrowed({ platform_source: "other" })).toEqual([0, 0]);
  expect(await narrowed({ obs_type: "bugfix" })).toEqual([0, 0]);
});

test("counting and looking inside words stay in the project", async () => {
  const asked = { parts: ["ploa"], filter: everything, limit: 10 };
  const inside = (tenant: Tenant, scope: ProjectScope) =>
    inTenant(database.app, tenant, async (connection) => [
      await countRecords(connection, scope),
      (await recordsContaining(connection, scope, asked)).length,
    ]);
  expect(await inside(ours, ours)).toEqual([6, 1]);
  expect(await inside(theirs, ours)).toEqual([0, 0]);
});

test("a code includes its project and fits a bigint; title words count twice", () => {
  const packed = packTerms({
    title: "Upload",
    subtitle: null,
    summary: "Upload",
    narrative: "queue",
    facts: "[]",
    files_touched: "[]",
    generator: "test",
  });
  const [first, second] = [ours, theirs].map(({ project_id }) => searchCodes(project_id, packed));
  expect(first).toHaveLength(3);
  expect(first?.filter((code) => second?.includes(code))).toEqual([]);
  const largest = searchCode("ffffffff-ffff-4fff-bfff-ffffffffffff", 0xffff_ffff, true);
  expect(largest).toBeLessThan(2n ** 63n);
});
