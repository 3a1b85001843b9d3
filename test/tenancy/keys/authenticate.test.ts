import { expect, test } from "vitest";
import { MemError } from "../../../src/core/errors.ts";
import { newId } from "../../../src/core/ids.ts";
import { createAuthentication, type KnownKey } from "../../../src/tenancy/keys/authenticate.ts";
import { hashKey, makeKey } from "../../../src/tenancy/keys/key-format.ts";

const dayMs = 86_400_000;

// A database of keys that counts what it is asked.
function rig({ failuresPerMinute = 60 }: { failuresPerMinute?: number } = {}) {
  let now = 1_000_000_000_000;
  const rows = new Map<string, KnownKey>();
  const asked = { finds: 0, touches: 0, fails: false };
  const authentication = createAuthentication({
    clock: { now: () => now, monotonicMs: () => now },
    failuresPerMinute,
    keys: {
      async find(hash) {
        asked.finds += 1;
        if (asked.fails) throw new Error("no database");
        const row = rows.get(hash.toString("hex"));
        return row === undefined ? undefined : { ...row };
      },
      async touch() {
        asked.touches += 1;
        if (asked.fails) throw new Error("no database");
      },
    },
  });
  return {
    authentication,
    asked,
    rows,
    pass(ms: number) {
      now += ms;
    },
    addKey(changes: Partial<KnownKey> = {}) {
      const key = makeKey();
      const row: KnownKey = {
        id: newId(),
        team_id: newId(),
        project_id: null,
        scopes: ["memories:read"],
        expires_at_epoch: now + dayMs,
        revoked_at_epoch: null,
        last_used_at_epoch: null,
        ...changes,
      };
      rows.set(hashKey(key).toString("hex"), row);
      return { key, row };
    },
    async outcome(key: string | null, address = "192.0.2.1") {
      try {
        return (await authentication.authenticate({ key, address })).key_id;
      } catch (cause) {
        return cause instanceof MemError ? cause.code : cause;
      }
    },
  };
}

test("a right key is its caller, and is asked for once in ten seconds", async () => {
  const { addKey, outcome, asked, pass } = rig();
  const { key, row } = addKey();
  for (let turn = 0; turn < 50; turn += 1) expect(await outcome(key)).toBe(row.id);
  expect(asked.finds).toBe(1);
  pass(9_999);
  await outcome(key);
  expect(asked.finds).toBe(1);
  pass(1);
  await outcome(key);
  expect(asked.finds).toBe(2);
});

test("requests that come together are one question", async () => {
  const { addKey, outcome, asked } = rig();
  const { key, row } = addKey();
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => outcome(key)));
  expect(new Set(outcomes)).toEqual(new Set([row.id]));
  expect(asked.finds).toBe(1);
});

test("refuses all invalid keys with the same message", async () => {
  const { addKey, authentication } = rig();
  const bodies = await Promise.all(
    [
      null,
      "nonsense",
      makeKey(),
      addKey({ expires_at_epoch: 999_999_999_999 }).key,
      addKey({ revoked_at_epoch: 1 }).key,
    ].map((key) =>
      authentication.authenticate({ key, address: "192.0.2.1" }).catch((cause: MemError) => cause.toBody()),
    ),
  );
  expect(bodies.map((body) => JSON.stringify(body))).toEqual(
    Array(5).fill(JSON.stringify(new MemError("unauthenticated").toBody())),
  );
});

test("a bad checksum never reaches the database", async () => {
  const { outcome, asked } = rig({ failuresPerMinute: 0 });
  for (let turn = 0; turn < 1_000; turn += 1) {
    const key = makeKey();
    const last = key.endsWith("0") ? "1" : "0";
    expect(await outcome(key.slice(0, -1) + last)).toBe("unauthenticated");
  }
  expect(asked.finds).toBe(0);
});

test("a revoked key stops working after ten seconds, immediately where it was revoked", async () => {
  const { addKey, outcome, pass, authentication } = rig();
  const [first, second] = [addKey(), addKey()];
  await outcome(first.key);
  await outcome(second.key);
  first.row.revoked_at_epoch = 1;
  second.row.revoked_at_epoch = 1;
  expect(await outcome(first.key)).toBe(first.row.id);
  authentication.recheck();
  expect(await outcome(first.key)).toBe("unauthenticated");
  pass(10_000);
  expect(await outcome(second.key)).toBe("unauthenticated");
});

test("a revocation expires only the cached keys of its team", async () => {
  const { addKey, outcome, asked, authentication } = rig();
  const [first, second] = [addKey({ team_id: "one" }), addKey({ team_id: "other" })];
  await outcome(first.key);
  await outcome(second.key);
  authentication.recheck("one");
  await outcome(first.key);
  await outcome(second.key);
  expect(asked.finds).toBe(3);
});

test("what was read while a key was revoked is not remembered", async () => {
  const { addKey, outcome, authentication } = rig();
  const { key, row } = addKey();
  const early = outcome(key);
  authentication.recheck();
  row.revoked_at_epoch = 1;
  await early;
  expect(await outcome(key)).toBe("unauthenticated");
});

test("a key that expires while it is remembered opens nothing any more", async () => {
  const { addKey, outcome, pass } = rig();
  const { key, row } = addKey({ expires_at_epoch: 1_000_000_005_000 });
  expect(await outcome(key)).toBe(row.id);
  pass(5_000);
  expect(await outcome(key)).toBe("unauthenticated");
});

test("a database that fails gives no access, and no wrong key is counted for it", async () => {
  const { addKey, outcome, asked, pass, authentication } = rig({ failuresPerMinute: 3 });
  const { key, row } = addKey();
  asked.fails = true;
  for (let turn = 0; turn < 20; turn += 1) expect(await outcome(key)).toBe("storage_failed");
  expect(authentication.counts()).toMatchObject({ lookups: 20, lookup_failures: 20, limited: 0 });
  asked.fails = false;
  expect(await outcome(key)).toBe(row.id);
  asked.fails = true;
  pass(10_000);
  expect(await outcome(key)).toBe("storage_failed");
});

test("notes the use of a key once a minute; a failed write is ignored", async () => {
  const { addKey, outcome, asked, pass, authentication } = rig();
  const { key, row } = addKey();
  for (let turn = 0; turn < 12; turn += 1) {
    expect(await outcome(key)).toBe(row.id);
    row.last_used_at_epoch ??= 1_000_000_000_000;
    pass(5_000);
  }
  expect(asked.touches).toBe(1);
  asked.fails = false;
  await outcome(key);
  await authentication.settled();
  expect(asked.touches).toBe(2);
});

test("limits an address with wrong keys, and no other", async () => {
  const { outcome, pass, authentication } = rig({ failuresPerMinute: 10 });
  for (let turn = 0; turn < 10; turn += 1) expect(await outcome("wrong")).toBe("unauthenticated");
  expect(await outcome("wrong")).toBe("rate_limited");
  expect(await outcome("wrong", "192.0.2.2")).toBe("unauthenticated");
  expect(await outcome(null)).toBe("unauthenticated");
  const refusal = await authentication
    .authenticate({ key: "wrong", address: "192.0.2.1" })
    .catch((cause: MemError) => cause.details);
  const { retryAfterSeconds } = refusal as { retryAfterSeconds: number };
  expect(retryAfterSeconds).toBeGreaterThan(0);
  pass(retryAfterSeconds * 1_000);
  expect(await outcome("wrong")).toBe("unauthenticated");
});

test("a right key gets through behind an address that is refused", async () => {
  const { addKey, outcome, asked, pass } = rig({ failuresPerMinute: 10 });
  const [known, fresh] = [addKey(), addKey()];
  await outcome(known.key);
  for (let turn = 0; turn < 10; turn += 1) await outcome("wrong");
  pass(10_000);
  const finds = asked.finds;
  // A flood of keys with right checksums costs the database five questions a second.
  const flood = await Promise.all(Array.from({ length: 200 }, () => outcome(makeKey())));
  expect(new Set(flood)).toEqual(new Set(["rate_limited"]));
  expect(asked.finds - finds).toBe(5);
  expect(await outcome(known.key)).toBe(known.row.id);
  expect(await outcome(fresh.key)).toBe("rate_limited");
  pass(1_000);
  expect(await outcome(fresh.key)).toBe(fresh.row.id);
});
