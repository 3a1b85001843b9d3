import { beforeAll, describe, expect, test } from "vitest";
import { makeAccountKey, scryptCost, wrapKey } from "../../src/sync/account-key.ts";
import {
  announcements,
  createRing,
  joinRing,
  joinRingByKey,
  judgeNotice,
  newestKey,
  parseRing,
  renderRing,
  rewrapRing,
  rotateRing,
  type SealedRing,
} from "../../src/sync/key-ring.ts";

const cost = scryptCost.least;
let first: SealedRing;
let third: SealedRing;

beforeAll(async () => {
  first = await createRing("the first passphrase", cost);
  third = await rotateRing(
    await rotateRing(first, "the second passphrase", cost),
    "the third passphrase",
    cost,
  );
});

const noticesOf = (ring: SealedRing) => ring.versions.map(({ notice }) => notice);

describe("the account keys of a device", () => {
  test("a device that joins by the newest passphrase gets every version", async () => {
    const joined = await joinRing(noticesOf(third), "the third passphrase");
    expect(joined?.versions.map(({ key }) => key)).toEqual(third.versions.map(({ key }) => key));
    expect(newestKey(third).version).toBe(3);
  });

  test("a device that joins by the recovery phrase gets every version", () => {
    expect(joinRingByKey(noticesOf(third), newestKey(third).key)?.versions).toHaveLength(3);
    expect(joinRingByKey(noticesOf(third), makeAccountKey(1).key)).toBeUndefined();
  });

  test("a wrong passphrase joins nothing", async () => {
    expect(await joinRing(noticesOf(first), "not the passphrase")).toBeUndefined();
  });

  test("a passphrase opens the key among notices of other devices and of a hub", async () => {
    const planted = await wrapKey(makeAccountKey(1), { passphrase: "planted by the hub", cost });
    const joined = await joinRing([planted, ...noticesOf(first)], "the first passphrase");
    expect(joined && newestKey(joined).key).toEqual(newestKey(first).key);
  });

  test("another passphrase keeps the key and counts the notice", async () => {
    const rewrapped = await rewrapRing(third, "a new passphrase", cost);
    expect(newestKey(rewrapped).key).toEqual(newestKey(third).key);
    expect(announcements(rewrapped).map(({ id, revision }) => `${id}/${revision}`)).toEqual([
      "1/0",
      "2/0",
      "3/1",
    ]);
    expect((await joinRing(noticesOf(rewrapped), "a new passphrase"))?.versions).toHaveLength(3);
    expect(judgeNotice(third, newestKey(rewrapped).notice)).toBe("known");
  });

  test("a notice is known, missing or foreign", async () => {
    const [one, two] = noticesOf(third);
    const other = await createRing("another account", cost);
    const forged = await rotateRing(other, "another account", cost);
    expect(one && judgeNotice(first, one)).toBe("known");
    expect(two && judgeNotice(first, two)).toBe("key_missing");
    expect(judgeNotice(first, newestKey(forged).notice)).toBe("foreign");
    expect(judgeNotice(first, newestKey(other).notice)).toBe("foreign");
    expect(judgeNotice(first, { mode: "plain" })).toBe("foreign");
    expect(judgeNotice({ mode: "plain" }, { mode: "plain" })).toBe("known");
    expect(one && judgeNotice({ mode: "plain" }, one)).toBe("key_missing");
  });

  test("the file is read back, and a damaged one is not", () => {
    expect(parseRing(renderRing(third))).toEqual(third);
    expect(parseRing(renderRing({ mode: "plain" }))).toEqual({ mode: "plain" });
    const text = renderRing(third);
    for (const damaged of ["", "{}", "[]", text.slice(0, -20), text.replace('"v": 1', '"v": 2')]) {
      expect(parseRing(damaged)).toBeUndefined();
    }
    expect(
      parseRing(text.replace(newestKey(third).key.toString("base64url"), "A".repeat(43))),
    ).toBeUndefined();
  });
});
