import { describe, expect, test } from "vitest";
import { readNamed } from "../../../src/context/freshness/named-symbols.ts";
import {
  keepsSpans,
  parseSpans,
  readFileText,
  spansText,
  touchedIn,
} from "../../../src/context/freshness/record-spans.ts";
import { touchedLines } from "../../../src/core/tools/touched-lines.ts";

const cart = `export class Cart {
  add(item: string) {
    this.items.push(item);
    return this;
  }
  run() {
    return this.items.length;
  }
}

export function retryLater(ms: number) {
  return ms;
}

export function start() {
  return retryLater(1);
}
`;

interface Case {
  place?: string;
  text?: string;
  uses?: Parameters<typeof touchedLines>[0][];
}

/** The stored spans of a record of the file, and what they say of a later content. */
function spansOf(before: string, { place = "src/cart.ts", text = "", uses = [] }: Case) {
  const file = readFileText(Buffer.from(before), place);
  if (file === undefined) throw new Error("binary");
  const touched = touchedIn(uses.map(touchedLines), (path) => path === place);
  const spans = spansText(file, { named: readNamed([text], [place]), place, touched });
  const parsed = parseSpans(spans);
  return {
    spans,
    isKeptIn(after: string): boolean | undefined {
      const now = readFileText(Buffer.from(after), place);
      return parsed && now && keepsSpans(now, parsed);
    },
  };
}

describe("a symbol is named by", () => {
  test.each([
    "`retryLater` waits",
    "Call retryLater() later",
    "retryLater waits",
    "`export function retryLater(ms: number) {` is new",
    "the retryLater function",
  ])("%s", (text) => {
    const { isKeptIn } = spansOf(cart, { text });
    expect(isKeptIn(cart.replace("return ms;", "return ms * 2;"))).toBe(false);
    expect(isKeptIn(cart.replace("retryLater(1)", "retryLater(2)"))).toBe(true);
    expect(isKeptIn(cart.replace(/export function retryLater[^}]*}\n/, ""))).toBe(false);
  });
});

describe("no symbol is named by", () => {
  test.each([
    "The run was green and start to end it takes a minute",
    "Edited src/retryLater.ts",
    "`return retryLater(1);` is there",
    "unknownName() is gone",
    "`retrylater` in another case",
  ])("%s", (text) => {
    expect(spansOf(cart, { text }).spans).toBeNull();
  });
});

test("a method is another symbol than its class, and than another of its name", () => {
  const two = `${cart}export class Basket {\n  run() {\n    return 0;\n  }\n}\n`;
  const { isKeptIn } = spansOf(two, { text: "`Cart.run` of the Cart class counts" });
  expect(isKeptIn(two.replace("return 0;", "return 1;"))).toBe(true);
  expect(isKeptIn(two.replace("return this;", "return null;"))).toBe(true);
  expect(isKeptIn(two.replace("this.items.length", "0"))).toBe(false);
});

test("layout and place do not matter, words do", () => {
  const { isKeptIn } = spansOf(cart, { text: "`Cart` holds items" });
  const moved = `// First.\n\n${cart.replace("add(item: string) {", "add(\n    item: string\n  ) {").replaceAll("\n", "\r\n")}`;
  expect(isKeptIn(moved)).toBe(true);
  expect(isKeptIn(cart.replaceAll("  ", "\t"))).toBe(true);
  expect(isKeptIn(cart.replace("return this", "returnthis"))).toBe(false);
});

test("headings and keys of settings are symbols", () => {
  const manual = "# Manual\n\n## Getting started\n\nRun it.\n\n## Setup\n\nSet PORT.\n";
  const started = spansOf(manual, { place: "docs/a.md", text: "Getting started names the command" });
  expect(started.isKeptIn(manual.replace("Set PORT", "Set HOST"))).toBe(true);
  expect(started.isKeptIn(manual.replace("Run it", "Start it"))).toBe(false);
  const settings = '{\n  "strict": true,\n  "maxRetries": 3\n}\n';
  const key = spansOf(settings, { place: "a.json", text: "maxRetries is 3" });
  expect(key.isKeptIn(settings.replace("3\n", '3,\n  "more": 1\n'))).toBe(true);
  expect(key.isKeptIn(settings.replace("3", "4"))).toBe(false);
});

describe("the lines of an edit", () => {
  const edit = (old_string: string, new_string: string) => ({
    tool_name: "Edit",
    tool_input: { file_path: "src/cart.ts", old_string, new_string },
  });

  test("are whole lines, without what stands around them", () => {
    const context = "  add(item: string) {\n";
    const { isKeptIn } = spansOf(cart, {
      uses: [edit(`${context}    push(item);`, `${context}    this.items.push(item);`)],
    });
    expect(isKeptIn(cart.replace("add(item: string)", "add(item: number)"))).toBe(true);
    expect(isKeptIn(cart.replace("push(item);", "push(item, 1);"))).toBe(false);
  });

  test("are the symbol around them where they are too short", () => {
    const { isKeptIn } = spansOf(cart, { uses: [edit("return 0;", "return ms;")] });
    expect(isKeptIn(cart.replace("ms: number", "ms: bigint"))).toBe(false);
    expect(isKeptIn(cart.replace("return this;", "return null;"))).toBe(true);
  });

  test("are nothing where the file has them no more", () => {
    expect(spansOf(cart, { uses: [edit("a", "what the next edit replaced")] }).spans).toBeNull();
    expect(
      spansOf(cart, { uses: [{ ...edit("a", "    return this;"), tool_failed: true }] }).spans,
    ).toBeNull();
  });
});

test("a read of the whole file names no lines, a range does", () => {
  const read = (input: object) => ({ tool_name: "Read", tool_input: { file_path: "src/cart.ts", ...input } });
  expect(spansOf(cart, { uses: [read({})] }).spans).toBeNull();
  expect(spansOf(cart, { uses: [read({ limit: 2_000 })] }).spans).toBeNull();
  const { isKeptIn } = spansOf(cart, { uses: [read({ offset: 11, limit: 3 })] });
  expect(isKeptIn(`\n\n${cart}`)).toBe(true);
  expect(isKeptIn(cart.replace("return ms;", "return 0;"))).toBe(false);
});

test("what is stored is bounded, and no other text is read as spans", () => {
  const many = Array.from(
    { length: 300 },
    (_, at) => `export function makeThing${at}() {\n  return ${at};\n}`,
  );
  const text = many.map((_, at) => `makeThing${at}()`).join(" ");
  const { spans } = spansOf(many.join("\n"), { text });
  expect(spans?.length).toBeLessThan(1_000);
  for (const other of [null, "", "{}", '{"lines":[],"symbols":[]}', '{"lines":[[1]],"symbols":[]}', "[1]"])
    expect(parseSpans(other)).toBeUndefined();
  expect(readFileText(Buffer.from([1, 0, 2]), "a.bin")).toBeUndefined();
  expect(readFileText(Buffer.alloc(600_000, "a"), "a.ts")).toBeUndefined();
  expect(readFileText(Buffer.alloc(128 * 1024 + 1, "a"), "a.ts")).toBeUndefined();
  expect(readFileText(Buffer.alloc(128 * 1024, "a"), "a.ts")).toBeDefined();
});
