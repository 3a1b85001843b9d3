import { expect, test } from "vitest";
import { touchedLines } from "../../../src/core/tools/touched-lines.ts";

test("an edit has the changed lines among its new ones", () => {
  const tool_input = { file_path: "a.ts", old_string: "one\ntwo\nthree", new_string: "one\n2\n2b\nthree" };
  expect(touchedLines({ tool_name: "Edit", tool_input }).edited).toEqual([
    { path: "a.ts", lines: ["one", "2", "2b", "three"], from: 1, to: 3 },
  ]);
});

test("the host's diff is preferred, with its whole lines", () => {
  const tool_input = { file_path: "a.ts", old_string: "1", new_string: "2" };
  const lines = [" const a = 0;", "-const b = 1;", "+const b = 2;"];
  const use = { tool_name: "Edit", tool_input, tool_response: { structuredPatch: [{ oldStart: 1, lines }] } };
  expect(touchedLines(use).edited).toEqual([
    { path: "a.ts", lines: ["const a = 0;", "const b = 2;"], from: 1, to: 2 },
  ]);
});

test("each hunk of a patch is a part, with the new name of a moved file", () => {
  const patch = [
    ...["*** Begin Patch", "*** Update File: a.ts", "*** Move to: b.ts", "@@", " one", "-two", "+2"],
    ...["@@", "-gone", " three", "*** Add File: c.ts", "+new", "*** End Patch"],
  ].join("\n");
  expect(touchedLines({ tool_name: "apply_patch", tool_input: { input: patch } }).edited).toEqual([
    { path: "b.ts", lines: ["one", "2"], from: 1, to: 2 },
    { path: "b.ts", lines: ["three"], from: 0, to: 0 },
  ]);
  const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
  expect(touchedLines({ tool_name: "patch", tool_input: { patch: diff } }).edited).toEqual([
    { path: "a.ts", lines: ["one", "2"], from: 1, to: 2 },
  ]);
});

test("a read has its range, and none for the whole file", () => {
  const read = (input: object) =>
    touchedLines({ tool_name: "Read", tool_input: { file_path: "a", ...input } }).read;
  expect(read({})).toEqual([]);
  expect(read({ offset: 10, limit: 5 })).toEqual([{ path: "a", from: 9, to: 14 }]);
  expect(read({ view_range: [3, 4] })).toEqual([{ path: "a", from: 2, to: 4 }]);
});

test("a failed or foreign tool touches nothing", () => {
  const tool_input = { file_path: "a.ts", old_string: "1", new_string: "2" };
  for (const use of [
    { tool_name: "Edit", tool_input, tool_failed: true },
    { tool_name: "Bash", tool_input },
  ])
    expect(touchedLines(use)).toEqual({ edited: [], read: [] });
});
