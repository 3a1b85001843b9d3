import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isEntirelyPrivate, stripPrivate, stripPrivatePrompt } from "../../src/privacy/private-tags.ts";
import { testSeed } from "../helpers/random.ts";
import { tagDocuments } from "../helpers/tag-documents.ts";
import { volume } from "../helpers/volume.ts";

const leftOfPrompt = (prompt: string) => stripPrivatePrompt(prompt).text;

test.each([
  ["a pair", "a <private>x</private> b", "a  b"],
  ["any case", "a <PriVate>x</PRIVATE> b", "a  b"],
  ["white space in the tags", "a < private >x< / private\n> b", "a  b"],
  ["attributes", `a <private reason="why" n=1>x</private foo> b`, "a  b"],
  ["an attribute that holds a >", `a <private reason="1 > 0">x</private> b`, "a  b"],
  ["a long attribute", `a <private reason="${"y".repeat(5000)}">x</private> b`, "a  b"],
  ["nesting", "a <private>x<private>x</private>x</private> b", "a  b"],
  ["crossing pairs of two names", "a <private>x<mem-context>x</private>x</mem-context> b", "a  b"],
  ["a closer of another name", "a <private>x</mem-context>x</private> b", "a  b"],
  ["no closer", "a <private>x\nx", "a "],
  ["an inner pair without the outer closer", "a <private>x<private>x</private>x", "a "],
  ["an opener without its end", "a <private x</private> b", "a  b"],
  ["an opener at the very end", "a <private", "a "],
  ["a closer without its end", "a <private>x</private x", "a "],
  ["a stray closer", "a </private>b", "a b"],
  ["a self-closing tag", `a <private/>b<private reason="a/b" />c`, "a bc"],
  ["two pairs", "a<private>x</private>b<private>x</private>c", "abc"],
  ["our own injected block", "a <mem-context>x</mem-context> b", "a  b"],
  ["its look-alikes", "a <claude-mem-context>x</claude-mem-context><hook_context>x</hook_context> b", "a  b"],
  ["our block by its own name", `a <mem-context-0a1b2c>x</mem-context-0a1b2c> b`, "a  b"],
  ["our block in any case and with spaces", "a < MEM-context-0A1B >x</mem-context-0a1b\n> b", "a  b"],
  ["our block without its end", "a <mem-context-0a1b2c>x <b>y", "a "],
  ["our block cut in its name", "a <mem-context-0a", "a "],
  ["our block cut in its name and gone on with", "a <mem-context-0a… x/> y", "a "],
  ["a stray end of our block", "a</mem-context-0a1b2c> b", "a b"],
  ["our block without its beginning", "cut\n| 12 | a title | bugfix |\n</mem-context-0a1b2c3d> b", " b"],
  ["our block cut in its last line", "le (changed</mem-context-0a1b2c3d> b", " b"],
  [
    "a block without its beginning behind a whole one",
    "a <private>x</private>x\n- **#7 title** (bugfix)\n</mem-context-0a1b2c3d> b",
    " b",
  ],
  [
    "a block that a record in it would close",
    "a <mem-context-0a>x</mem-context-0b></mem-context>x</mem-context-0a> b",
    "a  b",
  ],
  [
    "a block that a record in it would open again",
    "a <mem-context-0a>x<mem-context-0b>x</mem-context-0a>x",
    "a ",
  ],
  ["a block in a block", "a <mem-context-0a>x<mem-context-0a>x</mem-context-0a>x</mem-context-0a> b", "a  b"],
  ["tags that join into a new one", "a <pri</private>vate>x</private> b", "a "],
  [
    "tags that join again and again",
    `a ${"<pri".repeat(9)}<private/>${"vate/>".repeat(9)}x`,
    `a ${"<pri".repeat(5)}`,
  ],
])("%s hides what it should and nothing else", (_, text, left) => {
  expect(stripPrivate(text)).toBe(left);
});

test.each([
  ["a stray end of our block", "a</mem-context-0a1b2c> b", "a b"],
  [
    "one behind what a user copied from it",
    "| 12 | a title | x |\n</mem-context-0a> why?",
    "| 12 | a title | x |\n why?",
  ],
  ["one behind a private part", "a <private>x</private> b</mem-context-0a>", "a  b"],
  ["a whole block", "a <mem-context-0a>x</mem-context-0a> b", "a  b"],
  ["a beginning of our block", "what does <mem-context-0a1b2c3d> mean?", "what does  mean?"],
  ["a beginning of any context tag", "why <mem-context> and < hook_context > here?", "why  and  here?"],
  ["a beginning cut in its name", "see <mem-context-0a", "see "],
  ["a beginning whose end is cut", "a <mem-context-0a>b</mem-context-0a", "a b</mem-context-0a"],
  [
    "a beginning before a whole block",
    "a <mem-context-0a> b <mem-context-0a>x</mem-context-0a> c",
    "a  b  c",
  ],
  ["a beginning in a whole block", "a <mem-context-0a>x<mem-context-0b>x</mem-context-0a> b", "a  b"],
  ["a beginning behind a whole block", "<mem-context-0a>x</mem-context-0a> a <mem-context-0a> b", " a  b"],
  ["a beginning before a private part", "a <mem-context-0a> b <private>x</private> c", "a  b  c"],
  ["a beginning in a private part", "a <private>x<mem-context>x</private> b", "a  b"],
  ["a private part without its end in one", "a <mem-context> b <private>x", "a  b "],
  ["a beginning that others join into", "a <mem-con</private>text> b", "a  b"],
])("of a prompt with %s only the tag and what is hidden goes", (_, prompt, left) => {
  expect(leftOfPrompt(prompt)).toBe(left);
});

test.each([
  ["escapes of JSON", "a \\u003cprivate\\u003ex\\u003c/private\\u003e b"],
  ["escapes of JSON in upper case", "a \\u003Cprivate\\u003Ex\\u003C\\/private\\u003E b"],
  ["escapes of JSON in JSON", "a \\\\u003cprivate\\\\u003ex\\\\u003c/private\\\\u003e b"],
  ["a slash that JSON escapes", "a <private>x<\\/private> b"],
  ["a line feed that JSON escapes", 'a <private\\nwhy=\\"x\\">x</private> b'],
  ["escapes of a script", "a \\x3cprivate\\x3ex\\x3c/private\\x3e b"],
  ["HTML entities", "a &lt;private&gt;x&lt;/private&gt; b"],
  ["numeric entities", "a &#60;private&#62;x&#x3c;/private&#x3E; b"],
  ["entities of entities", "a &amp;lt;private&amp;gt;x&amp;lt;/private&amp;gt; b"],
  ["percent encoding", "a %3Cprivate%3Ex%3C%2Fprivate%3E b"],
  ["full width", "a ＜private＞x＜／private＞ b"],
  ["letters in full width", "a <ｐｒｉｖａｔｅ>x</Ｐｒｉｖａｔｅ> b"],
  ["zero-width characters in the name", "a <pri\u200bvate>x</priv\u2060ate> b"],
  ["zero-width characters around the name", "a <\u200bprivate\ufeff>x<\u200d/\u200bprivate\u200b> b"],
  ["marks of writing direction", "a <\u202eprivate\u202c>x</private> b"],
  ["colours", "a <\x1b[01;31m\x1b[Kprivate\x1b[m\x1b[K>x</\x1b[31mprivate\x1b[0m> b"],
  ["a colon", "a <private:note>x</private:note> b"],
  ["a colon in the opener alone", "a <private: why>x</private> b"],
  ["an equals sign", "a <private=1>x</private> b"],
  ["other signs", "a <private!>x</private> <private#1/><private(x)>x</private> b"],
  ["two ways of writing", "a &lt;private>x</private\\u003e b"],
])("a tag written with %s is a tag", (_, text) => {
  const left = stripPrivate(text);
  expect(left).toMatch(/^a +b$/);
  expect(leftOfPrompt(text)).toBe(left);
  expect(stripPrivate(text.replace(/^a /, "").replace(/ b$/, "").slice(0, -3)).trim()).toBe("");
});

test("a block of ours that a host encoded is not recorded again", () => {
  const block = "&lt;mem-context-0a1b2c3d&gt;\n| 12 | x |\n&lt;/mem-context-0a1b2c3d&gt;";
  expect(stripPrivate(`a ${block} b`)).toBe("a  b");
  expect(stripPrivate(`x |\\n\\u003c/mem-context-0a1b2c3d\\u003e b`)).toBe(" b");
});

test.each([
  ["comparisons", "if (a < b && c > d) return"],
  ["other tags", "<div><privateer>x</privateer><private-x>y</private-x></div>"],
  ["the word alone", "a private matter"],
  ["the name inside a name", "List<privateKey>"],
  [
    "elements with longer names",
    "<privateKey>x</privateKey><private-label>y</private-label><private.x/><private_1>",
  ],
  ["elements with longer names, encoded", "&lt;privateKey&gt; \\u003cprivate-label\\u003e %3CprivateKey%3E"],
  ["lists of choices", "--visibility <private|public> or <private,public>"],
  ["signs without an end", "a <private: and b, a <private=1, (a<private) and <private?\n>"],
  ["what only looks like an entity", "&ltd;private&gt; &#600;private \\u003private %33Cprivate"],
  ["longer names than a block of ours has", "<mem-context-provider>x</mem-context_2>"],
])("%s are not tags", (_, text) => {
  expect(stripPrivate(text)).toBe(text);
});

test.each([
  ["<private>x</private>", true],
  [" \n<private>x</private>\t<private>y", true],
  ["<private>x</private> and more", false],
  ["", false],
  ["   ", false],
  ["</private>", false],
  ["<private/>", false],
  ["<mem-context>what we injected</mem-context>", false],
  ["<hook_context>x</hook_context> <claude-mem-context>y", false],
  ["<mem-context>x</mem-context> <PRIVATE>y</PRIVATE>", true],
  ["<mem-context><private>x</private></mem-context>", true],
  ["<pri<private/>vate>x", true],
  ["what is said <private>x</private></mem-context-0a>", false],
  ["| 12 | x |</mem-context-0a><private>x</private>", false],
  ["<private>x</private></mem-context-0a>", true],
])("%j is entirely private: %s", (prompt, expected) => {
  expect(isEntirelyPrivate(prompt)).toBe(expected);
});

const documents = volume(2000);

test.each([20_261, testSeed()])(
  `no canary survives in ${documents} generated documents (seed %i)`,
  (seed) => {
    const survivors: string[] = [];
    let tagged = 0;
    for (const { text, canary, kept } of tagDocuments(documents, seed)) {
      const left = stripPrivate(text);
      if (left.includes(canary) || !left.includes(kept) || stripPrivate(left) !== left) survivors.push(text);
      if (text.includes(canary)) tagged++;
    }
    expect(survivors).toEqual([]);
    expect(tagged).toBeGreaterThan(documents / 2);
  },
);

test("of any mixture of tag pieces no tag is left, and a second pass changes nothing", () => {
  const piece = fc.constantFrom(
    "<",
    "/",
    ">",
    " ",
    "private",
    "mem-context",
    "-0a",
    "<mem-context-0a>",
    "</mem-context-0a>",
    "<private>",
    "</private>",
    '"',
    "x",
    "<pri",
    "vate>",
  );
  void fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const left = stripPrivate(pieces.join(""));
      expect(left).not.toMatch(/<\s*(?:private|mem-context|mem-context-0a)(?:[\s/<>]|$)/i);
      expect(stripPrivate(left)).toBe(left);
    }),
    { numRuns: volume(3000) },
  );
});

test("leaves no tag in a prompt of tag pieces, and hides nothing without a block end", () => {
  const begun = ["<mem-context-0a>", "<mem-context>", "<mem-con", "text>", "Y"];
  const ended = ["</mem-context-0a>", "</mem-context>"];
  const hasNoTag = (left: string) => {
    expect(left).not.toMatch(/<\s*(?:mem-context|mem-context-0a)(?:[\s/<>]|$)/i);
    expect(leftOfPrompt(left)).toBe(left);
  };
  const mixture = fc.array(fc.constantFrom(...begun, ...ended), { maxLength: 40 });
  void fc.assert(
    fc.property(mixture, (pieces) => hasNoTag(leftOfPrompt(pieces.join("")))),
    { numRuns: volume(1000, 200) },
  );
  const beginnings = fc.array(fc.constantFrom(...begun), { maxLength: 10 });
  void fc.assert(
    fc.property(beginnings, (pieces) => {
      const left = leftOfPrompt(pieces.join(""));
      hasNoTag(left);
      expect(left.replace(/[^Y]/g, "")).toBe(pieces.join("").replace(/[^Y]/g, ""));
    }),
    { numRuns: volume(1000, 200) },
  );
});

// A scan that takes the square of it does not end in time.
const floodSize = Math.min(1_600_000, volume(1_600_000, 400_000));

test.each([
  "<private",
  "<",
  "<private ",
  `< ${" ".repeat(198)}`,
  '<private "',
  "</private ",
  "<pri</private>vate>",
  "<mem-context-0a",
  "<mem-context-0a></mem-context-0b>",
  "</mem-context-0a ",
  "&lt;private&gt;",
  "<\u200bpri\u200bvate",
  "ｐｒ",
  "p\u200b",
  "<private:x",
  "\\\\u003c",
])("a flood of %j is scanned to the end", (piece) => {
  const text = piece.repeat(Math.ceil(floodSize / piece.length));
  expect(stripPrivate(`kept ${text}`)).toMatch(/^kept /);
  expect(stripPrivate(`${text}<private>CANARY`)).not.toContain("CANARY");
  expect(leftOfPrompt(`kept ${text}`)).toMatch(/^kept /);
  expect(leftOfPrompt(`${text}<private>CANARY`)).not.toContain("CANARY");
});

test("1.6 MB of ends of our block are scanned to the end", () => {
  expect(stripPrivate(`gone ${"</mem-context-0a1b2c3d>".repeat(70_000)} kept`)).toBe(" kept");
  expect(stripPrivate(`kept${"</mem-context-0a>".repeat(100_000)}`)).toBe("kept");
});
