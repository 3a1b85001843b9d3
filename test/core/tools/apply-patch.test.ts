import { expect, test } from "vitest";
import { editedPaths } from "../../../src/core/tools/apply-patch.ts";
import { readCall } from "../../../src/core/tools/tool-kind.ts";

const patch =
  "*** Begin Patch\n*** Update File: a.ts\n*** Move to: src/b.ts\n@@\n-1\n+2\n*** Delete File: c.ts\n";

test.each([
  ["Edit", { file_path: "/w/a.ts", old_string: "1" }, ["/w/a.ts"]],
  ["apply_patch", { command: patch }, ["a.ts", "src/b.ts", "c.ts"]],
  ["apply_patch", { input: patch }, ["a.ts", "src/b.ts", "c.ts"]],
  ["apply_patch", patch, ["a.ts", "src/b.ts", "c.ts"]],
  ["str_replace_editor", { command: "create", path: "/w/d.ts" }, ["/w/d.ts"]],
  ["edit", { command: "view" }, []],
  ["apply_patch", null, []],
])("the files that %s edits with %j are known", (tool_name, tool_input, paths) => {
  expect(editedPaths(readCall({ tool_name, tool_input }))).toEqual(paths);
});
