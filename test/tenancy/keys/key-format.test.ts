import { expect, test } from "vitest";
import { redactSecrets } from "../../../src/privacy/secrets.ts";
import { hashKey, isWellFormedKey, makeKey, shownParts } from "../../../src/tenancy/keys/key-format.ts";
import { createRandom, testSeed } from "../../helpers/random.ts";
import { volume } from "../../helpers/volume.ts";

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("a new key has the published form, is accepted and is never made twice", () => {
  const keys = Array.from({ length: 2_000 }, makeKey);
  expect(new Set(keys).size).toBe(2_000);
  for (const key of keys) expect(key).toMatch(/^mem_[0-9A-Za-z]{42}$/);
  expect(keys.filter(isWellFormedKey)).toHaveLength(2_000);
});

test("the random letters are all used, about as often", () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 2_000; made += 1) {
    for (const letter of makeKey().slice(4, 40)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect(counts.size).toBe(62);
  // 72,000 draws over 62 letters: 1,161 each, and six standard deviations are 205.
  for (const count of counts.values()) expect(Math.abs(count - 1_161)).toBeLessThan(205);
});

test("the checksum rejects typos, swaps and random text", () => {
  const random = createRandom(testSeed());
  const other = (letter: string) => random.pick([...letters].filter((each) => each !== letter));
  let passed = 0;
  for (let turn = 0; turn < volume(20_000); turn += 1) {
    const key = makeKey();
    const at = random.between(4, 45);
    if (isWellFormedKey(key.slice(0, at) + other(key.charAt(at)) + key.slice(at + 1))) passed += 1;
    const [left, right] = [key.charAt(20), key.charAt(21)];
    if (left !== right && isWellFormedKey(key.slice(0, 20) + right + left + key.slice(22))) passed += 1;
    const drawn = Array.from({ length: 42 }, () => random.pick([...letters])).join("");
    if (isWellFormedKey(`mem_${drawn}`)) passed += 1;
  }
  expect(passed).toBe(0);
});

test("what is stored and shown of a key does not give it away", () => {
  const key = makeKey();
  expect(hashKey(key)).toHaveLength(32);
  expect(shownParts(key)).toEqual({ prefix: key.slice(0, 8), last_four: key.slice(-4) });
});

test("the redactor knows every key, also in a command and a URL", () => {
  for (let turn = 0; turn < volume(500); turn += 1) {
    const key = makeKey();
    for (const text of [
      key,
      `Authorization: Bearer ${key}`,
      `claude mcp add --header 'Authorization: Bearer ${key}' x`,
      `https://host.example/?key=${key}`,
      `{"apiKey":"${key}"}`,
      `a\n${key}\nb`,
    ]) {
      expect(redactSecrets(text)).not.toContain(key.slice(4, 40));
    }
  }
});

test("most keys are known even when they are cut short", () => {
  const cut = Array.from({ length: 500 }, () => makeKey().slice(0, 42));
  const missed = cut.filter((text) => redactSecrets(text) === text);
  expect(missed.length).toBeLessThan(25);
});

test("a name that begins like a key is left as it is", () => {
  for (const text of ["mem_app and mem_system", "mem_get_observations_by_file_and_project", "mem_sk"]) {
    expect(redactSecrets(text)).toBe(text);
  }
});
