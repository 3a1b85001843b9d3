import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { deleteObservation, purgeProject } from "../../../src/store/postgres/deletion.ts";
import { nearestRecords } from "../../../src/store/postgres/nearest.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import type { Queryable } from "../../../src/store/postgres/open.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import {
  abandonedClaims,
  projectsWithNew,
  projectsWithRecords,
} from "../../../src/store/postgres/unembedded.ts";
import { countVectors, markEmbedderUsed } from "../../../src/store/postgres/vector-counts.ts";
import {
  type ClaimRequest,
  claimRecords,
  dropUnusedVectors,
  putVectors,
  releaseClaim,
} from "../../../src/store/postgres/vector-work.ts";
import { findVectors, prepareVectors } from "../../../src/store/postgres/vectors.ts";
import { sameForAll } from "../../acceptance/tenancy-equivalents.ts";
import { alterPolicy, mutantsOf, policiesOf } from "../../acceptance/tenancy-walls.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";
import { openVectorDatabase } from "../../helpers/vector-database.ts";

const database = await openVectorDatabase();
const { owner, app, system } = database;
const place = await prepareVectors(owner);
const schema = "mem";
const identity = { embedder: "http", model: "m" };
const anything = { kind: null, obs_type: null, platform_source: null };
const by = { api_key_id: null, request_id: "r" };

/** A project with so many records; their numbers. */
async function filled(count: number, team?: string): Promise<ProjectScope & { seqs: number[] }> {
  const scope = await makeProject(database, team);
  const made = Array.from({ length: count }, (_, at) => hostedObservation(scope, { title: `record ${at}` }));
  return { ...scope, seqs: (await insertObservations(system, made)).map(({ seq }) => seq) };
}

function claim(scope: ProjectScope, asked: Partial<ClaimRequest> = {}) {
  return claimRecords(system, scope, {
    ...identity,
    ...{ claim: newId(), dimension: 2, before: Number.MAX_SAFE_INTEGER, after: 0, window: 100, limit: 10 },
    ...asked,
  });
}

/** Vectors of all records of the project, those at the end nearest to [1, 0]. */
async function embedded(scope: ProjectScope, model = "m", within = schema): Promise<void> {
  const name = newId();
  const { records } = (await claim(scope, { claim: name, model, limit: 1_000 })) ?? { records: [] };
  const made = records.map(({ seq }, at) => ({ seq, vector: turned(at / 10) }));
  expect(await putVectors(system, scope, { claim: name, schema: within, made })).toBe(records.length);
}

/** The id of the project's only record. */
async function idOf({ project_id }: ProjectScope): Promise<string> {
  const text = "select id from observations where project_id = $1";
  return (await system.query<{ id: string }>({ text, values: [project_id] })).rows[0]?.id ?? "";
}

function turned(angle: number): Float32Array {
  return Float32Array.of(Math.cos(angle), Math.sin(angle));
}

function near(scope: ProjectScope, more = {}, over = (connection: Queryable) => connection) {
  const asked = { ...identity, schema, unit: turned(0), filter: anything, limit: 10, ...more };
  return inTenant(app, scope, (connection) => nearestRecords(over(connection), scope, asked));
}

const seqsOf = (found: { candidate: { id: number } }[]) => found.map(({ candidate }) => candidate.id);

test("creates the vector tables repeatedly, with the policies of any table", async () => {
  expect(place).toEqual({ state: "on", schema });
  expect(await prepareVectors(owner)).toEqual(place);
  expect(await findVectors(owner)).toMatchObject({ state: "on" });
  const policies = await policiesOf(database);
  const boundOf = (wanted: string) => policies.find(({ table }) => table === wanted)?.bound;
  expect(boundOf("observation_vectors")).toBe(boundOf("observation_search"));
  const { rows } = await owner.query(
    "select relrowsecurity and relforcerowsecurity as forced from pg_class where relname = 'observation_vectors'",
  );
  expect(rows).toEqual([{ forced: true }]);
  await expect(app.query({ text: "select * from embedder_states" })).rejects.toThrow();
});

test("upgrades the tables of an earlier version", async () => {
  const rights = async () => {
    const text = `select array(
        select wanted from unnest(array['select', 'insert', 'update', 'delete', 'truncate']) wanted
        where has_table_privilege('mem_app', 'mem.observation_vectors', wanted)) as may`;
    return (await owner.query(text)).rows[0]?.may;
  };
  expect(await rights()).toEqual(["select"]);
  await owner.query("grant insert, update, delete on mem.observation_vectors to mem_app");
  await owner.query("alter table mem.embedder_states drop column used_at");
  const scope = await filled(1);
  await embedded(scope);
  expect(await prepareVectors(owner)).toEqual(place);
  expect(await rights()).toEqual(["select"]);
  await markEmbedderUsed(system, identity);
  expect(await near(scope)).toHaveLength(1);
  await deleteObservation(app, { tenant: scope, id: await idOf(scope), by });
  expect(await near(scope)).toEqual([]);
  const left = {
    text: "select 1 from observation_vectors where project_id = $1",
    values: [scope.project_id],
  };
  expect((await system.query(left)).rowCount).toBe(0);
});

test("reports a database without pgvector", async () => {
  const plain = await openTestDatabase();
  const off = { state: "off", reason: "the database has no pgvector" };
  expect(await prepareVectors(plain.owner)).toEqual(off);
  expect(await findVectors(plain.owner)).toEqual(off);
  const { rows } = await plain.owner.query(
    "select relname from pg_class where relname in ('observation_vectors', 'embedder_states')",
  );
  expect(rows).toEqual([]);
});

test("concurrent claims do not overlap; a released claim is claimed again", async () => {
  const scope = await filled(5);
  const mine = newId();
  const first = await claim(scope, { claim: mine, limit: 2 });
  expect(first?.records.map(({ seq }) => seq)).toEqual([scope.seqs[4], scope.seqs[3]]);
  const second = await claim(scope);
  expect(second?.records.map(({ seq }) => seq)).toEqual([scope.seqs[2], scope.seqs[1], scope.seqs[0]]);
  expect(second?.next).toBeNull();
  expect((await claim(scope))?.records).toEqual([]);
  await releaseClaim(system, scope, { claim: mine, after: 0 });
  expect((await claim(scope))?.records.map(({ seq }) => seq)).toEqual([scope.seqs[4], scope.seqs[3]]);
});

test("finds an expired claim of a process that ended", async () => {
  const scope = await filled(4);
  const [, second, third] = scope.seqs;
  await claim(scope, { before: (third ?? 0) + 1, after: (second ?? 0) - 1 });
  const ours = async () =>
    (await abandonedClaims(system, identity)).filter(({ project_id }) => project_id === scope.project_id);
  expect(await ours()).toEqual([]);
  await owner.query("update mem.observation_vectors set free_at = free_at - interval '4 minutes'");
  const [found] = await ours();
  expect(found).toMatchObject({ before: (third ?? 0) + 1, after: (second ?? 0) - 1 });
  expect((await claim(scope, found))?.records.map(({ seq }) => seq)).toEqual([third, second]);
  expect(await ours()).toEqual([]);
});

test("continues below the claimed and the examined records", async () => {
  const scope = await filled(7);
  const [, , , fourth, fifth] = scope.seqs;
  const taken = await claim(scope, { limit: 2, window: 4 });
  expect(taken?.next).toBe(scope.seqs[5]);
  expect((await claim(scope, { window: 3 }))?.next).toBe(fifth);
  expect((await claim(scope, { after: fourth ?? 0 }))?.records).toEqual([]);
});

test("stores no vector for a record deleted or purged after the claim", async () => {
  const scope = await filled(3);
  const mine = newId();
  const claimed = await claim(scope, { claim: mine });
  await system.query({
    text: "delete from observations where team_id = $1 and project_id = $2 and seq = $3",
    values: [scope.team_id, scope.project_id, scope.seqs[0]],
  });
  const made = claimed?.records.map(({ seq }) => ({ seq, vector: turned(1) })) ?? [];
  expect(await putVectors(system, scope, { claim: mine, schema, made })).toBe(2);
  const tenant = { team_id: scope.team_id, project_id: null };
  await purgeProject(app, { tenant, project_id: scope.project_id, by });
  expect(await putVectors(system, scope, { claim: mine, schema, made })).toBe(0);
  const { rows } = await system.query({
    text: "select 1 from observation_vectors where project_id = $1",
    values: [scope.project_id],
  });
  expect(rows).toEqual([]);
});

test("compares only vectors of the same embedder, model and dimension", async () => {
  const scope = await filled(3);
  await embedded(scope, "older");
  expect(await near(scope)).toEqual([]);
  expect((await near(scope, { model: "older" })).length).toBe(3);
  expect(await near(scope, { model: "older", unit: Float32Array.of(1, 0, 0) })).toEqual([]);
  expect((await claim(scope, { model: "older", dimension: 3, claim: newId() }))?.records.length).toBe(3);
  await embedded(scope);
  expect((await near(scope)).length).toBe(3);
  await markEmbedderUsed(system, { ...identity, model: "older" });
  expect(await dropUnusedVectors(system, scope, { ...identity, limit: 10 })).toBe(0);
  await owner.query("update mem.embedder_states set used_at = used_at - interval '25 hours'");
  expect(await dropUnusedVectors(system, scope, { ...identity, limit: 10 })).toBe(3);
  expect((await near(scope)).length).toBe(3);
});

test("retries a refused text after a day, and never returns it", async () => {
  const scope = await filled(1);
  const mine = newId();
  await claim(scope, { claim: mine });
  const made = [{ seq: scope.seqs[0] ?? 0, vector: null }];
  expect(await putVectors(system, scope, { claim: mine, schema, made })).toBe(1);
  expect((await claim(scope))?.records).toEqual([]);
  expect(await near(scope)).toEqual([]);
  await owner.query("update mem.observation_vectors set free_at = free_at - interval '25 hours'");
  expect((await claim(scope))?.records.length).toBe(1);
});

test("finds new records of all teams until they are claimed or have a vector", async () => {
  const { last } = await projectsWithRecords(system);
  const [one, other] = [await filled(2), await filled(1)];
  const newOnes = () => projectsWithNew(system, { ...identity, after: last, window: 100 });
  const found = await newOnes();
  expect(found.last).toBe(other.seqs[0]);
  expect(found.projects.map(({ project_id }) => project_id).sort()).toEqual(
    [one.project_id, other.project_id].sort(),
  );
  await claim(one);
  expect((await newOnes()).projects).toEqual([{ team_id: other.team_id, project_id: other.project_id }]);
});

test("counts the vectors of each model exactly, whatever the planner estimates", async () => {
  const { team_id, project_id } = await makeProject(database);
  const counted = (model: string) => countVectors(system, { embedder: "http", model }, 20_000);
  const { total: before } = await counted("none");
  // The statistics stay as they are after the first half.
  const half = 500;
  for (const analyzed of ["analyze mem.observations, mem.observation_vectors", "select 1"]) {
    await owner.query(
      `insert into mem.observations
        (id, team_id, project_id, kind, obs_type, title, summary, content, generator, memory_epoch)
        select gen_random_uuid(), $1, $2, 'observation', 'discovery', 't', 's', 'c', 'local', 1
        from generate_series(1, ${half})`,
      [team_id, project_id],
    );
    await owner.query(
      `insert into mem.observation_vectors (team_id, project_id, seq, embedder, model)
        select $1, $2, o.seq, 'http', made.model
        from (values ('earlier', ${2 * half}), ('new', ${2 * half - 5})) as made (model, count)
        cross join lateral (
          select seq from mem.observations where project_id = $2 order by seq limit made.count) o
        on conflict do nothing`,
      [team_id, project_id],
    );
    await owner.query(analyzed);
  }
  expect(await counted("new")).toEqual({ done: 2 * half - 5, total: before + 2 * half, failure: null });
  expect(await counted("earlier")).toMatchObject({ done: 2 * half });
  expect(await counted("none")).toMatchObject({ done: 0 });
});

test("orders by cosine and applies filters", async () => {
  const scope = await makeProject(database);
  const made = await insertObservations(
    system,
    ["bugfix", "feature", "bugfix"].map((obs_type) =>
      hostedObservation(scope, { obs_type, title: obs_type }),
    ),
  );
  await embedded(scope);
  const found = await near(scope);
  expect(seqsOf(found)).toEqual(made.map(({ seq }) => seq).reverse());
  expect(found.map(({ similarity }) => similarity)).toEqual(
    [0, 0.1, 0.2].map((angle) => expect.closeTo(Math.cos(angle), 2)),
  );
  expect(found[0]?.candidate.terms.codes.length).toBeGreaterThan(0);
  const features = await near(scope, { filter: { ...anything, obs_type: "feature" } });
  expect(seqsOf(features)).toEqual([made[1]?.seq]);
  expect(await near(scope, { filter: { ...anything, platform_source: "elsewhere" } })).toEqual([]);
  expect((await near(scope, { limit: 1 })).length).toBe(1);
});

test("policies and bounds each keep vectors from other projects", async () => {
  const home = await filled(3);
  const sibling = await filled(3, home.team_id);
  const foreign = await filled(3);
  for (const scope of [home, sibling, foreign]) await embedded(scope);
  // The policy alone: a statement that names no tenant.
  const unbound = { text: "select distinct project_id from observation_vectors" };
  const seen = await inTenant(app, home, (connection) => connection.query(unbound));
  expect(seen.rows).toEqual([{ project_id: home.project_id }]);
  expect((await app.query(unbound)).rows).toEqual([]);
  // The statement alone: policies that hide nothing.
  for (const table of ["observation_vectors", "observation_search"])
    await alterPolicy(database, table, "true");
  const survivors: string[] = [];
  for (const filter of [anything, { ...anything, kind: "observation" }]) {
    const texts: string[] = [];
    const listening = (connection: Queryable): Queryable => ({
      query: (statement) => {
        texts.push(statement.text);
        return connection.query(statement);
      },
    });
    // As many as there are: with others' among them, some of the own are missing.
    const asked = { filter, limit: home.seqs.length };
    const whole = seqsOf(await near(home, asked, listening));
    expect(whole.sort()).toEqual([...home.seqs].sort());
    for (const mutant of texts.flatMap(mutantsOf).filter((each) => sameForAll(each) === undefined)) {
      const holed = (connection: Queryable): Queryable => ({
        query: (statement) => connection.query({ ...statement, text: mutant.text }),
      });
      const found = seqsOf(await near(home, asked, holed));
      if (found.sort().join() === whole.join()) survivors.push(mutant.what);
    }
  }
  expect(survivors).toEqual([]);
  // Work names its project: it reads and writes no other tenant's records.
  expect((await claim({ ...home, team_id: foreign.team_id }, { model: "x" }))?.records).toEqual([]);
  const mine = newId();
  await claim(home, { claim: mine, model: "x" });
  const made = home.seqs.map((seq) => ({ seq, vector: turned(1) }));
  for (const stranger of [sibling, { ...home, team_id: foreign.team_id }]) {
    expect(await putVectors(system, stranger, { claim: mine, schema, made })).toBe(0);
    expect(
      await dropUnusedVectors(system, { ...home, team_id: foreign.team_id }, { ...identity, limit: 9 }),
    ).toBe(0);
  }
  expect(await putVectors(system, home, { claim: mine, schema, made })).toBe(3);
});

test("fills vectors again after the extension was dropped and recreated", async () => {
  const scope = await filled(1);
  await embedded(scope);
  await owner.query("drop extension vector cascade");
  await owner.query('create schema "Else where"');
  await owner.query('create extension vector schema "Else where"');
  const there = await prepareVectors(owner);
  expect(there).toEqual({ state: "on", schema: '"Else where"' });
  const elsewhere = { schema: '"Else where"' };
  expect(await near(scope, elsewhere)).toEqual([]);
  await embedded(scope, "m", elsewhere.schema);
  expect((await near(scope, elsewhere)).length).toBe(1);
  expect(await countVectors(system, identity, 1_000)).toMatchObject({ done: 1, failure: null });
});
