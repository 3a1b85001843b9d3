import { expect, test } from "vitest";
import { cleanInput, cleanKey } from "../../src/capture/clean-input.ts";

test("replaces keys that must not be stored: equal keys stay equal, others differ", () => {
  const keys = ["a <private>CANARY-1</private>", "a <private>CANARY-2</private>"].map(cleanKey);
  expect(keys[0]).not.toBe(keys[1]);
  expect(keys[0]).toBe(cleanKey("a <private>CANARY-1</private>"));
  expect(keys.join()).not.toContain("CANARY");
});

test.each([
  "00000000-0000-4000-8000-000000000002",
  "toolu_01A2b3C4d5E6f7G8h9J0k1L2",
  "call_AbCdEf0123456789xyzQ",
  "gateway-main:abc-1760000000000",
  "stop:00000000-0000-4000-8000-000000000002:0123456789abcdef",
])("%s, as hosts make them, is stored as it is", (key) => {
  expect(cleanKey(key)).toBe(key);
});

test("every naming text is cleaned, and what is left out stays out", () => {
  const text = "x<private>CANARY</private>";
  const input = {
    claudeSessionId: text,
    cwd: text,
    project: text,
    host: text,
    agentId: text,
    agentType: text,
  };
  const keys = { eventKey: text, promptKey: text };
  expect(JSON.stringify(cleanInput({ ...input, ...keys }))).not.toContain("CANARY");
  expect(cleanInput({ claudeSessionId: "s" })).toEqual({ claudeSessionId: "s" });
});
