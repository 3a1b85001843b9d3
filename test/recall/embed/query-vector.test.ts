import { expect, test } from "vitest";
import { MemError } from "../../../src/core/errors.ts";
import { type Embedder, EmbedFailure } from "../../../src/recall/embed/embedder.ts";
import { createQueryVectors } from "../../../src/recall/embed/query-vector.ts";

function open(answer: (text: string, signal: AbortSignal) => Promise<Float32Array[]>) {
  let now = 0;
  const asked: string[] = [];
  const embedder: Embedder = {
    identity: { embedder: "http", model: "m" },
    batch: 8,
    async embed([text = ""], _role, signal) {
      asked.push(text);
      return answer(text, signal);
    },
    close: async () => undefined,
  };
  const clock = { now: () => now, monotonicMs: () => now };
  const queries = createQueryVectors({ clock, deadlineMs: 50, pauseMs: 1_000 });
  return {
    asked,
    of: (text: string) => queries.of(embedder, text),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("the newest questions are kept, the oldest are asked again", async () => {
  const { of, asked } = open(async (text) => [Float32Array.from([text.length, 1])]);
  for (let at = 0; at < 130; at++) await of(`question ${at}`);
  await of("question 129");
  expect(asked).toHaveLength(130);
  await of("question 0");
  expect(asked).toHaveLength(131);
});

test("after a failure nothing is asked for a while, then again", async () => {
  let down = true;
  const { of, asked, pass } = open(async () => {
    if (down) throw new EmbedFailure("unavailable", "down");
    return [Float32Array.from([1, 1])];
  });
  await expect(of("one")).rejects.toThrow("down");
  await expect(of("two")).rejects.toThrow("down");
  expect(asked).toEqual(["one"]);
  down = false;
  pass(1_001);
  await expect(of("two")).resolves.toHaveLength(2);
});

test.each(["unavailable", "refused"] as const)("one that is always %s is asked ever less", async (kind) => {
  const { of, asked, pass } = open(async () => {
    throw new EmbedFailure(kind, "no");
  });
  for (let search = 0; search < 600; search++, pass(1_000))
    await Promise.all(["a", "b"].map((text) => expect(of(`${text} ${search}`)).rejects.toThrow("no")));
  expect(asked.length).toBeLessThan(15);
});

test("a text that is refused stops no other", async () => {
  const { of } = open(async (text) => {
    if (text === "bad") throw new EmbedFailure("refused", "no");
    return [Float32Array.from([1, 1])];
  });
  await expect(of("bad")).rejects.toThrow("no");
  await expect(of("good")).resolves.toHaveLength(2);
});

test("questions that fail beside each other are one failure", async () => {
  let down = true;
  const { of, pass } = open(async () => {
    if (down) throw new EmbedFailure("unavailable", "down");
    return [Float32Array.from([1, 1])];
  });
  await Promise.allSettled(Array.from({ length: 7 }, (_, at) => of(`question ${at}`)));
  down = false;
  pass(1_001);
  await expect(of("later")).resolves.toHaveLength(2);
});

test("an embedder that is too slow is not waited for", async () => {
  const { of } = open(
    (_text, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new MemError("cancelled")));
      }),
  );
  await expect(of("one")).rejects.toThrow("no answer within 0.05 s");
});
