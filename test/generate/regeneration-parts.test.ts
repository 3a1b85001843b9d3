import { expect, test } from "vitest";
import type { ClaimedMessage } from "../../src/core/records/messages.ts";
import { joinReplies, partsOf } from "../../src/generate/regeneration-parts.ts";

function message(id: number, chars = 10): ClaimedMessage {
  const tool_input = "x".repeat(chars);
  return {
    id,
    session_id: 1,
    message: { type: "observation", tool_name: "T", tool_input },
    created_at_epoch: 1,
    attempts: 0,
    failures: 0,
  };
}

const ids = (parts: ClaimedMessage[][]): number[][] => parts.map((part) => part.map(({ id }) => id));

test.each([
  ["by their number", { messages: 2, characters: 60_000 }, [[1, 2], [3, 4], [5]]],
  [
    "by their size",
    { messages: 20, characters: 250 },
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  ["not at all where they fit", { messages: 5, characters: 60_000 }, [[1, 2, 3, 4, 5]]],
  ["to one at least, whatever its size", { messages: 20, characters: 1 }, [[1], [2], [3], [4], [5]]],
])("messages are cut %s, in their order", (_how, limits, parts) => {
  expect(
    ids(
      partsOf(
        [1, 2, 3, 4, 5].map((id) => message(id)),
        limits,
      ),
    ),
  ).toEqual(parts);
});

test("the sizes begin anew with every part", () => {
  const messages = [message(1, 500), message(2, 10), message(3, 10), message(4, 500)];
  expect(ids(partsOf(messages, { messages: 20, characters: 250 }))).toEqual([[1], [2, 3], [4]]);
  expect(partsOf([], { messages: 20, characters: 250 })).toEqual([]);
});

test("two replies are one: all drafts in their order, and what both used", () => {
  const reply = (n: number) => ({
    observations: [{ title: `o${n}` } as never],
    summaries: [{ request: `s${n}` } as never],
    generator: `m-${n}`,
    usage: { inputTokens: n, outputTokens: 10 * n, cachedTokens: 100 * n },
  });
  expect(joinReplies(reply(1), reply(2))).toEqual({
    observations: [{ title: "o1" }, { title: "o2" }],
    summaries: [{ request: "s1" }, { request: "s2" }],
    generator: "m-2",
    usage: { inputTokens: 3, outputTokens: 30, cachedTokens: 300 },
  });
});
