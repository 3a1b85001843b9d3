// Hosts by name.
import { expect, test } from "vitest";
import { hostNamed, hostNames, recipeOf } from "../../src/hosts/registry.ts";

test("every host that is named can decode and be installed", () => {
  expect(hostNames).toEqual(["claude-code"]);
  for (const name of hostNames) {
    expect(hostNamed(name).name).toBe(name);
    expect(recipeOf(name).host).toBe(name);
  }
});

test.each(["claude", "", "__proto__", "CLAUDE-CODE"])(
  "%j is no host, and the error names those that are",
  (name) => {
    expect(() => hostNamed(name)).toThrow(
      expect.objectContaining({
        code: "host_unknown",
        message: expect.stringContaining(name),
        hint: "Known hosts: claude-code.",
      }),
    );
    expect(() => recipeOf(name)).toThrow(expect.objectContaining({ code: "host_unknown" }));
  },
);
