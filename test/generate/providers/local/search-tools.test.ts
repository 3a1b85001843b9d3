// Searches of all hosts, by tool and by shell: what their observation says.
import { expect, it } from "vitest";
import { broke, cwd, expectRow, observed, type Row, ran } from "./support.ts";

const rows: Row[] = [
  [
    {
      tool: "Grep",
      input: { pattern: "parseConfig", path: `${cwd}/src` },
      response: { mode: "files_with_matches", filenames: ["src/a.ts", "src/b.ts", "src/c.ts"], numFiles: 3 },
    },
    "Searched for `parseConfig` in src: 3 files",
    { facts: ["Found: src/a.ts, src/b.ts, src/c.ts"] },
  ],
  [
    {
      tool: "Grep",
      input: { pattern: "retry", path: "src" },
      response: {
        mode: "content",
        numFiles: 0,
        filenames: [],
        content: "src/q.ts:12:  retry(1);\nsrc/h.ts:8:retry(2);",
      },
    },
    "Searched for `retry` in src: 2 matches in 2 files",
    { files_read: ["src/q.ts", "src/h.ts"], facts: ["src/q.ts:12: retry(1);"] },
  ],
  [
    {
      tool: "Glob",
      input: { pattern: "**/*.sql" },
      response: { filenames: [`${cwd}/db/1.sql`], numFiles: 1 },
    },
    "Searched for `**/*.sql`: 1 file",
    { facts: ["Found: db/1.sql"] },
  ],
  [
    {
      tool: "search_file_content",
      input: { pattern: "foo" },
      response: {
        llmContent:
          'Found 2 matches for pattern "foo":\n---\nFile: src/a.ts\nL12: const foo = 1;\nL14: foo();\n---',
      },
    },
    "Searched for `foo`: 2 matches in 1 file",
    { files_read: ["src/a.ts"] },
  ],
  [
    { tool: "LS", input: { path: `${cwd}/src` }, response: `- ${cwd}/src/\n  - a.ts\n  - b.ts\n` },
    "Listed src: 2 entries",
    { facts: ["Entries: a.ts, b.ts"] },
  ],
  [ran("grep -rn TODO src", ""), "Searched for `TODO` in src: nothing found", { facts: [] }],
  [
    broke("grep -rn TODO src", "Exit code 1"),
    "Searched for `TODO` in src: nothing found",
    { obs_type: "discovery", concepts: ["how-it-works"] },
  ],
  [ran("rg -n claim src | wc -l", "42"), "Searched for `claim` in src: 42 matches"],
  [ran("find src -name '*.ts'", "src/a.ts\nsrc/b.ts"), "Listed src named *.ts: 2 files"],
];

it.each(rows)("of searches: $0.tool $0.input is told as “$1”", expectRow);

it("says of a long search that it counted a part only", () => {
  const content = Array.from({ length: 3_000 }, (_, n) => `src/f${n}.ts:1: const value = ${n};`).join("\n");
  const { title } = observed({
    tool: "Grep",
    input: { pattern: "value" },
    response: { mode: "content", content },
  });
  expect(title).toMatch(/^Searched for `value`: at least \d+ matches in \d+ files$/);
});
