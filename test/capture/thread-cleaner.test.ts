import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cleaner, cleanHere, isLarge, largeChars } from "../../src/capture/cleaner.ts";
import { createThreadCleaner } from "../../src/capture/thread-cleaner.ts";
import type { Json } from "../../src/text/json.ts";
import { eventually } from "../helpers/eventually.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const built = fileURLToPath(new URL("../../dist/clean-thread.cjs", import.meta.url));

function createCleaner({ script = built, idleMs = 60_000 } = {}) {
  const warnings: string[] = [];
  const cleaner = createThreadCleaner({ script, idleMs, warn: (sentence) => warnings.push(sentence) });
  onTestFinished(() => cleaner.close());
  return { ...cleaner, warnings };
}

const hidden = "before <private>nobody reads this</private> API_KEY=k3y9f8e7d6c5b4a3 after ";
const large = hidden.repeat(900);
const lines = Array.from({ length: 5_000 }, (_, n) => (n % 1_000 === 7 ? hidden : `line ${n}`));

const ways: [string, (cleaner: Cleaner) => unknown][] = [
  ["a text", ({ text }) => text(large)],
  ["a prompt", ({ prompt }) => prompt(large)],
  ["a prompt that is private as a whole", ({ prompt }) => prompt(`<private>${large.replaceAll("<", "")}`)],
  ["a payload", ({ payload }) => payload({ prompt: hidden, tool_response: { stdout: large }, lines })],
  ["a value of many strings", ({ json }) => json({ lines, token: "a1b2c3d4e5f6" }, 200_000)],
  ["a value that is cut after", ({ json }) => json(large, 1_000)],
];

const cleanedHere = ways.map(([, clean]) => clean(cleanHere));

describe("the thread that cleans", () => {
  test("is not started by what is small, which is cleaned immediately", () => {
    const { text, payload, threadId } = createCleaner();
    expect(text(hidden)).toBe(cleanHere.text(hidden));
    expect(payload({ a: hidden })).toEqual(cleanHere.payload({ a: hidden }));
    expect(threadId()).toBeUndefined();
  });

  test.each(ways)("cleans %s as this process does", async (name, clean) => {
    const cleaner = createCleaner();
    const cleaned = clean(cleaner);
    expect(cleaned).toBeInstanceOf(Promise);
    expect(await cleaned).toEqual(cleanedHere[ways.findIndex(([way]) => way === name)]);
    expect(cleaner.threadId()).toBeDefined();
    expect(cleaner.warnings).toEqual([]);
  });

  test("lets others go on while it works", async () => {
    const { text } = createCleaner();
    const order: string[] = [];
    const cleaned = text(large.repeat(5));
    const flood = Promise.resolve(cleaned).then(() => order.push("flood"));
    await new Promise((resolve) => setImmediate(resolve));
    order.push("other");
    await flood;
    expect(order).toEqual(["other", "flood"]);
  });

  test("loses nothing when it breaks: this process cleans what it had", async () => {
    const cleaner = createCleaner({ script: join(tempDir(), "missing.cjs") });
    const answers = await Promise.all(ways.map(([, clean]) => clean(cleaner)));
    expect(answers).toEqual(cleanedHere);
    expect(cleaner.warnings.join()).toContain("missing.cjs");
  });

  test("loses nothing when it ends in the middle of its work", async () => {
    const script = join(tempDir(), "ending.cjs");
    writeFileSync(script, 'require("node:worker_threads").parentPort.on("message", () => process.exit(3));');
    const cleaner = createCleaner({ script });
    const answers = await Promise.all(ways.map(([, clean]) => clean(cleaner)));
    expect(answers).toEqual(cleanedHere);
    expect(cleaner.warnings.join()).toContain("it ended with 3");
  });

  test("loses nothing when it is closed while it works", async () => {
    const cleaner = createCleaner();
    const answers = ways.map(([, clean]) => clean(cleaner));
    await cleaner.close();
    expect(await Promise.all(answers)).toEqual(cleanedHere);
    expect(cleaner.threadId()).toBeUndefined();
    expect(cleaner.text(large)).toBe(cleanHere.text(large));
    expect(cleaner.warnings).toEqual([]);
  });

  test("ends without work, and the next large text starts it again", async () => {
    const cleaner = createCleaner({ idleMs: 1 });
    await cleaner.text(large);
    await eventually(() => expect(cleaner.threadId()).toBeUndefined());
    expect(await cleaner.text(large)).toBe(cleanHere.text(large));
    expect(cleaner.warnings).toEqual([]);
  });
});

describe("a value is large", () => {
  const half = "a".repeat(largeChars / 2);
  const cases: [string, Json, boolean][] = [
    ["by one text", `${half}${half}`, true],
    ["by its texts together", { a: [half], b: { c: half } }, true],
    ["by its names", { [half]: 1, [`${half}2`]: 2 }, true],
    ["by the number of its entries", Array.from({ length: 5_000 }, () => ""), true],
    ["not by less", { a: half, b: [1, 2, null] }, false],
    ["not when it is empty", {}, false],
  ];
  test.each(cases)("%s", (_, value, expected) => expect(isLarge(value)).toBe(expected));
});
