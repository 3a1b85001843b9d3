// What of a payload may stand in the spool.
import fc from "fast-check";
import { expect, test } from "vitest";
import { spoolablePayload } from "../../../src/hosts/hook/spoolable-payload.ts";
import { isEntirelyPrivate } from "../../../src/privacy/private-tags.ts";
import { isJsonObject, type Json } from "../../../src/text/json.ts";

const spoolable = (value: unknown) => spoolablePayload(JSON.stringify(value));

test("private parts and secrets are gone at every depth, the rest is as it was", () => {
  const given = {
    prompt: "fix it <private>for CANARY</private> please",
    deep: [{ a: ["<PRIVATE>CANARY"] }],
    env: { password: "CANARY-hunter2-long" },
    n: 1,
    none: null,
  };
  const kept = spoolable(given);
  expect(JSON.stringify(kept)).not.toContain("CANARY");
  expect(kept).toMatchObject({ prompt: "fix it  please", n: 1, none: null });
});

test("a private part that is split over lines, blocks or outputs is gone", () => {
  const kept = spoolable({
    tool_response: { structuredPatch: [{ lines: [" a", " <private>", "+CANARY", " </private>", " b"] }] },
    blocks: [
      { type: "text", text: "a <pri" },
      { type: "text", text: "vate>CANARY" },
    ],
    outputs: { stdout: "a <private>CANARY", stderr: "CANARY</private>b" },
    message: "a <private>CANARY",
    tool_use_id: "toolu_1",
  });
  expect(JSON.stringify(kept)).not.toContain("CANARY");
  expect(kept).toMatchObject({
    outputs: { stdout: "a ", stderr: "b" },
    message: "a ",
    tool_use_id: "toolu_1",
  });
});

test("a prompt keeps what stands before a stray end of an injected block", () => {
  expect(spoolable({ prompt: "Earlier records about x: why?</mem-context-0a1b> b" })?.prompt).toBe(
    "Earlier records about x: why? b",
  );
});

test("a prompt that is private as a whole is still told to be so", () => {
  const prompt = spoolable({ prompt: " <private>CANARY</private>\n" })?.prompt;
  expect(prompt).not.toContain("CANARY");
  expect(typeof prompt === "string" && isEntirelyPrivate(prompt)).toBe(true);
});

test("shortens a long text without exposing a private part at the cut", () => {
  const text = `${"a".repeat(60_000)}<private>${"CANARY ".repeat(10_000)}</private>${"b".repeat(60_000)}`;
  const kept = spoolable({ tool_response: { stdout: text } });
  expect(JSON.stringify(kept)).not.toContain("CANARY");
  expect(JSON.stringify(kept).length).toBeLessThan(66_000);
});

test("shortens a long prompt without cutting the request in its middle", () => {
  const log = "12:00:01 INFO it runs\n".repeat(10_000);
  const kept = spoolable({ prompt: `${log}\nnow fix the login\n\n${log}` });
  expect(kept?.prompt).toContain("\nnow fix the login\n");
  expect(JSON.stringify(kept).length).toBeLessThan(66_000 * 1.1);
});

test("many texts together stay below 1.5 million characters, and ids stay readable", () => {
  const parts = Array.from({ length: 60 }, () => "x".repeat(60_000));
  const kept = spoolable({ session_id: "s1", tool_use_id: "toolu_1", tool_response: parts });
  expect(JSON.stringify(kept).length).toBeLessThanOrEqual(1_500_000);
  expect(kept).toMatchObject({ session_id: "s1", tool_use_id: "toolu_1" });
});

test.each([61, 100, 3_000])("flattens %i levels without exposing private parts", (levels) => {
  let value: Json = "<private>CANARY</private> kept";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { level: value };
  const kept = spoolable({ session_id: "s1", value });
  expect(depthOf(kept ?? null)).toBeLessThanOrEqual(62);
  expect(JSON.stringify(kept)).toContain("kept");
  expect(JSON.stringify(kept)).not.toContain("CANARY");
});

test("a bomb of a million levels costs its own content only", () => {
  const text = `{"session_id":"s1","value":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
  expect(spoolablePayload(text)).toMatchObject({ session_id: "s1" });
});

test("any object comes back as an object, and a second time unchanged", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
      const once = spoolable(given);
      expect(isJsonObject(once)).toBe(true);
      expect(spoolable(once)).toEqual(once);
    }),
  );
});

test.each(["", "nothing", "[]", "1", "null", '{"a":'])("%j is no payload", (text) => {
  expect(spoolablePayload(text)).toBeNull();
});

function depthOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
