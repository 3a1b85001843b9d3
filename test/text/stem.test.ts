import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Database } from "../../src/store/sqlite/library.ts";
import { stem } from "../../src/text/stem.ts";

const words =
  `redirects redirected redirecting caresses ponies ties cats feed agreed plastered bled motoring sing
  conflated troubled sized hopping tanned falling hissing fizzed failing filing happy sky relational conditional rational
  valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli vietnamization predication operator
  feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti triplicate formative formalize
  electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant
  replacement adjustment dependent adoption communism activate angulariti homologous effective bowdlerize probate rate
  cease controll roll is as by yes year day authentication queues logs utf8 a1b`.split(/\s+/);
// The tokenizer leaves words of more than 64 letters alone.
words.push(`${"ab".repeat(30)}aing`, `${"ab".repeat(31)}ing`);

it("a word has the stem that the tokenizer of the index gives it", () => {
  const db = new Database(":memory:");
  db.exec("create virtual table text using fts5 (body, tokenize = 'porter unicode61 remove_diacritics 0')");
  db.exec("create virtual table vocabulary using fts5vocab (text, 'instance')");
  const insert = db.prepare("insert into text (rowid, body) values (?, ?)");
  for (const [index, word] of words.entries()) insert.run(index + 1, word);
  const rows = db
    .prepare<[], { doc: number; term: string }>("select doc, term from vocabulary order by doc")
    .all();
  expect(words.map(stem)).toEqual(rows.map(({ term }) => term));
  db.close();
});

it("what is kept of a word does not keep the text that it stood in", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const letters = (number: number) =>
    String(number).replace(/\d/g, (digit) => "bcdfghjkla"[Number(digit)] ?? "");
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let number = 100_000; number < 102_000; number += 1) {
    const text = `${"x ".repeat(25_000)}configuration${letters(number)}`;
    stem(text.slice(50_000));
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
});
