// Texts of `mem import`.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { sameImport } from "../../src/cli/import-text.ts";

test("the command that continues an import is the same one for a shell", () => {
  expect(sameImport({ source: null, path: undefined }, {})).toBe("mem import auto --yes");
  const asked = { source: "claude-code", path: "/home/me/My Projects/it's" };
  const command = sameImport(asked, { project: "my app", since: "30d", limit: 5 });
  const words = execFileSync("/bin/sh", ["-c", command.replace("mem", "printf '%s\\n'")], {
    encoding: "utf8",
  });
  expect(words.trimEnd().split("\n")).toEqual([
    ...["import", "claude-code", asked.path, "--project", "my app", "--since", "30d", "--limit", "5"],
  ]);
});
