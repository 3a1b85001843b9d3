import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/generate/model-client.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import { askedKinds } from "../../src/generate/writer/statement-kinds.ts";
import { createModelProvider } from "../../src/generate/writer.ts";
import {
  answerText,
  bash,
  batchOf,
  code,
  read,
  type Step,
  scriptedClient,
  summarizeMessage,
} from "./writer/support.ts";

const signal = new AbortController().signal;
const nothing = answerText([], null, { nothing: true });
const overflow = () => new ModelFailure("overflow", "The request is too long.");

function provider(...said: Step[]) {
  const { client, requests } = scriptedClient(...said);
  return { provider: createModelProvider({ client, mode: code }), requests };
}

const two = batchOf(read(31, "/home/user/shop/a.ts"), bash(32, "npm test", "12 passed"));

describe("a useful answer", () => {
  test("is one call, and its drafts name the claimed messages", async () => {
    const { provider: model, requests } = provider(answerText([{ sources: [2, 1] }]));
    const reply = await model.generate(two, signal);
    expect(requests).toHaveLength(1);
    expect(reply.observations).toHaveLength(1);
    expect(reply.observations[0]).toMatchObject({
      obs_type: "bugfix",
      sources: [31, 32],
      provenance: "file",
    });
    expect(reply.generator).toBe("model-1-full");
    expect(reply.usage).toEqual({ inputTokens: 100, outputTokens: 10, cachedTokens: 1 });
    expect(requests[0]?.about).toEqual({ sessionId: 1, project: "shop", messages: 2 });
    expect(model.name).toBe("primary");
  });

  test("that there is nothing to record is done with one call", async () => {
    const { provider: model, requests } = provider(nothing);
    expect(await model.generate(two, signal)).toMatchObject({ observations: [], summaries: [] });
    expect(requests).toHaveLength(1);
  });

  test("of which the JSON is whole counts, although the model was stopped", async () => {
    const { provider: model, requests } = provider({ text: `${nothing} And now`, stopped: "length" });
    await model.generate(two, signal);
    expect(requests).toHaveLength(1);
  });
});

describe("what a call carries", () => {
  test("the system text and the schema are the same from call to call", async () => {
    const { provider: model, requests } = provider(nothing);
    await model.generate(two, signal);
    await model.generate(batchOf(bash(1, "ls", "a")), signal);
    expect(requests[0]?.system).toBe(requests[1]?.system);
    expect(requests[0]?.schema).toBe(requests[1]?.schema);
    expect(requests[0]?.prompt).not.toBe(requests[1]?.prompt);
  });

  test("the schema has the mode's ids as choices and only basic keywords", async () => {
    const { provider: model, requests } = provider(nothing);
    await model.generate(two, signal);
    const schema = JSON.stringify(requests[0]?.schema);
    expect(schema).toContain(JSON.stringify(code.types.map(({ id }) => id)));
    expect(schema).toContain(JSON.stringify(code.concepts.map(({ id }) => id)));
    expect(schema).toContain(JSON.stringify(askedKinds));
    expect(schema).not.toMatch(/"(?:\$schema|minimum|maximum|minLength|pattern)":/);
  });
});

describe("a useless answer", () => {
  test.each(["", "{}", "Sure, done!", '{"observations":[]}', answerText([{ sources: [9] }])])(
    "is asked for afresh, with the reason and without a word of the answer: %j",
    async (useless) => {
      const { provider: model, requests } = provider(useless, nothing);
      const reply = await model.generate(two, signal);
      expect(requests).toHaveLength(2);
      expect(requests[0]?.prompt).not.toContain("could not be used");
      expect(requests[1]?.prompt).toContain("An earlier answer could not be used: ");
      if (useless !== "") expect(requests[1]?.prompt).not.toContain(useless);
      expect(reply.usage.inputTokens).toBe(200);
    },
  );

  test("is thrown as bad_answer when two fresh ones are no better", async () => {
    const { provider: model, requests } = provider("no JSON");
    await expect(model.generate(two, signal)).rejects.toMatchObject({ kind: "bad_answer" });
    expect(requests).toHaveLength(3);
  });

  test("for a message that failed before is not asked for afresh: its batch had that", async () => {
    const { provider: model, requests } = provider("no JSON");
    const again = { ...two, messages: two.messages.slice(0, 1).map((one) => ({ ...one, failures: 1 })) };
    await expect(model.generate(again, signal)).rejects.toMatchObject({ kind: "bad_answer" });
    expect(requests).toHaveLength(1);
  });

  test("of a model that is of no use to anybody is paid for once", async () => {
    const { provider: model, requests } = provider("no JSON");
    await expect(model.generate({ ...two, askOnce: true }, signal)).rejects.toMatchObject({
      kind: "bad_answer",
    });
    expect(requests).toHaveLength(1);
  });

  test("of the client itself, and a refusal, are asked for afresh too", async () => {
    const broken = new ModelFailure("bad_answer", "HTML came.");
    const { provider: model, requests } = provider(broken, { stopped: "refused" }, nothing);
    await model.generate(two, signal);
    expect(requests).toHaveLength(3);
    expect(requests[1]?.prompt).not.toContain("HTML");
  });
});

describe("too much for one call", () => {
  const eight = batchOf(...[1, 2, 3, 4, 5, 6, 7, 8].map((id) => bash(id * 10, `run ${id}`, "x".repeat(800))));
  const observeAll = (request: ModelRequest) => {
    const numbers = [...request.prompt.matchAll(/^\[(\d+)\]/gm)].map(([, number]) => Number(number));
    return answerText(numbers.map((number) => ({ title: `Observation ${number}`, sources: [number] })));
  };

  test.each([
    ["is shown shorter, and asked once more", overflow(), "characters left out"],
    [
      "that gave too long an answer asks for fewer records",
      { text: '{"o', stopped: "length" as const },
      "fewer",
    ],
  ])("a turn %s", async (_what, first, shown) => {
    const { provider: model, requests } = provider(first, observeAll);
    const reply = await model.generate(eight, signal);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.prompt).toContain(shown);
    expect(reply.observations.flatMap(({ sources }) => sources)).toEqual([10, 20, 30, 40, 50, 60, 70, 80]);
    expect(requests.every(({ about }) => about.sessionId === 1)).toBe(true);
  });

  test("a single message is shortened with a marker, and tried once more", async () => {
    const large = batchOf(bash(5, "cat all", `first ${"word ".repeat(3_000)} last`));
    const { provider: model, requests } = provider((request) =>
      request.prompt.length > 2_000 ? overflow() : observeAll(request),
    );
    const reply = await model.generate(large, signal);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.prompt).toMatch(/first[\s\S]*characters left out[\s\S]*last/);
    expect(reply.observations).toHaveLength(1);
  });

  test("a single shortened message that is still too much is thrown with its kind", async () => {
    const { provider: model, requests } = provider(overflow());
    await expect(model.generate(batchOf(bash(5, "a", "b")), signal)).rejects.toMatchObject({
      kind: "overflow",
    });
    expect(requests).toHaveLength(2);
    const cut = provider({ text: "{", stopped: "length" });
    await expect(cut.provider.generate(batchOf(bash(5, "a", "b")), signal)).rejects.toMatchObject({
      kind: "bad_answer",
      message: expect.stringContaining("cut off"),
    });
  });
});

describe("what the writer cannot fix", () => {
  test.each(["rate_limited", "quota", "auth", "unavailable", "timeout", "bad_request"] as const)(
    "%s is thrown immediately",
    async (kind) => {
      const { provider: model, requests } = provider(new ModelFailure(kind, "No."));
      await expect(model.generate(two, signal)).rejects.toMatchObject({ kind });
      expect(requests).toHaveLength(1);
    },
  );

  test("nothing is asked after the abort", async () => {
    const { provider: model, requests } = provider(nothing);
    await expect(model.generate(two, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
    expect(requests).toHaveLength(0);
  });
});

describe("statements", () => {
  const closing = summarizeMessage(2, "The build failed because the lock file was stale.");
  const cause = { kind: "cause", said_by: "agent", quote: "because the lock file was stale" };

  test("come with the summary, in the same call, behind the observations", async () => {
    const { provider: model, requests } = provider(
      answerText([{}], { request: "Fix it" }, { statements: [cause] }),
    );
    const reply = await model.generate(batchOf(bash(1, "ls", "a"), closing), signal);
    expect(requests).toHaveLength(1);
    expect(reply.observations).toMatchObject([
      { sources: [1] },
      { sources: [2], title: "The build failed because the lock file was stale.", provenance: "agent" },
    ]);
    expect(reply.summaries).toHaveLength(1);
  });
});
