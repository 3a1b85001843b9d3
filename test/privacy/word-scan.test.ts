import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createWordScan } from "../../src/privacy/word-scan.ts";
import { volume } from "../helpers/volume.ts";

function found(words: readonly string[], text: string): string[] {
  const seen: string[] = [];
  createWordScan(words)(text, (word, start) => {
    seen.push(`${words[word]}@${start}`);
    return undefined;
  });
  return seen.sort();
}

test("every place of every word is found, whatever overlaps and in any case", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", "-"), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "-", "A", "é"), maxLength: 40 });
  void fc.assert(
    fc.property(
      fc.uniqueArray(letters, { minLength: 1, maxLength: 8 }),
      text,
      (words: string[], scanned: string): void => {
        const expected = words.flatMap((word) =>
          [...scanned]
            .map((_, start) => start)
            .filter((start) => scanned.slice(start, start + word.length).toLowerCase() === word)
            .map((start) => `${word}@${start}`),
        );
        expect(found(words, scanned)).toEqual(expected.sort());
      },
    ),
    { numRuns: volume(500, 100) },
  );
});

test("the scan continues at the position that the callback returns", () => {
  const starts: number[] = [];
  createWordScan(["ab"])("ababab", (_, start) => {
    starts.push(start);
    return start + 4;
  });
  expect(starts).toEqual([0, 4]);
});
