import { expect, test } from "vitest";
import { newId } from "../../src/core/ids.ts";
import { inTenant } from "../../src/store/postgres/tenant.ts";
import { openTestDatabase } from "../helpers/postgres.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import { everyRow } from "./tenancy-rows.ts";
import { casesOf, createMatrix, sampleOf } from "./tenancy-run.ts";
import { alterPolicy, freshServer, policiesOf, rewriting, unbound } from "./tenancy-walls.ts";
import { type Home, makeWorld, rightsOf } from "./tenancy-world.ts";

const full = volume(100) >= 100;
const seed = testSeed();
const random = createRandom(seed);
const database = await openTestDatabase();
const { owner, app } = database;
const world = await makeWorld(database);
const policies = await policiesOf(database);
for (const home of world.homes) await leaveTraces(home);

/** A row in each of the tables that the world leaves empty. */
async function leaveTraces({ team_id, project_id }: Home): Promise<void> {
  const values = [team_id, project_id, newId()];
  for (const text of [
    "insert into idempotency_keys (team_id, project_id, key, body_hash, event_ids) values ($1, $2, $3::uuid::text, '', '{}')",
    "insert into fix_commands (team_id, project_id, family, observation_id) select team_id, project_id, $3::uuid::text, id from observations where team_id = $1 and project_id = $2 limit 1",
    "insert into shared_devices (team_id, project_id, device, secret_hash) values ($1, $2, $3::uuid::text, '')",
    "insert into audit_log (id, team_id, project_id, action) values ($3, $1, $2, 'a')",
    "insert into usage_events (team_id, project_id, api_key_id, kind, quantity) values ($1, $2, $3, 'request', 1)",
    "insert into rate_limit_windows (team_id, api_key_id, newest_second, counts) values ($1, $3, case when $2::uuid is null then 0 else 1 end, array_fill(0, array[61]))",
    "insert into hub_accounts (team_id, name, epoch) values ($1, $3::uuid::text, $2::uuid::text) on conflict do nothing",
    "insert into hub_tokens (id, team_id, token_hash, prefix, last_four) values ($3, $1, decode(md5($3::uuid::text) || md5($2::uuid::text), 'hex'), '', '')",
    "insert into hub_devices (team_id, id, name, nonce, first_push_at, last_push_at) values ($1, $3::uuid::text, $2::uuid::text, '', now(), now())",
    "insert into hub_ops (team_id, log, device, kind, id, revision, seq, deleted, sha256) values ($1, 1, '', '', $3::uuid::text, $2::uuid::text, 1, false, decode(md5('') || md5(''), 'hex'))",
    "insert into hub_bodies (team_id, log, seq, body, bytes, sha256, received_at) select $1, 1, count(*), $3::uuid::text || $2::uuid::text, 1, '', now() from hub_bodies",
    "insert into rate_limit_counters (team_id, api_key_id, window_start, requests) values ($1, $3, now(), case when $2::uuid is null then 0 else 1 end)",
  ]) {
    await database.system.query({ text, values });
  }
}

/** What a tenant of one project can do beyond it with statements that name no tenant: read, change, delete, add. */
async function beyond(table: string, home: Home): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [`mem.${table}`],
  );
  const columns = rows.map(({ name }) => name);
  const team = table === "teams" ? "id" : "team_id";
  const project = table === "projects" ? "id" : columns.find((name) => name === "project_id");
  // Totals are the team's by contract, whatever the key.
  const isOfTeam = project === undefined || table === "usage_events";
  const foreign = isOfTeam ? `${team} <> $1` : `(${team} <> $1 or ${project} <> $2)`;
  const values = isOfTeam ? [home.team_id] : [home.team_id, home.project_id];
  const found: string[] = [];
  const attempts = {
    reads: `select 1 from ${table} where ${foreign}`,
    changes: `update ${table} set ${team} = ${team} where ${foreign}`,
    deletes: `delete from ${table} where ${foreign}`,
    "adds to": `insert into ${table} overriding system value
      select (jsonb_populate_record(null::${table},
        to_jsonb(r) || jsonb_build_object('${team}', '${world.home(home.team + 1, 0).team_id}'))).*
      from ${table} r where not (${foreign}) limit 1`,
  };
  for (const [what, text] of Object.entries(attempts)) {
    const done = await inTenant(app, home, async (connection) => {
      const { rowCount } = await connection.query({ text, values });
      // Whatever it did is not kept.
      throw new Done(rowCount ?? 0);
    }).catch((cause: unknown) => (cause instanceof Done ? cause.rows : refusedBy(cause)));
    if (done > 0) found.push(`${what} ${table}`);
  }
  return found;
}

class Done extends Error {
  readonly rows: number;
  constructor(rows: number) {
    super("rolled back");
    this.rows = rows;
  }
}

// 42501: the policy or the rights. Another refusal came later, so the policy had let it pass.
function refusedBy(cause: unknown): number {
  const code =
    cause instanceof Error && cause.cause instanceof Error && "code" in cause.cause && cause.cause.code;
  return code === "42501" ? 0 : 1;
}

test("every tenant table has forced policies that neither role can bypass", async () => {
  const { rows: open } = await owner.query(
    `select c.relname
     from pg_class c
     where c.relnamespace = 'mem'::regnamespace and c.relkind in ('r', 'p')
       and (c.relname = 'teams' or exists (
         select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped))
       and not (c.relrowsecurity and c.relforcerowsecurity and exists (
         select 1 from pg_policies p where p.schemaname = 'mem' and p.tablename = c.relname and p.policyname = 'tenant'))`,
  );
  expect(open).toEqual([]);
  const { rows: others } = await owner.query(
    `select tablename, policyname, roles::text, qual
     from pg_policies
     where schemaname = 'mem' and not (
       (roles = '{mem_app}' and policyname = 'tenant' and qual ~ 'mem\\.team_id' and coalesce(with_check, qual) ~ 'mem\\.team_id')
       or (roles = '{mem_system}' and policyname = 'everything'))`,
  );
  expect(others, "policies that name no tenant").toEqual([]);
  const { rows: roles } = await owner.query(
    `select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
       exists (select 1 from pg_auth_members m where m.member = r.oid) as inherits,
       exists (select 1 from pg_class c where c.relowner = r.oid) as owns
     from pg_roles r where rolname in ('mem_app', 'mem_system') order by 1`,
  );
  const bound = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
    inherits: false,
    owns: false,
  };
  expect(roles).toEqual([
    { rolname: "mem_app", ...bound },
    { rolname: "mem_system", ...bound },
  ]);
});

test("security definer functions use the transaction's tenant or touch only turns", async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select proname as name from pg_proc
     where pronamespace = 'mem'::regnamespace and prosecdef and prosrc !~ 'mem\\.team_id' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(["delete_left_turns", "ensure_turn", "request_turn"]);
});

test("a statement without a tenant bound reads and changes no row of another tenant", async () => {
  for (const { table } of policies) {
    for (const home of [world.home(0, 0), world.home(2, 1)]) expect(await beyond(table, home)).toEqual([]);
  }
});

test("notices each policy that is opened or loses its project bound or its check", async () => {
  const survivors: string[] = [];
  let mutants = 0;
  for (const { table, bound } of policies) {
    const withoutProject = bound.replace(/ AND \(\(\( SELECT COALESCE[\s\S]*$/, ")");
    for (const mutated of new Set(["true", withoutProject])) {
      if (mutated === bound) continue;
      mutants += 1;
      await alterPolicy(database, table, mutated);
      if ((await beyond(table, world.home(0, 0))).length === 0) survivors.push(`${table}: ${mutated}`);
    }
    await owner.query(`alter policy tenant on mem.${table} using (${bound}) with check (true)`);
    mutants += 1;
    const given = await beyond(table, world.home(0, 0));
    if (given.length === 0) survivors.push(`${table}: check`);
    await alterPolicy(database, table, bound);
  }
  console.info(`policies: ${mutants - survivors.length} of ${mutants} mutants noticed`);
  expect(survivors).toEqual([]);
});

test("policies isolate projects without any bound in a statement", async () => {
  const walls = rewriting(database);
  walls.rewrite = unbound;
  const keys = sampleOf(casesOf(everyRow, world), random).filter(
    ({ key }) => key.startsWith("project") && rightsOf(key).length > 0,
  );
  const leaksOf = async (share: number, enough = false) => {
    const leaks: string[] = [];
    const server = await freshServer(walls.database);
    const onFault = (fault: string) => {
      if (/ shows | changed rows of /.test(fault)) leaks.push(fault);
    };
    const matrix = createMatrix({ server, system: database.system, world, onFault });
    for (const asked of keys.filter(() => random.next() < share)) {
      await matrix.run(asked);
      if (enough && leaks.length > 0) break;
    }
    await server.close();
    return leaks;
  };
  expect((await leaksOf(full ? 1 : 0.1)).slice(0, 5), `MEM_TEST_SEED=${seed}`).toEqual([]);
  const seen = ["agent_events", "observations", "sessions", "projects", "generation_jobs", "api_keys"];
  for (const table of full ? seen : [random.pick(seen)]) {
    const bound = policies.find((policy) => policy.table === table)?.bound ?? "";
    await alterPolicy(database, table, "true");
    const leaks = await leaksOf(1, true);
    await alterPolicy(database, table, bound);
    for (const home of world.homes) await world.fill(home);
    expect(leaks.length, `the policy of ${table} opened, seed ${seed}`).toBeGreaterThan(0);
  }
}, 600_000);
