import { expect, test } from "vitest";
import { openTestDatabase } from "../helpers/postgres.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import { sameForAll } from "./tenancy-equivalents.ts";
import type { Case } from "./tenancy-model.ts";
import { everyRow } from "./tenancy-rows.ts";
import { casesOf, createMatrix, sampleOf } from "./tenancy-run.ts";
import { alterPolicy, freshServer, type Mutant, mutantsOf, policiesOf, rewriting } from "./tenancy-walls.ts";
import { workFaults } from "./tenancy-work.ts";
import { makeWorld, rightsOf } from "./tenancy-world.ts";

// In full every bound is taken away in its turn; else some, chosen by the seed.
const full = volume(100) >= 100;
const seed = testSeed();
const random = createRandom(seed);
const database = await openTestDatabase();
const world = await makeWorld(database);
const living = casesOf(everyRow, world).filter(({ key }) => rightsOf(key).length > 0);
const policies = await policiesOf(database);
const walls = rewriting(database);

/** The faults of the cases on a server that remembers nothing; of the first case that has one, if that is enough. */
async function faultsOf(
  cases: readonly Case[],
  { enough = false, onCase = (_: Case): void => undefined } = {},
): Promise<string[]> {
  const faults: string[] = [];
  const server = await freshServer(walls.database);
  const matrix = createMatrix({
    server,
    system: database.system,
    world,
    onFault: (fault) => faults.push(fault),
  });
  for (const asked of cases) {
    onCase(asked);
    await matrix.run(asked);
    if (enough && faults.length > 0) break;
  }
  await server.close();
  return faults;
}

const sample = sampleOf(living, random);

test("statement bounds isolate tenants without policies, and each bound is needed", async () => {
  for (const { table } of policies) await alterPolicy(database, table, "true");
  const texts = new Map<string, Case[]>();
  const worked = new Set<string>();
  let asked: Case | undefined;
  walls.onText = (text) => {
    if (asked === undefined) worked.add(text);
    else texts.set(text, [...(texts.get(text) ?? []), asked]);
  };
  expect(await workFaults(walls.database, world)).toEqual([]);
  // A lost bound shows where there is something: ids of nothing are asked for less.
  const whole = await faultsOf(
    full
      ? [...sample, ...sampleOf(living, random)]
      : sample.filter(({ idKind }) => !/deleted|never|malformed/.test(idKind) || random.next() < 0.1),
    {
      onCase: (next) => {
        asked = next;
      },
    },
  );
  expect(whole.slice(0, 5), `MEM_TEST_SEED=${seed}`).toEqual([]);
  walls.onText = () => undefined;
  const said = [...new Set([...texts.keys(), ...worked])];
  expect(said.filter((text) => !/team_id/.test(text) && !unbounded.test(text.trim()))).toEqual([]);
  const all = said.flatMap(mutantsOf);
  const needed = all.filter((mutant) => sameForAll(mutant) === undefined);
  const chosen = full ? needed : shuffled(needed).slice(0, 6);
  const survivors: string[] = [];
  for (const mutant of chosen) {
    walls.rewrite = (text) => (text === mutant.of ? mutant.text : text);
    const noticed = await isNoticed(texts.get(mutant.of) ?? [], worked.has(mutant.of));
    walls.rewrite = (text) => text;
    for (const home of world.homes) await world.fill(home);
    if (!noticed) survivors.push(nameOf(mutant));
  }
  console.info(
    `bounds: ${chosen.length - survivors.length} of ${chosen.length} noticed; ${all.length - needed.length} of ${all.length} are doubled by another one, seed ${seed}`,
  );
  expect(survivors.join("\n"), `MEM_TEST_SEED=${seed}`).toBe("");
  // Nothing but what mutants wrote about places that are none stands against the whole statements now.
  await database.owner.query("truncate audit_log");
  expect((await faultsOf(shuffled(sample).slice(0, 50))).slice(0, 5)).toEqual([]);
}, 1_800_000);

// Locks and numbers of things that were found in the tenant; a batch that names its tenants; the team itself, by its id.
const unbounded =
  /^(?:commit|set local statement_timeout = \d+|select (?:share_project|hold_project|request_turn|nextval)\(.*|select pg_notify\(\$1, \$2\)|select item, .* from ingest_events\(.*|[\s\S]*\bteams\s(?:set .*)?\s*where id = \$1)$/;

async function isNoticed(cases: readonly Case[], byWork: boolean): Promise<boolean> {
  if (byWork && (await workFaults(walls.database, world).catch(() => ["refused"])).length > 0) return true;
  const seen = new Map<string, number>();
  // Cases at the same places, interleaved; cases that ask for a neighbor's id come first.
  const places = new Set(cases.map(({ slot, name }) => slot ?? name));
  const tried = shuffled(sample.filter(({ slot, name }) => places.has(slot ?? name)))
    .map((asked) => {
      const place = (seen.get(asked.idKind) ?? 0) + 1;
      seen.set(asked.idKind, place);
      return { asked, place: /sibling|other/.test(asked.idKind) ? place : place * 2 };
    })
    .sort((left, right) => left.place - right.place)
    .map(({ asked }) => asked);
  return (await faultsOf(tried.slice(0, 400), { enough: true })).length > 0;
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .sort((left, right) => left.at - right.at)
    .map(({ value }) => value);
}

function nameOf({ of, what }: Mutant): string {
  return `${what} in ${of.replaceAll(/\s+/g, " ").trim().slice(0, 400)}`;
}
