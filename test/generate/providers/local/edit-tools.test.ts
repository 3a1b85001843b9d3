// Edits and writes of all hosts: what their observation says.
import { it } from "vitest";
import { cwd, edited, expectRow, type Row } from "./support.ts";

const claim = " export function claim(now: number) {";

const rows: Row[] = [
  [
    edited("src/login.ts", [
      "-function checkUser(name: string) {",
      "+function verifyUser(name: string) {",
      "   return 1;",
    ]),
    "Edited src/login.ts: `function checkUser(name: string) {` is now `function verifyUser(name: string) {`",
    {
      obs_type: "change",
      files_modified: [`${cwd}/src/login.ts`],
      provenance: "file",
      facts: ["New lines: `function verifyUser(name: string) {`"],
    },
  ],
  [
    edited("src/http.ts", [claim, "-  const timeoutMs = 500;", "+  const timeoutMs = 2_000;"]),
    "Edited src/http.ts: `const timeoutMs = 500;` is now `const timeoutMs = 2_000;`",
    { obs_type: "change", concepts: ["what-changed"] },
  ],
  [
    edited("src/q.ts", [claim, "-  a();", "+  // Two workers could take one job.", "+  take();", "+  c();"]),
    "Edited src/q.ts: Two workers could take one job.",
    { subtitle: "3 lines added, 1 removed" },
  ],
  [
    edited("src/q.ts", [" const x = 1;", "+export function release(id: number) {", "+  return id;", "+}"]),
    "Edited src/q.ts: added `export function release(id: number) {`",
    { obs_type: "change", concepts: ["what-changed"] },
  ],
  [
    edited("src/q.ts", [" const x = 1;", "-export function release(id: number) {", "-  return id;", "-}"]),
    "Edited src/q.ts: removed `export function release(id: number) {`",
  ],
  [
    edited("src/q.ts", ["-  go(1);", "-  go(2);", "+  for (const n of [1, 2]) go(n);"]),
    "Edited src/q.ts: now has `for (const n of [1, 2]) go(n);`",
  ],
  [
    edited("README.md", [" # Shop", "+## Install", "+text here"]),
    "Edited README.md: added `text here`",
    { obs_type: "change" },
  ],
  [
    {
      tool: "Write",
      input: { file_path: `${cwd}/a.txt`, content: "x" },
      response: { type: "create" },
    },
    "Created a.txt (1 line added)",
    { subtitle: null, summary: "Created a.txt (1 line added).", narrative: null },
  ],
  [
    edited("package.json", ['-  "version": "1.0.0",', '+  "version": "1.1.0",', '+  "type": "module",']),
    'Edited package.json: now has `"version": "1.1.0",`',
    { obs_type: "change" },
  ],
  [
    {
      tool: "Write",
      input: {
        file_path: `${cwd}/src/retry.ts`,
        content: "// Backoff.\nexport class Retry {\n  next(n: number): number {\n    return n;\n  }\n}\n",
      },
      response: { type: "create" },
    },
    "Created src/retry.ts: `export class Retry {`",
    { obs_type: "feature", subtitle: "6 lines added", files_modified: [`${cwd}/src/retry.ts`] },
  ],
  [
    {
      tool: "Write",
      input: { file_path: `${cwd}/test/a.test.ts`, content: 'it("gives up after three tries", () => {});\n' },
      response: { type: "create" },
    },
    'Created test/a.test.ts: `it("gives up after three tries", () => {});`',
    { obs_type: "change" },
  ],
  [
    {
      tool: "Write",
      input: { file_path: `${cwd}/a.ts`, content: "x\ny\n" },
      response: { type: "update", structuredPatch: [{ lines: [" x", "+export const y = 2;"] }] },
    },
    "Edited a.ts: added `export const y = 2;`",
  ],
  [
    {
      tool: "MultiEdit",
      input: {
        file_path: "/other/m.py",
        edits: [
          { old_string: "a = 1", new_string: "a = 1\ndef b():\n    pass" },
          { old_string: "x", new_string: "y" },
        ],
      },
    },
    "Edited /other/m.py: now has `def b():`",
    { files_modified: ["/other/m.py"] },
  ],
  [
    {
      tool: "NotebookEdit",
      input: { notebook_path: "n.ipynb", new_source: "df = read('x')", edit_mode: "replace" },
    },
    "Edited n.ipynb: added `df = read('x')`",
  ],
  // Gemini, Copilot, OpenCode, OpenClaw, Codex
  [
    {
      tool: "write_file",
      input: { file_path: "a.py", content: "def a():\ndef b():\n    return 2" },
      response: {
        llmContent: "Successfully overwrote file: a.py.",
        returnDisplay: { fileDiff: "--- a.py\n+++ a.py\n@@ -1 +1,3 @@\n def a():\n+def b():\n+    return 2" },
      },
    },
    "Edited a.py: added `def b():`",
  ],
  [
    {
      tool: "create",
      input: { path: "n.go", file_text: "package n\n\nfunc (s *Set) Sum(xs []int) int {\n\treturn 0\n}\n" },
      response: { resultType: "success", textResultForLlm: "Created" },
    },
    "Created n.go: `func (s *Set) Sum(xs []int) int {`",
    { obs_type: "feature" },
  ],
  [
    {
      tool: "str_replace_editor",
      input: { command: "str_replace", path: "a.ts", old_str: "let x = 1;", new_str: "let x = 2;" },
    },
    "Edited a.ts: `let x = 1;` is now `let x = 2;`",
  ],
  [
    {
      tool: "edit",
      input: { filePath: "q.ts", oldString: "  a();", newString: "  b();" },
      response: { output: "ok" },
    },
    "Edited q.ts: `a();` is now `b();`",
  ],
  [
    {
      tool: "apply_patch",
      input:
        "*** Begin Patch\n*** Update File: a.ts\n@@ export function go() {\n-  return 1;\n+  return 2;\n*** Add File: b.ts\n+export class Thing {}\n*** Delete File: old.ts\n*** End Patch",
      response: "Success",
    },
    "Changed 3 files: a.ts, b.ts, old.ts",
    {
      obs_type: "feature",
      files_modified: ["a.ts", "b.ts", "old.ts"],
      facts: [
        "Edited a.ts: `return 1;` is now `return 2;`",
        "Created b.ts: `export class Thing {}`",
        "Deleted old.ts",
      ],
    },
  ],
  [
    {
      tool: "apply_patch",
      input: { command: "*** Begin Patch\n*** Add File: b.ts\n+export class Thing {}\n*** End Patch" },
      response: "Success. Updated the following files:\nA b.ts\n",
    },
    "Created b.ts: `export class Thing {}`",
    { files_modified: ["b.ts"] },
  ],
  [
    {
      tool: "patch",
      input: { diff: "diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-let old;\n+let now;" },
      response: "ok",
    },
    "Edited x.ts: `let old;` is now `let now;`",
    { files_modified: ["x.ts"] },
  ],
  [
    {
      tool: "shell",
      input: {
        command: [
          "bash",
          "-lc",
          "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** End Patch\nEOF",
        ],
      },
      response: "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess",
    },
    "Moved a.ts to b.ts",
    { obs_type: "refactor", files_modified: ["a.ts", "b.ts"] },
  ],
  [
    {
      tool: "Edit",
      input: { file_path: `${cwd}/x.ts`, old_string: "a", new_string: "b" },
      response: { error: "String to replace not found in file." },
      failed: true,
    },
    "Edit of x.ts failed: String to replace not found in file.",
    { obs_type: "discovery", concepts: ["problem-solution"], files_modified: [] },
  ],
];

it.each(rows)("edits: $0.tool $0.input gets the title “$1”", expectRow);
