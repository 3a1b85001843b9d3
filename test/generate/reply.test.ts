import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import { parseReply } from "../../src/generate/reply.ts";
import { longest } from "../../src/generate/writer/answer-words.ts";
import { volume } from "../helpers/volume.ts";
import {
  answerText,
  bash,
  batchOf,
  claimed,
  code,
  cwd,
  edit,
  read,
  summarizeMessage,
} from "./writer/support.ts";

const login = `${cwd}/src/login.ts`;
const batch = batchOf(
  read(11, `${cwd}/src/session.ts`),
  edit(12, login),
  bash(13, "npm test", "12 passed in test/login.test.ts"),
);
const parse = (text: string, of = batch) => parseReply(text, of, code);
const observed = (fields: Record<string, unknown>, of = batch) =>
  parse(answerText([fields]), of).observations[0];

describe("an answer is found", () => {
  const answer = answerText([{ title: "Found" }]);
  test.each([
    ["alone", answer],
    ["in a code fence", `\`\`\`json\n${answer}\n\`\`\``],
    ["between sentences", `Here you are: ${answer} I hope {that} helps.`],
    ["after braces that are none", `I use {braces} and { "a": 1 } first.\n${answer}`],
    ["behind a byte order mark and white space", `\uFEFF \n${answer}\n`],
    ["laid out", JSON.stringify(JSON.parse(answer), null, 4)],
  ])("%s", (_where, text) => {
    expect(parse(text).observations[0]?.title).toBe("Found");
  });
});

const withSummary = batchOf(bash(1, "ls", "a"), summarizeMessage(2));

describe("an answer that cannot be used is a bad_answer", () => {
  test.each<[string, string, typeof batch]>([
    ["empty", "", batch],
    ["prose", "I could not find anything.", batch],
    ["HTML", "<!DOCTYPE html><html>502 {bad} gateway</html>", batch],
    ["an empty object", "{}", batch],
    ["silence", '{"observations":[],"summary":null,"nothing":false}', batch],
    ["observations alone, and none", '{"observations":[]}', batch],
    ["a list", '[{"title":"a"}]', batch],
    ["another shape", '{"observations":{"title":7},"nothing":true}', batch],
    ["cut off", answerText([{}]).slice(0, -40), batch],
    ["nested without end", `{"observations":${"[".repeat(100_000)}`, batch],
    ["five hundred kilobytes", answerText([{ narrative: "x".repeat(500_000) }]), batch],
    ["more drafts than can be meant", answerText(Array.from({ length: 61 }, () => ({}))), batch],
    ["an observation of no message", answerText([{ sources: [] }]), batch],
    ["an observation of a message that was not sent", answerText([{ sources: [4, 0, -1, 1.5] }]), batch],
    ["an observation without a word", answerText([{ title: " \u200b", narrative: "", facts: [] }]), batch],
    ["no word of a turn, nor that it holds nothing", answerText([]), withSummary],
    [
      "an observation of the message that asks for a summary",
      answerText([{ sources: [2] }], { request: "a" }),
      withSummary,
    ],
  ])("%s", (_what, text, of) => {
    expect(() => parse(text, of)).toThrow(
      expect.objectContaining({ kind: "bad_answer", code: "provider_failed" }),
    );
  });

  test("and its message holds no word of it", () => {
    expect(() => parse("canary {canary}")).toThrow(/^(?!.*canary)/);
  });
});

describe("nothing to record", () => {
  test("is valid when it is said", () => {
    const none = { observations: [], summaries: [], closes: [] };
    expect(parse(answerText([], null, { nothing: true }))).toEqual(none);
    expect(parse('{"nothing":true}')).toEqual(none);
  });

  test("an answer that is blank says nothing, and is no answer", () => {
    const answers = [answerText([], { request: " " }), '{"observations":[],"summary":""}'];
    for (const text of answers) expect(() => parse(text, withSummary)).toThrow("neither records anything");
  });

  test.each([
    ["left out", answerText([{}])],
    ["empty", answerText([{}], { request: " " })],
  ])("a summary that is %s costs no other record", (_what, text) => {
    expect(parse(text, withSummary)).toMatchObject({ observations: [{ sources: [1] }], summaries: [] });
  });

  test("said beside observations does not take them away", () => {
    expect(parse(answerText([{}], null, { nothing: true })).observations).toHaveLength(1);
  });
});

describe("small slips are forgiven", () => {
  test("types and concepts in other spellings, unknown ones", () => {
    expect(
      observed({
        type: "Bug Fix",
        concepts: ["Problem_and solution", "how-it-works", "magic", "gotcha", "GOTCHA"],
      }),
    ).toMatchObject({ obs_type: "bugfix", concepts: ["problem-solution", "how-it-works", "gotcha"] });
    expect(observed({ type: "poem" })).toMatchObject({ obs_type: "discovery" });
    expect(observed({ type: null, concepts: null })).toMatchObject({ obs_type: "discovery", concepts: [] });
  });

  test("numbers as texts, one text for a list, missing fields", () => {
    expect(observed({ sources: ["2", "[3]", "x", 99] })).toMatchObject({ sources: [12, 13] });
    expect(observed({ sources: 3, facts: "one", subtitle: null })).toMatchObject({
      sources: [13],
      facts: ["one"],
    });
    expect(parse('{"observations":[{"title":"T","sources":[1]}]}').observations[0]).toEqual({
      obs_type: "discovery",
      title: "T",
      subtitle: null,
      summary: "T",
      narrative: null,
      facts: [],
      concepts: [],
      files_read: [`${cwd}/src/session.ts`],
      files_modified: [],
      provenance: "file",
      sources: [11],
      routine: true,
    });
  });

  test.each([
    ["a discovery of a read without facts", { sources: [1], type: "discovery", facts: [] }, true],
    ["a discovery with facts", { sources: [1], type: "discovery", facts: ["Leases last 60 s"] }, undefined],
    ["another type", { sources: [1], type: "decision", facts: [] }, undefined],
    ["a read and an edit", { sources: [1, 2], type: "discovery", facts: [] }, undefined],
  ])("%s: routine is %s", (_what, fields, routine) => {
    expect(observed(fields)?.routine).toBe(routine);
  });

  test("a lone message is the source of what was made of it", () => {
    expect(observed({ sources: [] }, batchOf(bash(7, "ls", "a")))).toMatchObject({ sources: [7] });
  });

  test("a title that is missing is the first sentence", () => {
    expect(observed({ title: "", narrative: "In login.ts the query got lost. More." })).toMatchObject({
      title: "In login.ts the query got lost.",
    });
  });
});

describe("files are the messages' own", () => {
  test("changed files come from the tools, whatever the model says", () => {
    expect(observed({ sources: [2], files_modified: [] })).toMatchObject({ files_modified: [login] });
    expect(observed({ sources: [3], files_modified: ["src/login.ts"] })).toMatchObject({
      files_modified: [],
    });
  });

  test("files that no message mentions fall out, others keep the spelling of the tool", () => {
    const files_read = [
      "src/session.ts",
      "./src/session.ts",
      "/etc/passwd",
      "test/login.test.ts",
      "in.test.ts",
      "a/session.ts",
    ];
    expect(observed({ sources: [1, 3], files_read })).toMatchObject({
      files_read: [`${cwd}/src/session.ts`, "test/login.test.ts"],
    });
  });

  test("a file that was changed is not listed as read too", () => {
    expect(observed({ sources: [2], files_read: ["src/login.ts"] })).toMatchObject({
      files_read: [],
      files_modified: [login],
    });
  });
});

test("what was made of a page or of an MCP server says so", () => {
  const use = (id: number, tool_name: string) =>
    claimed(id, {
      type: "observation",
      tool_name,
      tool_input: { url: "https://a.example" },
      tool_response: "x",
      cwd,
    });
  const mixed = batchOf(read(1, login), use(2, "WebFetch"), use(3, "mcp__tracker__get"));
  const provenance = (...sources: number[]) => observed({ sources }, mixed)?.provenance;
  expect([provenance(1), provenance(1, 2), provenance(1, 3), provenance(2, 3)]).toEqual([
    "file",
    "web",
    "mcp",
    "web",
  ]);
});

describe("words", () => {
  test("secrets, private parts and what moves a terminal are taken out, before the cut", () => {
    const key = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
    const draft = observed({
      title: `Key ${key} found\u202e\u001b[31m`,
      subtitle: "<private>canary</private>kept",
      narrative: `${"word ".repeat(395)} ${key}`,
      facts: [`token: ${key}`, "a\u0000b\ud800c", "  "],
    });
    expect(JSON.stringify(draft)).not.toMatch(/ghp_|canary|u202e|u001b|u0000|ud800/);
    expect(draft).toMatchObject({ title: "Key [redacted:github-token] found", subtitle: "kept" });
    expect(draft?.facts).toHaveLength(2);
  });

  test("lengths and counts are capped", () => {
    const long = "word ".repeat(600);
    const draft = observed({
      title: long,
      subtitle: long,
      narrative: long,
      facts: Array(50)
        .fill(0)
        .map((_, n) => `${n} ${long}`),
    });
    expect(draft?.title.length).toBeLessThanOrEqual(longest.title);
    expect(draft?.subtitle?.length).toBeLessThanOrEqual(longest.subtitle);
    expect(draft?.narrative?.length).toBeLessThanOrEqual(longest.narrative);
    expect(draft?.summary.length).toBeLessThanOrEqual(longest.summary);
    expect(draft?.facts).toHaveLength(longest.facts);
  });

  test("other scripts stay as they are", () => {
    const title = "ログイン後のクエリを保持 — यह काम करता है — می‌خواهم 👩‍👩‍👧";
    expect(observed({ title, narrative: "クエリが失われた。今は保持される。" })).toMatchObject({
      title,
      summary: "クエリが失われた。",
    });
  });
});

test("drops an observation of nothing but the request for a summary", () => {
  const of = batchOf(bash(11, "ls", "a"), summarizeMessage(12));
  const summary = { request: "a" };
  const reply = parse(answerText([{ sources: [1, 2] }, { title: "Other", sources: [2] }], summary), of);
  expect(reply.observations).toMatchObject([{ sources: [11] }]);
  expect(reply.summaries).toHaveLength(1);
  const alone = parse(answerText([{ sources: [1] }], summary), batchOf(summarizeMessage(12)));
  expect(alone).toMatchObject({ observations: [], summaries: [{ source: 12 }] });
  const lost = () => parse(answerText([{ sources: [2] }], summary), of);
  expect(lost).toThrow("name only messages that ask for a summary");
});

test("a summary keeps what messages and mode have, and is dropped if unasked", () => {
  const of = batchOf(edit(22, login), summarizeMessage(23, "I changed src/login.ts."));
  const files_modified = ["src/login.ts", "/etc/passwd"];
  const summary = { request: "Fix it", next_steps: "Ship it", concepts: ["gotcha", "x"], files_modified };
  expect(parse(answerText([], summary), of).summaries).toMatchObject([
    {
      ...{ source: 23, request: "Fix it", next_steps: "Ship it", learned: null },
      ...{ concepts: ["gotcha"], files_modified: [login] },
    },
  ]);
  expect(parse(answerText([{}], summary)).summaries).toEqual([]);
});

describe("whatever comes, it throws nothing but bad_answer and keeps every cap", () => {
  const word = fc.constantFrom(
    "observations",
    "summary",
    "nothing",
    "title",
    "sources",
    "type",
    "facts",
    "__proto__",
    "statements",
    "request",
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("bugfix", "src/login.ts", "\u202e\u0000", "<private>", "1"),
      fc.integer({ min: -2, max: 5 }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(word, fc.string()), tie("any"), { maxKeys: 6 }),
    ),
  })).any;
  const observation = fc.record(
    {
      type: value,
      title: value,
      subtitle: value,
      narrative: value,
      facts: value,
      concepts: value,
      files_read: value,
      files_modified: value,
      sources: value,
    },
    { requiredKeys: [] },
  );
  const shaped = fc.record({
    observations: fc.oneof(value, fc.array(observation, { maxLength: 3 })),
    summary: fc.oneof(value, fc.record({ request: value, facts: value }, { requiredKeys: [] })),
    statements: value,
    nothing: value,
  });
  const good = answerText([{}, { sources: [2, 3] }]);
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    value.map((any) => JSON.stringify(any) ?? ""),
    shaped.map((any) => JSON.stringify(any)),
    fc.nat(good.length).map((length) => good.slice(0, length)),
    fc
      .tuple(fc.nat(good.length), fc.string({ maxLength: 3 }))
      .map(([at, put]) => good.slice(0, at) + put + good.slice(at + 1)),
    fc
      .tuple(fc.string(), shaped, fc.string())
      .map(([before, any, after]) => `${before}${JSON.stringify(any)}${after}`),
  );
  const batches = fc.constantFrom(
    batch,
    batchOf(bash(1, "ls", "a")),
    batchOf(edit(1, login), summarizeMessage(2)),
  );

  it("for any text", () => {
    let useful = 0;
    const property = fc.property(text, batches, (answer, of) => {
      const reply = outcome(() => parse(answer, of));
      if (reply instanceof ModelFailure) {
        expect(reply.kind).toBe("bad_answer");
        return;
      }
      useful += 1;
      const ids = of.messages.map(({ id }) => id);
      for (const draft of reply.observations) {
        expect(draft.title.length).toBeGreaterThan(0);
        expect(draft.title.length).toBeLessThanOrEqual(longest.title);
        expect(code.types.map(({ id }) => id)).toContain(draft.obs_type);
        expect(draft.sources.length).toBeGreaterThan(0);
        for (const source of draft.sources) expect(ids).toContain(source);
        expect(JSON.stringify(draft)).not.toMatch(/\\u0000|\u202e|\ud800(?![\udc00-\udfff])/);
      }
      const asked = of.messages.filter(({ message }) => message.type === "summarize").map(({ id }) => id);
      for (const { source } of reply.summaries) expect(asked).toContain(source);
    });
    const numRuns = volume(1_500, 400);
    fc.assert(property, { numRuns });
    expect(useful).toBeGreaterThan(numRuns / 25 - 10);
  });

  function outcome<T>(run: () => T): T | ModelFailure {
    try {
      return run();
    } catch (error) {
      if (error instanceof ModelFailure) return error;
      throw error;
    }
  }
});
