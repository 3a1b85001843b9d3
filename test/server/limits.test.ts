import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import type { Caller } from "../../src/core/records/tenancy.ts";
import { scopes } from "../../src/core/records/tenancy.ts";
import { admitRequests, recordRequests, usageThisMonth } from "../../src/store/postgres/limits.ts";
import { openDatabase } from "../../src/store/postgres/open.ts";
import { inTenant } from "../../src/store/postgres/tenant.ts";
import { createAdmission } from "../../src/tenancy/limits/admission.ts";
import { createMeter } from "../../src/tenancy/limits/metering.ts";
import { makeTenant } from "../helpers/hosted-jobs.ts";
import { openTestDatabase } from "../helpers/postgres.ts";

const database = await openTestDatabase();
const none = { perMinute: 0, monthlyRequests: 0, monthlyTokens: 0 };
const read = { writes: false, open: false };
const write = { writes: true, open: false };

async function makeCaller(): Promise<Caller> {
  const { team_id } = await makeTenant(database);
  return { team_id, project_id: null, key_id: newId(), scopes, expires_at_epoch: null };
}

/** Without the deadline that lets requests pass on a slow machine: what is counted is to be seen. */
function admissionOf(limits: Partial<typeof none>, over: Pick<typeof database, "system"> = database) {
  return createAdmission({
    limits: { ...none, ...limits },
    clock: systemClock,
    budgetMs: 60_000,
    count: (query) => admitRequests(over.system, query),
    onChange: () => undefined,
  });
}

function tally(verdicts: readonly { is: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { is } of verdicts) counts[is] = (counts[is] ?? 0) + 1;
  return counts;
}

test("a cap of 100 passes exactly 100 of 400 concurrent requests on two nodes", async () => {
  const other = openDatabase({ url: database.url, onConnectionLost: () => undefined });
  for (let round = 0; round < 20; round += 1) {
    const caller = await makeCaller();
    const nodes = [admissionOf({ monthlyRequests: 100 }), admissionOf({ monthlyRequests: 100 }, other)];
    const verdicts = await Promise.all(
      Array.from({ length: 400 }, (_, at) => nodes[at % 2]?.admit(caller, read) ?? { is: "none" }),
    );
    expect(tally(verdicts)).toEqual({ passed: 100, requests_used_up: 300 });
  }
  await other.close();
});

test("a key's rate passes exactly its limit, and does not affect other keys", async () => {
  const caller = await makeCaller();
  const admission = admissionOf({ perMinute: 10 });
  const verdicts = await Promise.all(Array.from({ length: 25 }, () => admission.admit(caller, read)));
  expect(tally(verdicts)).toEqual({ passed: 10, rate_limited: 15 });
  expect(verdicts.slice(0, 10).map(({ rate }) => rate?.remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(await admission.admit({ ...caller, key_id: newId() }, read)).toMatchObject({ is: "passed" });
  const refused = verdicts.at(-1);
  expect(refused?.is === "rate_limited" && refused.retryAfterSeconds).toBeGreaterThan(0);
});

test("a refused rate counts nothing of the month", async () => {
  const caller = await makeCaller();
  const admission = admissionOf({ perMinute: 5, monthlyRequests: 1000 });
  await Promise.all(Array.from({ length: 20 }, () => admission.admit(caller, read)));
  expect(await totalsOf(caller)).toEqual({ request: 5 });
});

test("a team over its month goes on with what is open, and that is counted", async () => {
  const caller = await makeCaller();
  const admission = admissionOf({ monthlyRequests: 3 });
  const open = { writes: true, open: true };
  const together = [read, open, read, open, read].map((wish) => admission.admit(caller, wish));
  expect(tally(await Promise.all(together))).toEqual({ passed: 3, requests_used_up: 2 });
  expect(await admission.admit(caller, open)).toMatchObject({ is: "passed" });
  expect(await admission.admit(caller, read)).toMatchObject({ is: "requests_used_up", used: 4, cap: 3 });
  expect(await totalsOf(caller)).toEqual({ request: 4 });
});

test("a team over its tokens can read and not write", async () => {
  const caller = await makeCaller();
  await database.system.query({
    text: `insert into usage_rollups (team_id, month, kind, total)
      values ($1, date_trunc('month', now() at time zone 'UTC')::date, 'tokens', 500)`,
    values: [caller.team_id],
  });
  const admission = admissionOf({ monthlyTokens: 500 });
  expect(await admission.admit(caller, read)).toMatchObject({ is: "passed" });
  expect(await admission.admit(caller, write)).toMatchObject({ is: "tokens_used_up", used: 500, cap: 500 });
});

test("requests pass while the counters are locked, and are limited again later", async () => {
  const caller = await makeCaller();
  const admission = createAdmission({
    limits: { ...none, monthlyRequests: 1 },
    clock: systemClock,
    count: (query) => admitRequests(database.guards, query),
    onChange: () => undefined,
  });
  const locked = await database.owner.connect();
  await locked.query("begin; lock table mem.usage_rollups in access exclusive mode");
  const during = await Promise.all(Array.from({ length: 20 }, () => admission.admit(caller, read)));
  expect(tally(during)).toEqual({ unknown: 20 });
  expect(admission.skipped()).toBe(20);
  await locked.query("rollback");
  locked.release();
  // The store may be left alone for a second.
  while ((await admission.admit(caller, read)).is === "unknown");
  expect(await admission.admit(caller, read)).toMatchObject({ is: "requests_used_up" });
});

test("metered calls are recorded one by one and in the month's total", async () => {
  const caller = await makeCaller();
  const meter = createMeter({ record: (calls) => recordRequests(database.guards, calls, true) });
  for (let at = 0; at < 321; at += 1) meter.count(caller);
  await meter.close();
  const { rows } = await database.system.query<{ n: number }>({
    text: "select count(*)::int as n from usage_events where team_id = $1 and kind = 'request'",
    values: [caller.team_id],
  });
  expect(rows[0]?.n).toBe(321);
  expect(await totalsOf(caller)).toEqual({ request: 321 });
  expect(meter.lost()).toBe(0);
});

test("metering without its table loses events, not the process", async () => {
  const caller = await makeCaller();
  const meter = createMeter({
    record: async () => {
      await database.guards.query({ text: "insert into no_such_table values (1)" });
    },
  });
  meter.count(caller);
  await meter.close();
  expect(meter.lost()).toBe(1);
});

async function totalsOf({ team_id }: Caller): Promise<Record<string, number>> {
  const { totals } = await inTenant(database.app, { team_id, project_id: null }, (connection) =>
    usageThisMonth(connection, team_id),
  );
  return totals;
}
