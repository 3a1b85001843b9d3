import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { maxBodyBytes, parseBody } from "../../../src/http/plugins/json-body.ts";
import { eachFakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const post = (
  payload: string | Buffer,
  headers: Record<string, string> = {},
  url = "/api/sessions/observations",
) =>
  world.app.inject({
    method: "POST",
    url,
    headers: { ...local, "content-type": "application/json", ...headers },
    payload,
  });

const toolUse = (response: string) =>
  `{"claudeSessionId":"c","tool_name":"Bash","tool_response":${response}}`;

describe("a body", () => {
  test("over 2 MB is 413, with or without a Content-Length", async () => {
    const long = toolUse(`"${"x".repeat(maxBodyBytes)}"`);
    expect((await post(long)).json()).toMatchObject({ error: { code: "payload_too_large" } });
    expect((await post(long)).statusCode).toBe(413);
    expect(world.calls).toEqual([]);
    expect((await post(toolUse('"ok"'))).statusCode).toBe(200);
  });

  test("just under 2 MB is taken", async () => {
    const frame = toolUse('""').length;
    expect((await post(toolUse(`"${"x".repeat(maxBodyBytes - frame)}"`))).statusCode).toBe(200);
  });

  test.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
    ["both", '[{"a":', "}]"],
  ])("nested too deep in %s is 400", async (_name, open, close) => {
    for (const depth of [65, 1000, 5000, 100_000, 300_000]) {
      if (depth * (open.length + close.length) > maxBodyBytes) continue;
      const answer = await post(toolUse(`${open.repeat(depth)}1${close.repeat(depth)}`));
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: { code: "nesting_too_deep" } });
    }
    expect(world.calls).toEqual([]);
  });

  test("nested 63 levels inside its object is taken", async () => {
    expect((await post(toolUse(`${"[".repeat(63)}${"]".repeat(63)}`))).statusCode).toBe(200);
  });

  test.each([["gzip"], ["deflate"], ["br"], ["gzip, identity"], [""]])(
    "with Content-Encoding %j is 415",
    async (encoding) => {
      const answer = await post(gzipSync(toolUse("1")), { "content-encoding": encoding });
      expect(answer.statusCode).toBe(415);
    },
  );

  test.each([
    ["cut off", '{"claudeSessionId":"c"'],
    ["a bare word", "hello"],
    ["two values", "{}{}"],
    ["NaN", toolUse("NaN")],
    ["a lone quote", '"'],
    ["a NUL", "\u0000"],
    ["single quotes", "{'a':1}"],
  ])("that is %s is 400 invalid_json", async (_name, body) => {
    const answer = await post(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code: "invalid_json" } });
    expect(answer.json().error.message).toMatch(/^The body is not valid JSON(?: at position \d+)?\.$/);
  });

  test.each([
    ["an array", "[]"],
    ["a number", "1"],
    ["null", "null"],
    ["a text", '"a"'],
  ])("that is %s is 400 invalid_request", async (_name, body) => {
    const answer = await post(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code: "invalid_request" } });
  });

  test("accepts a byte order mark, lone surrogate, huge number or duplicate key", async () => {
    for (const body of [
      `\ufeff${toolUse("1")}`,
      toolUse('"\\ud800"'),
      toolUse("1e999"),
      toolUse('{"a":1,"a":2}'),
    ]) {
      expect((await post(body)).statusCode).toBe(200);
    }
  });

  test("is read without halves of letters, which no database stores", () => {
    expect(parseBody('{"a":["x\\uD800","\\ud83d\\ude00"]}')).toEqual({ a: ["x\ufffd", "😀"] });
  });

  test("that is empty is fine where no field is needed, with a content type and without", async () => {
    expect((await post("", {}, "/sessions/1/complete")).statusCode).toBe(200);
    const bare = await world.app.inject({ method: "POST", url: "/sessions/1/complete", headers: local });
    expect(bare.statusCode).toBe(200);
  });
});

describe("a key that reaches into prototypes", () => {
  test.each([
    '{"__proto__":{"polluted":1}}',
    '{"\\u005f_proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"\\u0063onstructor":{"prototype":{}}}',
  ])("is refused at the top: %s", (body) => {
    expect(() => parseBody(body)).toThrow(expect.objectContaining({ code: "invalid_json" }));
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("is dropped inside what a tool said, and the rest is kept", () => {
    const body =
      '{"tool_response":{"__proto__":{"a":1},"list":[{"\\u005f_proto__":1,"b":2}],"constructor":{"prototype":1}}}';
    expect(parseBody(body)).toEqual({ tool_response: { list: [{ b: 2 }] } });
  });

  test("is only that: the same words in texts and harmless keys stay", () => {
    const value = { tool_response: { constructor: "Foo", note: "__proto__ and \u0070rototype" } };
    expect(parseBody(JSON.stringify(value))).toEqual(value);
  });
});
