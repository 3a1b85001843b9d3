// Paths and projects that are never recorded.
import { expect, test } from "vitest";
import { createExclusions } from "../../src/capture/exclusions.ts";
import { pathMatcher } from "../../src/text/path-patterns.ts";

const excluded = (paths: string[], projects: string[] = []) => {
  const choice = { paths, projects: new Set(projects) };
  return createExclusions({
    choice: () => choice,
    home: "/home/me",
    labelOf: (cwd) => cwd.split("/").at(-1) ?? "",
    projectNamed: (label) => (label === "old" ? "shop" : label),
    projectOfSession: (id) => (id === "s-shop" ? "shop" : undefined),
  });
};

test.each([
  ["~/clients/**", "/home/me/clients/acme/a.ts", true],
  ["~/clients", "/home/me/clients", true],
  ["~/clients", "~/clients/a", true],
  ["~/clients", "/home/me/clients-old/a", false],
  ["/w/*/secret", "/w/app/secret/deep/key", true],
  ["/w/*/secret", "/w/app/src/secret", false],
  ["**/secrets", "/w/app/secrets/key", true],
  ["*.pem", "/w/app/certs/key.pem", true],
  ["*.pem", "/w/app/pem.ts", false],
  ["/w/app", "/w/other/../app/x", true],
  ["C:\\clients", "c:/clients/a.ts", true],
  ["a?c", "/w/abc/x", true],
  [" ", "/w/app", false],
])("%s against %s: %s", (pattern, path, isMeant) => {
  expect(pathMatcher([pattern], "/home/me")?.(path) ?? false).toBe(isMeant);
});

test("a tool use that names an excluded path anywhere is noticed", () => {
  const { isNamedIn } = excluded(["/w/app/secret", "*.pem"]);
  const named = [
    { file_path: "/w/app/secret/a.ts" },
    { command: "cat secret/a.ts | head" },
    { command: "git diff --output='./certs/x.pem'" },
    "src/a.ts:1: fine\nsecret/b.ts:12: text",
    [{ edits: [{ path: "secret/c" }] }],
    { "/w/app/secret/d.ts": "changed" },
  ];
  for (const value of named) expect([value, isNamedIn([value], "/w/app")]).toEqual([value, true]);
  for (const value of [{ command: "cat src/a.ts" }, "a secret", 12, null, undefined])
    expect([value, isNamedIn([value], "/w/other")]).toEqual([value, false]);
});

test("a project that is off is known by folder, label, former label and session", () => {
  const { hasPlace } = excluded([], ["old"]);
  expect(hasPlace({ cwd: "/w/shop" })).toBe(true);
  expect(hasPlace({ project: "old", cwd: "/w/x" })).toBe(true);
  expect(hasPlace({ claudeSessionId: "s-shop", cwd: "/w/x" })).toBe(true);
  expect(hasPlace({ claudeSessionId: "s-x", cwd: "/w/x" })).toBe(false);
});
