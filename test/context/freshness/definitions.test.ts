import { describe, expect, test } from "vitest";
import { definitionsIn } from "../../../src/context/freshness/definitions.ts";

/** Name, first and last line of each symbol, counted from 1. */
const found = (path: string, text: string) =>
  definitionsIn(text.split("\n"), path).map(({ name, within, from, to }) =>
    [within === null ? name : `${within}.${name}`, from + 1, to].join(" "),
  );

const cases: [language: string, path: string, text: string, symbols: string[]][] = [
  [
    "TypeScript",
    "a.ts",
    `import { x } from "./x.ts";
export class Cart extends Base {
  private items: Item[] = [];
  constructor(readonly name: string) {
    super();
  }
  async total(
    rate: number,
  ): Promise<number> {
    const local = "}";
    if (rate) {
      return this.sum(rate);
    }
    return 0;
  }
}
// Of the next one.
export const add = (a: number) => {
  const inner = 1;
  return a + inner;
};
const limits = {
  retries: 3,
  wait(ms: number) {
    return ms;
  },
};
type Name = { first: string };`,
    ["Cart 2 16", "Cart.items 3 3", "Cart.constructor 4 6", "Cart.total 7 15", "add 18 21"].concat([
      "limits 22 27",
      "limits.retries 23 23",
      "limits.wait 24 26",
      "Name 28 28",
    ]),
  ],
  [
    "Python",
    "a.py",
    `MAX_SIZE = 10
class Cart:
    """Prices."""
    rate = 2
    def total(
        self,
    ):
        local = 1
        return local

    # Of the end.
def main():
    pass
# After.`,
    ["MAX_SIZE 1 1", "Cart 2 9", "Cart.rate 4 4", "Cart.total 5 9", "main 12 13"],
  ],
  [
    "Go",
    "a.go",
    `type Cart struct {
\tname string
}
func (c *Cart) Total(rate int) int {
\treturn rate
}
func main() {
}`,
    ["Cart 1 3", "Total 4 6", "main 7 8"],
  ],
  [
    "Rust",
    "a.rs",
    `pub struct Cart<'a> { name: &'a str }
impl<'a> Cart<'a> {
    pub fn total(&'a self, rate: i32) -> i32 {
        rate
    }
}
const MAX: i32 = 3;`,
    ["Cart 1 1", "Cart 2 6", "Cart.total 3 5", "MAX 7 7"],
  ],
  [
    "Java",
    "A.java",
    `public class Cart {
    private static final int MAX = 3;
    @Override
    public int total(int rate) throws Exception {
        return rate;
    }
}`,
    ["Cart 1 7", "Cart.MAX 2 2", "Cart.total 4 6"],
  ],
  [
    "C with the brace on its line",
    "a.c",
    `#define MAX 3
static int total(int rate)
{
    return rate;
}
int main(int argc, char **argv) {
    return total(1);
}`,
    ["total 2 5", "main 6 8"],
  ],
  ["Ruby", "a.rb", "class Cart\n  def total\n    1\n  end\nend", ["Cart 1 5", "Cart.total 2 4"]],
  ["SQL", "a.sql", "create table if not exists carts (\n  id integer\n);\nselect 1;", ["carts 1 3"]],
  [
    "Markdown",
    "a.md",
    "# Manual\ntext\n## Getting started\n```\n# no heading\n```\n## Setup\nLast\n====\nend",
    ["Manual 1 7", "Manual.Getting started 3 6", "Manual.Setup 7 7", "Last 8 10"],
  ],
  [
    "JSON",
    "a.json",
    '{\n  "name": "shop",\n  "scripts": {\n    "build": "tsc"\n  }\n}',
    ["name 2 2", "scripts 3 5", "scripts.build 4 4"],
  ],
  [
    "TOML",
    "a.toml",
    '[server]\nport = 1\n# About tls.\n[server.tls]\non = "yes"',
    ["server 1 2", "server.port 2 2", "server.tls 4 5", "server.tls.on 5 5"],
  ],
  [
    "YAML",
    "a.yml",
    "on:\n  push:\n    branches: [main]\njobs:\n  a: 1",
    ["on 1 3", "on.push 2 3"].concat(["push.branches 3 3", "jobs 4 5", "jobs.a 5 5"]),
  ],
  ["environment files", ".env", "# Keys\nPORT=1\nHOST_NAME=a", ["PORT 2 2", "HOST_NAME 3 3"]],
];

describe("finds the symbols and their lines in", () => {
  test.each(cases)("%s", (_language, path, text, symbols) => {
    expect(found(path, text)).toEqual(symbols);
  });
});

test("a file of nested or endless blocks is read in bounded steps", () => {
  const nested = Array.from({ length: 1_900 }, (_, at) => `${" ".repeat(at % 300)}class A${at} {`).join("\n");
  expect(found("a.ts", nested).length).toBeLessThan(1_000);
  expect(found("a.ts", `${"(".repeat(100_000)}\n${"x ".repeat(100_000)}`)).toEqual([]);
});

test("a heading ends at the next one of its level or above", () => {
  const text = "# A\n### B\n## C ##\n### D =#\n# E\nF\n---\n## #";
  expect(found("a.md", text)).toEqual([
    "A 1 4",
    "A.B 2 2",
    "A.C 3 4",
    "C.D 4 4",
    "E 5 8",
    "E.F 6 7",
    "E.# 8 8",
  ]);
});

test("headings and sections look at each line a bounded number of times", () => {
  const reads = (path: string, count: number) => {
    let seen = 0;
    const lines = Array.from({ length: count }, (_, at) =>
      path === "a.md" ? `# Part ${at}` : `[part${at}]`,
    );
    const counted = new Proxy(lines, {
      get(target, key, receiver) {
        if (typeof key === "string" && /^\d+$/.test(key)) seen += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    expect(definitionsIn(counted, path)).toHaveLength(count);
    return seen / count;
  };
  for (const path of ["a.md", "a.ini"]) expect(reads(path, 2_000)).toBeLessThan(20);
});

test.each([
  ["a.md", (at: number) => `# Part ${at}`],
  ["a.json", (at: number) => `"part${at}": 1,`],
  ["a.ts", (at: number) => `const part${at} = 1;`],
])("%s with more than 2,000 symbols has none, as its later ones would be missing", (path, line) => {
  const text = (count: number) => Array.from({ length: count }, (_, at) => line(at)).join("\n");
  expect(found(path, text(2_000))).toHaveLength(2_000);
  expect(found(path, text(2_001))).toEqual([]);
});

test("a quote or a comment that does not end hides no bracket", () => {
  expect(found("a.ts", "function a(b = '\\') {\n  b();\n}\nfunction c() {}")).toEqual(["a 1 3", "c 4 4"]);
  expect(found("a.ts", "function a() { /* ( */ // (\n  b();\n}")).toEqual(["a 1 3"]);
  expect(found("a.ts", "function a() { /*\n  b();\n}")).toEqual(["a 1 3"]);
  expect(found("a.rs", "impl Show for Cart {\n  fn a() {}\n}")).toEqual(["Cart 1 3", "Cart.a 2 2"]);
});
