import { expect, test } from "vitest";
import { pauseNotice, pauseReason } from "../../../src/core/records/generation-pause.ts";

test.each([
  [undefined, "access refused"],
  ["key", "access refused"],
  ["address", "address refused"],
  ["model", "unknown model"],
  ["command", "command not found"],
] as const)("a pause that %s ends is called %s", (fix, words) => {
  expect(pauseReason("auth", fix)).toBe(words);
});

test("a pause whose kind says all is called by it", () => {
  expect(pauseReason("quota", "model")).toBe("quota used up");
  expect(pauseReason("rate_limited")).toBe("rate limited");
});

test("a command that is not there is not told as a refusal of the provider", () => {
  const pause = { kind: "auth", message: "", until: null, fix: "command" as const, next: "Set it." };
  expect(pauseNotice(pause)).toMatch(/^mem: the host's command cannot be started.* Set it\.$/);
});
