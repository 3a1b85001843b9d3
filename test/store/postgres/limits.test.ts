import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { admitRequests, forgetOldCounters, type KeyRate } from "../../../src/store/postgres/limits.ts";
import { type Database, openDatabase } from "../../../src/store/postgres/open.ts";
import { makeTenant } from "../../helpers/hosted-jobs.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";
import { createRandom, testSeed } from "../../helpers/random.ts";
import { volume } from "../../helpers/volume.ts";

const database = await openTestDatabase();
const { team_id } = await makeTenant(database);
const minute = Date.UTC(2031, 4, 9, 10, 30);

/** A new key with requests at times that the test gives. */
function keyWith(per_minute: number, key_id = newId()) {
  return async (
    wanted: number,
    at_epoch: number,
    node: Pick<Database, "system"> = database,
  ): Promise<KeyRate> => {
    const { rates } = await admitRequests(node.system, {
      ...{ team_id, per_minute, at_epoch, month_cap: 0 },
      keys: [{ key_id, wanted, open: 0 }],
    });
    const [rate] = rates;
    if (rate === undefined) throw new TypeError("no rate");
    return rate;
  };
}

test("what was let through late in a minute leaves no room early in the next one", async () => {
  const ask = keyWith(20);
  expect((await ask(20, minute + 50_000)).granted).toBe(20);
  for (const later of [5_000, 10_000, 40_000, 59_999, 60_000])
    expect((await ask(20, minute + 50_000 + later)).granted).toBe(0);
  expect((await ask(20, minute + 50_000 + 61_000)).granted).toBe(20);
});

test("passes at most the limit in any 60 s, and all while 61 s have room", async () => {
  const random = createRandom(testSeed());
  const other = openDatabase({ url: database.url, onConnectionLost: () => undefined });
  for (let round = 0; round < volume(4); round += 1) {
    const limit = random.between(1, 30);
    const ask = keyWith(limit);
    const passed: number[] = [];
    const within = (now: number, ms: number) => passed.filter((at) => at > now - ms).length;
    let now = minute;
    for (let turn = 0; turn < 150; turn += 1) {
      // To the next boundary of a minute, a second or nowhere near one.
      now = random.pick([
        () => now + random.between(0, 900),
        () => Math.ceil((now + 1) / 60_000) * 60_000 - random.between(0, 1),
        () => now + random.between(1_000, 20_000),
      ])();
      const wanted = random.between(1, 12);
      const { granted, remaining } = await ask(wanted, now, turn % 2 === 0 ? database : other);
      for (let count = 0; count < granted; count += 1) passed.push(now);
      expect(within(now, 60_000)).toBeLessThanOrEqual(limit);
      if (granted < wanted) expect(within(now, 61_000)).toBeGreaterThanOrEqual(limit);
      expect(remaining).toBeLessThanOrEqual(limit - within(now, 60_000));
    }
  }
  await other.close();
});

test("Retry-After is the first second with room, the reset the first with all", async () => {
  const random = createRandom(testSeed());
  for (let round = 0; round < volume(30, 6); round += 1) {
    const limit = random.between(1, 9);
    const ask = keyWith(limit);
    let now = minute + random.between(0, 60_000);
    let rate = await ask(random.between(1, limit + 2), now);
    while (rate.remaining > 0 || rate.retry_after_seconds === 0) {
      now += random.between(0, 5_000);
      rate = await ask(random.between(1, 3), now);
    }
    const { retry_after_seconds, reset_epoch_seconds } = rate;
    expect((await ask(1, now + (retry_after_seconds - 1) * 1_000)).granted).toBe(0);
    expect((await ask(0, reset_epoch_seconds * 1_000 - 1)).remaining).toBeLessThan(limit);
    expect((await ask(1, now + retry_after_seconds * 1_000)).granted).toBe(1);
    const reset = (await ask(0, now + retry_after_seconds * 1_000)).reset_epoch_seconds;
    expect((await ask(0, reset * 1_000)).remaining).toBe(limit);
  }
});

test("two nodes pass exactly the limit, also across a minute boundary", async () => {
  const other = openDatabase({ url: database.url, onConnectionLost: () => undefined });
  const ask = keyWith(100);
  const rates = await Promise.all(
    Array.from({ length: 80 }, (_, at) =>
      ask(5, minute + (at % 4 < 2 ? -1 : 1), at % 2 === 0 ? database : other),
    ),
  );
  expect(rates.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
  await other.close();
});

test("a clock set back by more than the window resets it, by less does not", async () => {
  const ask = keyWith(3);
  expect((await ask(3, minute)).granted).toBe(3);
  expect((await ask(3, minute - 30_000)).granted).toBe(0);
  expect((await ask(3, minute - 3_600_000)).granted).toBe(3);
  expect((await ask(3, minute - 3_600_000 + 61_000)).granted).toBe(3);
});

test("several keys of a team are counted in one statement, each by its own rate", async () => {
  const [one, other] = [newId(), newId()];
  const query = {
    ...{ team_id, per_minute: 4, month_cap: 0, at_epoch: minute },
    keys: [
      { key_id: other, wanted: 3, open: 0 },
      { key_id: null, wanted: 9, open: 0 },
      { key_id: one, wanted: 6, open: 1 },
    ],
  };
  const { rates, month_granted } = await admitRequests(database.system, query);
  expect(rates.map(({ granted }) => granted)).toEqual([3, 9, 4]);
  expect(rates.map(({ remaining }) => remaining)).toEqual([1, 0, 0]);
  expect(month_granted).toBe(15);
});

test("without a given time the database's own is taken", async () => {
  const { rates } = await admitRequests(database.system, {
    ...{ team_id, per_minute: 5, month_cap: 0 },
    keys: [{ key_id: newId(), wanted: 1, open: 0 }],
  });
  const { rows } = await database.system.query<{ away: number }>({
    text: "select abs($1::float8 - 61 - extract(epoch from now()))::float8 as away",
    values: [rates[0]?.reset_epoch_seconds],
  });
  expect(rows[0]?.away).toBeLessThan(60);
});

test("windows that are over are forgotten, others are not", async () => {
  const fresh = newId();
  await keyWith(5, newId())(1, Date.UTC(2020, 0, 1));
  await keyWith(5, fresh)(1, minute);
  expect(await forgetOldCounters(database.system)).toBeGreaterThan(0);
  const { rows } = await database.system.query<{ old: number; fresh: number }>({
    text: `select count(*) filter (where newest_second < 1600000000)::int as old,
        count(*) filter (where api_key_id = $1)::int as fresh
      from rate_limit_windows`,
    values: [fresh],
  });
  expect(rows[0]).toEqual({ old: 0, fresh: 1 });
});
