import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { inShell } from "../../src/text/in-shell.ts";

test("quotes any path as one word of a shell", () => {
  for (const path of ["/var/lib/x-1", "/a b/it's $HOME", '/`id`/"x"']) {
    expect(execFileSync("/bin/sh", ["-c", `printf %s ${inShell(path)}`], { encoding: "utf8" })).toBe(path);
  }
});
