// Reads, searches and listings of all hosts, by tool and by shell: what their observation says.
import { it } from "vitest";
import { broke, cwd, expectRow, type Row, ran } from "./support.ts";

const note = { filePath: `${cwd}/note.txt`, content: "1→hello from note\n", numLines: 2 };
const viewed =
  "<path>q.ts</path>\n<type>file</type>\n<content>\n1: export function claim() {\n2: }\n</content>";
const long = Array.from({ length: 3_000 }, (_, n) => `src/f${n}.ts:1: const value = ${n};`).join("\n");

const rows: Row[] = [
  [
    { tool: "Read", input: { file_path: `${cwd}/note.txt` }, response: { type: "text", file: note } },
    "Read note.txt",
    { files_read: [`${cwd}/note.txt`], facts: ["hello from note"], provenance: "file", narrative: null },
  ],
  [
    { tool: "read", input: { filePath: "q.ts" }, response: { output: viewed, metadata: {} } },
    "Read q.ts",
    { facts: ["export function claim() {"] },
  ],
  [
    { tool: "read_many_files", input: { paths: ["a.ts", "b.ts"] }, response: "x" },
    "Read a.ts, b.ts",
    { files_read: ["a.ts", "b.ts"] },
  ],
  [
    { tool: "Read", input: { file_path: "gone.ts" }, response: { error: "No such file." }, failed: true },
    "Could not read gone.ts: No such file.",
    { concepts: ["problem-solution"], files_read: ["gone.ts"] },
  ],
  [
    ran(`cd ${cwd} && cat src/config.ts`, "export function parseConfig() {\n}"),
    "Read src/config.ts",
    { files_read: [`${cwd}/src/config.ts`], provenance: "file" },
  ],
  [ran("sed -n '10,60p' src/main.ts", "x"), "Read src/main.ts", { files_read: ["src/main.ts"] }],
  [
    {
      tool: "Grep",
      input: { pattern: "parse", path: `${cwd}/src` },
      response: { filenames: ["a.ts"], numFiles: 3 },
    },
    "Searched for `parse` in src: 3 results",
    { facts: ["a.ts"] },
  ],
  [
    {
      tool: "Grep",
      input: { pattern: "retry" },
      response: { filenames: [], content: "src/q.ts:12:  retry(1);" },
    },
    "Searched for `retry`: 1 result",
    { files_read: ["src/q.ts"], facts: ["src/q.ts:12:  retry(1);".replace("  ", " ")] },
  ],
  [
    {
      tool: "search_file_content",
      input: { pattern: "foo" },
      response: {
        llmContent: "Found 2 matches:\n---\nFile: src/a.ts\nL12: const foo = 1;\nL14: foo();\n---",
      },
    },
    "Searched for `foo`: 2 results",
    { files_read: ["src/a.ts"] },
  ],
  [
    { tool: "Grep", input: { pattern: "value" }, response: long },
    "Searched for `value`: at least 347 results",
  ],
  [
    { tool: "LS", input: { path: `${cwd}/src` }, response: `- ${cwd}/src/\n  - a.ts\n  - b.ts\n` },
    "Listed src: 2 results",
    { facts: ["a.ts", "b.ts"] },
  ],
  [
    broke("grep -rn TODO src", "Exit code 1"),
    "Looked around: `grep -rn TODO src`",
    { obs_type: "discovery" },
  ],
  [
    ran("grep -rn claim src", "src/q.ts:3: claim();"),
    "Looked around: `grep -rn claim src`",
    { files_read: ["src/q.ts"] },
  ],
];

it.each(rows)("reads and searches: $0.tool $0.input gets the title “$1”", expectRow);
