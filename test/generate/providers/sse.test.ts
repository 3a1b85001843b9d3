import { describe, expect, test } from "vitest";
import { readMessages } from "../../../src/generate/providers/primary.ts";
import { answerSchema } from "../../../src/generate/providers/schemas.ts";
import { eventTexts, parsePayloads } from "../../../src/generate/providers/sse.ts";

describe("a stream of events", () => {
  test.each([
    ["lines of every ending", "data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n", ["1", "2", "3"]],
    ["comments and other fields", ": hello\nevent: a\nid: 7\nretry: 9\ndata: 1\n\n: bye\n\n", ["1"]],
    ["a text over several lines", "data: a\ndata:b\ndata:  c\n\n", ["a\nb\n c"]],
    ["a last event without an empty line", "data: 1\n\ndata: 2", ["1", "2"]],
    ["an event without a text", "event: ping\n\n", []],
  ])("%s", (_what, text, events) => {
    expect(eventTexts(text)).toEqual(events);
  });

  test("is recognised by its type or by its text", () => {
    const events = 'data: {"a":1}\n\ndata: [DONE]\n\ndata: not read any more';
    for (const [type, text] of [
      ["text/event-stream", events],
      ["application/json", `\n: wait\n\n${events}`],
    ] as const) {
      expect(parsePayloads(type, text)).toEqual({ objects: [{ a: 1 }], streamed: true, done: true });
    }
  });

  test.each([
    ["text/event-stream", "data: {broken\n\n"],
    ["text/event-stream", "data: 7\n\n"],
    ["text/event-stream", ": nothing else\n\n"],
    ["application/json", ""],
    ["application/json", "null"],
    ["application/json", "[]"],
    ["application/json", '"text"'],
    ["application/json", "{"],
  ])("%s with %j cannot be used, and what it says is not repeated", (type, text) => {
    expect(() => parsePayloads(type, text)).toThrow(
      expect.objectContaining({ kind: "bad_answer", message: expect.not.stringContaining("broken") }),
    );
  });
});

test("blocks of thinking are no part of a message's text", () => {
  const found = readMessages([
    {
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      stop_reason: "end_turn",
      usage: {
        input_tokens: 5,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 1_000,
        output_tokens: 2,
      },
    },
  ]);
  expect(found).toMatchObject({
    text: "ab",
    stopped: "end",
    usage: { inputTokens: 1_105, cachedTokens: 1_000, outputTokens: 2 },
  });
});

test.each([
  ["application/json", "\n<!DOCTYPE html><p>Sign in"],
  ["text/html; charset=utf-8", "<!-- portal --><body>Sign in"],
])("a page that came as %s is called one, in none of its words", (contentType, text) => {
  const refused = { kind: "bad_answer", message: expect.stringMatching(/^(?!.*Sign in).*an HTML page/) };
  expect(() => parsePayloads(contentType, text)).toThrow(expect.objectContaining(refused));
  expect(parsePayloads("text/html", '{"a":1}').objects).toEqual([{ a: 1 }]);
});

test("a schema keeps what all vendors know, and its objects have all that they name", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      list: {
        type: "array",
        maxItems: 3,
        items: { type: "object", properties: { type: { type: "string", enum: ["a"], maxLength: 9 } } },
      },
      properties: { anyOf: [{ type: "string", pattern: "x" }, { type: "null" }] },
      one: { const: 1 },
    },
    required: ["list"],
  };
  expect(answerSchema(schema)).toEqual({
    type: "object",
    properties: {
      list: {
        type: "array",
        items: {
          type: "object",
          properties: { type: { type: "string", enum: ["a"] } },
          required: ["type"],
          additionalProperties: false,
        },
      },
      properties: { anyOf: [{ type: "string" }, { type: "null" }] },
      one: { enum: [1] },
    },
    required: ["list", "properties", "one"],
    additionalProperties: false,
  });
  expect(answerSchema(schema)).toBe(answerSchema(schema));
});
