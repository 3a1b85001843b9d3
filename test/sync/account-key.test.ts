import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  isEndorsed,
  keyOfPhrase,
  keyPayload,
  makeAccountKey,
  passphraseProblem,
  previousKey,
  readKeyNotice,
  recoveryPhrase,
  scryptCost,
  unwrapKey,
  wrapKey,
} from "../../src/sync/account-key.ts";

const passphrase = "correct horse battery staple";
const cost = scryptCost.least;

describe("a wrapped account key", () => {
  test("opens with its passphrase at the normal cost", async () => {
    const made = makeAccountKey(1);
    const notice = await wrapKey(made, { passphrase });
    expect(notice.kdf).toMatchObject({ name: "scrypt", n: 2 ** 17, r: 8, p: 1 });
    expect(await unwrapKey(notice, passphrase)).toEqual(made.key);
  });

  test("does not open with another passphrase, nor when any part was changed", async () => {
    const notice = await wrapKey(makeAccountKey(1), { passphrase, cost });
    expect(await unwrapKey(notice, "another passphrase")).toBeUndefined();
    expect(await unwrapKey({ ...notice, version: 2 }, passphrase)).toBeUndefined();
    expect(await unwrapKey({ ...notice, fingerprint: "A".repeat(22) }, passphrase)).toBeUndefined();
    const salt = randomBytes(32).toString("base64url");
    expect(await unwrapKey({ ...notice, kdf: { ...notice.kdf, salt } }, passphrase)).toBeUndefined();
  });

  test("opens with the same passphrase from another keyboard", async () => {
    const notice = await wrapKey(makeAccountKey(1), { passphrase: "Käsebröd im Schrank", cost });
    expect(await unwrapKey(notice, " Ka\u0308sebro\u0308d im Schrank\n")).toBeDefined();
  });

  test("a later version has the key before it, which endorses it", async () => {
    const first = makeAccountKey(1);
    const second = makeAccountKey(2);
    const notice = await wrapKey(second, { passphrase, previous: first.key, cost });
    expect(previousKey(notice, second.key)).toEqual(first.key);
    expect(previousKey(notice, randomBytes(32))).toBeUndefined();
    expect(isEndorsed(notice, first.key)).toBe(true);
    expect(isEndorsed(notice, randomBytes(32))).toBe(false);
    expect(isEndorsed({ ...notice, wrapped: "A".repeat(64) }, first.key)).toBe(false);
  });

  test("is read back from its payload", async () => {
    const first = makeAccountKey(1);
    const notice = await wrapKey(makeAccountKey(2), { passphrase, previous: first.key, cost });
    expect(readKeyNotice(keyPayload(notice))).toEqual(notice);
    expect(readKeyNotice({ mode: "plain" })).toEqual({ mode: "plain" });
  });

  test("with a cost that no device affords is not read", async () => {
    const payload = keyPayload(await wrapKey(makeAccountKey(1), { passphrase, cost }));
    const bad = [
      { kdf: { name: "scrypt", n: 2 ** 30, r: 8, p: 1, salt: "A".repeat(43) } },
      { kdf: { name: "scrypt", n: 2 ** 17 + 1, r: 8, p: 1, salt: "A".repeat(43) } },
      { kdf: { name: "scrypt", n: 2 ** 17, r: 8, p: 9, salt: "A".repeat(43) } },
      { version: 0 },
      { version: 256 },
      { wrapped: "short" },
      { fingerprint: null },
      { mode: "other" },
    ];
    for (const change of bad) expect(readKeyNotice({ ...payload, ...change })).toBeUndefined();
    expect(readKeyNotice([])).toBeUndefined();
  });

  test("needs a passphrase of ten characters", () => {
    expect(passphraseProblem("short")).toContain("at least 10");
    expect(passphraseProblem("  spaced    ")).toContain("6 characters");
    expect(passphraseProblem(passphrase)).toBeUndefined();
  });
});

describe("a recovery phrase", () => {
  test("has 24 words that give the key back, however they are written down", () => {
    for (let n = 0; n < 50; n += 1) {
      const key = randomBytes(32);
      const phrase = recoveryPhrase(key);
      expect(phrase.split(" ")).toHaveLength(24);
      const numbered = phrase
        .toUpperCase()
        .split(" ")
        .map((word, at) => `${at + 1}. ${word}`);
      expect(keyOfPhrase(phrase)).toEqual(key);
      expect(keyOfPhrase(numbered.join("\n"))).toEqual(key);
    }
  });

  test("that is wrong is explained", () => {
    const words = recoveryPhrase(Buffer.alloc(32, 7)).split(" ");
    expect(keyOfPhrase(words.slice(1).join(" "))).toBe("A recovery phrase has 24 words; this one has 23.");
    expect(keyOfPhrase(words.with(4, "memry").join(" "))).toContain("Word 5 is not a word");
    const swapped = words.with(0, words[1] ?? "").with(1, words[0] ?? "");
    expect(words[0]).not.toBe(words[1]);
    expect(keyOfPhrase(swapped.join(" "))).toContain("do not belong together");
  });
});
