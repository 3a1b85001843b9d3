import { describe, expect, test } from "vitest";
import { isOnlyComments, readFileParts } from "../../../src/context/freshness/file-parts.ts";
import { readNamed } from "../../../src/context/freshness/named-parts.ts";
import { keepsSpans, parseSpans, spansText, touchedIn } from "../../../src/context/freshness/record-spans.ts";
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
  const file = readFileParts(Buffer.from(before), place);
  if (file === undefined) throw new Error("binary");
  const touched = touchedIn(uses.map(touchedLines), (path) => path === place);
  const spans = spansText(file, { named: readNamed([text], [place]), place, touched });
  const parsed = parseSpans(spans);
  return {
    spans,
    isKeptIn(after: string): boolean | undefined {
      const now = readFileParts(Buffer.from(after), place);
      return parsed && now && keepsSpans(now, parsed);
    },
  };
}

describe("a symbol is named by", () => {
  test.each([
    "`retryLater` waits",
    "It is slow: `retryLater` waits, see `the note`",
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

test("indentation and place do not matter, words do", () => {
  const { isKeptIn } = spansOf(cart, { text: "`Cart` holds items" });
  expect(isKeptIn(`// First.\n\n${cart.replaceAll("\n", "\r\n")}`)).toBe(true);
  expect(isKeptIn(cart.replaceAll("  ", "\t"))).toBe(true);
  expect(isKeptIn(cart.replace("return this", "return that"))).toBe(false);
});

const python = `MAX_SIZE = 10
class Cart(Base):
    rate = 2
    def total(
        self,
    ):
        local = 1
        return local

def main():
    total(1)
`;
const c = `static int total(int rate,
                 int fees)
{
done:
    return rate;
}
int main(int argc, char **argv) {
    return total(1, 2);
}
`;
const go = "func (c *Cart) Total(rate int) int {\n\treturn rate\n}\nfunc main() {\n\tTotal(2)\n}\n";
const java =
  "public class Cart {\n  private int max = 3;\n  public int total(int rate)\n  {\n    return rate;\n  }\n}\n";
const yaml = "on:\n  push:\n    branches:\n    - main\njobs:\n  test: 1\n";
const toml = '[server]\nport = 1\n[server.tls]\nactive = "yes"\n';

test.each([
  ["a.py", "`Cart.total` adds", python, "local = 1", "total(1)"],
  ["a.py", "`Cart.total` adds", python, "return local", "MAX_SIZE = 10"],
  ["a.py", "MAX_SIZE is small", python, "MAX_SIZE = 10", "rate = 2"],
  ["a.c", "total() adds", c, "return rate", "return total(1"],
  ["a.c", "`main` calls", c, "total(1, 2)", "return rate"],
  ["a.go", "`Cart.Total` adds", go, "return rate", "Total(2)"],
  ["A.java", "the total method adds", java, "return rate", "max = 3"],
  ["a.yml", "`push` starts it", yaml, "- main", "test: 1"],
  ["a.toml", "`server.port` is low", toml, "port = 1", "yes"],
  ["a.toml", "the `tls` key", toml, "yes", "port = 1"],
  [
    "a.sql",
    "`carts` has an id",
    "create table if not exists carts (\n  id int\n);\nselect 1;",
    "id int",
    "select 1",
  ],
  [".env", "`HOST_NAME` is set", "PORT=1\nHOST_NAME=a\n", "NAME=a", "PORT=1"],
])("in %s, of %j only the own lines count", (place, text, file, own, other) => {
  const { isKeptIn } = spansOf(file, { place, text });
  expect(file).toContain(own);
  expect(file).toContain(other);
  expect(isKeptIn(file.replace(own, `${own}0`))).toBe(false);
  expect(isKeptIn(file.replace(other, `${other}0`))).toBe(true);
});

test("a line added at the end of a function changes it, one behind it does not", () => {
  const { isKeptIn } = spansOf(python, { place: "a.py", text: "`Cart.total` adds" });
  expect(isKeptIn(python.replace("return local\n", "return local\n        more()\n"))).toBe(false);
  expect(isKeptIn(`${python.replace("return local\n", "return local\n    more = 1\n")}# End.\n`)).toBe(true);
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

  test("are the lines around them too where they are too short", () => {
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
  // The second is the form of earlier versions: the whole file counts then.
  for (const other of [
    null,
    '{"lines":[],"symbols":[["1","2"]]}',
    "{}",
    '{"runs":[]}',
    '{"runs":[[1]]}',
    "[1]",
  ])
    expect(parseSpans(other)).toBeUndefined();
  expect(readFileParts(Buffer.from([1, 0, 2]), "a.bin")).toBeUndefined();
  expect(readFileParts(Buffer.alloc(600_000, "a"), "a.ts")).toBeUndefined();
  expect(readFileParts(Buffer.alloc(128 * 1024 + 1, "a"), "a.ts")).toBeUndefined();
  expect(readFileParts(Buffer.alloc(128 * 1024, "a"), "a.ts")).toBeDefined();
});

test("texts and files of equal, nested or endless parts are read in bounded steps", () => {
  for (const text of ["a".repeat(20_000), "a-".repeat(10_000), "`".repeat(20_000)])
    expect(spansOf(`${"(".repeat(390)}\n`.repeat(300), { text }).spans).toBeNull();
  const equal = "go();\n".repeat(9_999);
  const { isKeptIn } = spansOf(equal, {
    uses: [{ tool_name: "Read", tool_input: { file_path: "src/cart.ts", offset: 1, limit: 9_000 } }],
  });
  expect(isKeptIn(equal)).toBeUndefined();
  const nested = Array.from({ length: 1_900 }, (_, at) => `${" ".repeat(at % 60)}class A${at} {`).join("\n");
  expect(spansOf(nested, { text: "`A7` and `A1800`" }).isKeptIn(nested)).toBe(true);
  expect(readFileParts(Buffer.from("\n".repeat(10_001)), "a.ts")).toBeUndefined();
});

test.each([
  ["a.ts", true, "\n// One.\n  /* two\n three */\n"],
  ["a.py", true, "# One.\n#!/bin/sh\n"],
  ["a.sql", true, "-- One.\n"],
  ["a.md", true, "<!-- One.\n\nTwo. -->\n"],
  ["a.ts", false, "// One.\nexport {};"],
  ["a.ts", false, "/* One. */ run();"],
  ["a.ts", false, "/* never closed"],
  ["a.c", false, "# define MAX 3"],
  ["a.css", false, "#id { color: red }"],
  ["a.md", false, "# A heading"],
  ["notes.txt", false, "// a line of text"],
])("in %s it is %s that only comments came: %j", (path, isOnly, text) => {
  expect(isOnlyComments(text, path)).toBe(isOnly);
});
