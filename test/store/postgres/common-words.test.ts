import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import type { NewHostedObservation, ObservationFilter } from "../../../src/core/records/hosted-record.ts";
import { codeOf } from "../../../src/core/records/record-terms.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import { findCandidates } from "../../../src/store/postgres/search.ts";
import { ensureProject, ensureTeam } from "../../../src/store/postgres/teams.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { termsOf } from "../../../src/text/words.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

// More records hold each of two words than a search reads of one.
const size = 2_400;
const both = 10;
const rare = 20;
const database = await openTestDatabase();
const ours = await makeProject(database);
const theirs = await makeProject(database, ours.team_id);
// A project whose entries of the index are ours as well: its id begins alike.
const twin = await makeTwin();

async function makeTwin(): Promise<ProjectScope> {
  const team_id = await ensureTeam(database.system, { id: newId(), name: "the twin's" });
  const id = `${ours.project_id.slice(0, 8)}${newId().slice(8)}`;
  return { team_id, project_id: await ensureProject(database.system, { id, team_id, name: "twin" }) };
}

function titleOf(place: number): string {
  if (place === both) return "granite marble";
  if (place === rare) return "granite walnut";
  return place % 2 === 0 ? "granite" : "marble";
}

async function fill(scope: ProjectScope, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for (let from = 0; from < count; from += 600) {
    const records = Array.from({ length: 600 }, (_, at) =>
      hostedObservation(scope, {
        title: titleOf(from + at),
        obs_type: (from + at) % 100 === 0 ? "bugfix" : "discovery",
      }),
    );
    const stored = await inTenant(database.app, scope, (connection) =>
      insertObservations(connection, records),
    );
    seqs.push(...stored.map(({ seq }) => seq));
  }
  return seqs;
}

const seqs = await fill(ours, size);
// Enough to be found first, as the newest, and to be counted.
const foreign = new Set([...(await fill(theirs, size / 4)), ...(await fill(twin, size / 4))]);

function ask(words: string, filter: Partial<ObservationFilter> = {}, scope = ours) {
  return inTenant(database.app, scope, (connection) =>
    findCandidates(connection, scope, {
      codes: termsOf(words).map(codeOf),
      population: size,
      filter: { kind: null, obs_type: null, platform_source: null, ...filter },
      most: 60,
    }),
  );
}

/** The place of the best, as the records were stored. */
async function bestOf(words: string): Promise<number> {
  const { hits } = await ask(words);
  const [best] = [...hits].sort((a, b) => b.score - a.score);
  return seqs.indexOf(best?.id ?? 0);
}

test("a rare word finds its record among many that share a common word", async () => {
  expect(await bestOf("granite walnut")).toBe(rare);
  const [alone, together] = [await ask("walnut"), await ask("granite walnut")];
  const scoreOf = ({ hits }: typeof alone) => Math.max(...hits.map(({ score }) => score));
  expect(scoreOf(together)).toBeGreaterThan(scoreOf(alone));
});

test("two common words find the one old record that holds both", async () => {
  expect(await bestOf("granite marble")).toBe(both);
});

test("a common word alone finds the newest that hold it", async () => {
  const { hits } = await ask("granite");
  const places = hits.map(({ id }) => seqs.indexOf(id)).sort((a, b) => b - a);
  expect(places).toEqual(Array.from({ length: 60 }, (_, at) => size - 2 - 2 * at));
});

test("counts a common word within ten percent, a rare one exactly", async () => {
  const [granite = 0, walnut] = (await ask("granite walnut")).frequencies;
  expect(walnut).toBe(1);
  expect(Math.abs(granite - size / 2) / (size / 2)).toBeLessThan(0.1);
});

test("filters find matching records behind others, in one project only", async () => {
  const { hits } = await ask("granite", { obs_type: "bugfix" });
  expect(hits.map(({ id }) => seqs.indexOf(id) % 100)).toEqual(Array.from({ length: 24 }, () => 0));
  const all = [await ask("granite"), await ask("granite marble"), await ask("granite walnut")];
  expect(all.flatMap((found) => found.hits).filter(({ id }) => foreign.has(id))).toEqual([]);
});

test("finds common words in old records, and titles first", async () => {
  const old = await makeProject(database);
  const insert = (records: Partial<NewHostedObservation>[]) =>
    inTenant(database.app, old, (connection) =>
      insertObservations(
        connection,
        records.map((given) => hostedObservation(old, given)),
      ),
    );
  const many = (count: number, given: Partial<NewHostedObservation>) =>
    Array.from({ length: count }, () => given);
  const [named] = await insert([{ title: "basalt" }]);
  await insert(many(1_050, { title: "slate", narrative: "lies on basalt" }));
  await insert(many(1_050, { title: "chalk" }));
  await insert(many(2_050, { title: "nothing of that kind" }));
  const found = async (words: string) => (await ask(words, {}, old)).hits;
  expect((await found("slate")).length).toBe(60);
  expect((await found("slate chalk")).length).toBe(60);
  expect((await found("basalt")).reduce((a, b) => (b.score > a.score ? b : a)).id).toBe(named?.seq);
});

test("how common a word is does not depend on where its records lie", async () => {
  const moved = await makeProject(database);
  const insert = (scope: ProjectScope, count: number) =>
    inTenant(database.app, scope, (connection) =>
      insertObservations(
        connection,
        Array.from({ length: count }, () => hostedObservation(scope, { title: "gneiss" })),
      ),
    );
  const before = await makeProject(database);
  await insert(before, 300);
  await insert(moved, 1_700);
  await database.system.query({
    text: "delete from observations where project_id = $1",
    values: [before.project_id],
  });
  await database.owner.query("vacuum observation_search");
  await insert(moved, 700);
  expect((await ask("gneiss", {}, moved)).frequencies).toEqual([size]);
});

test("the part that looks at no tenant is not for tenants to call", async () => {
  const call = database.app.query({
    text: `select * from search_common_candidates($1, $2, array[1], array[1], 1, null, null, null, 1, 0, array[1], array[1])`,
    values: [theirs.team_id, theirs.project_id],
  });
  await expect(call).rejects.toMatchObject({
    cause: { message: "permission denied for function search_common_candidates" },
  });
});
