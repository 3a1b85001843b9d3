import { expect, test } from "vitest";
import { createHttpClient, headerKey } from "../../../src/generate/providers/http-client.ts";

test.each([
  ["no key", ""],
  ["white space only", " \n\t"],
  ["a key with a line end in it", "a\nb"],
  ["a key with a space in it", "a b"],
  ["a key with letters beyond ASCII", "schlüssel"],
])("refuses %s before anything is sent, and asks to fix the key", (_what, key) => {
  const refused = { kind: "auth", fix: "key", message: expect.stringContaining("MEM_COMPAT_API_KEY") };
  expect(() => headerKey(key, "MEM_COMPAT_API_KEY")).toThrow(expect.objectContaining(refused));
});

test("a key that cannot be sent is not told", () => {
  const key = "sk-verysecret\u0000";
  expect(() => headerKey(key, "X")).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("verysecret") }),
  );
});

test("white space around a key is no part of it", () => {
  expect(headerKey(" sk-1\n", "X")).toBe("sk-1");
});

test("asks to fix a setting that is no address", async () => {
  const client = createHttpClient(
    {
      name: "compat",
      model: "m-1",
      endpoint: "MEM_COMPAT_BASE_URL is not an http address.",
      access: () => expect.fail("a key was read"),
      body: () => expect.fail("a body was made"),
      read: () => expect.fail("an answer was read"),
    },
    { timeoutMs: 1_000, clock: { now: () => 1, monotonicMs: () => 1 } },
  );
  const about = { sessionId: 1, project: "app", messages: 1 };
  const asking = client.complete(
    { system: "", prompt: "", maxOutputTokens: 1, schema: {}, about },
    new AbortController().signal,
  );
  await expect(asking).rejects.toMatchObject({
    kind: "auth",
    fix: "address",
    message: "MEM_COMPAT_BASE_URL is not an http address.",
  });
});
