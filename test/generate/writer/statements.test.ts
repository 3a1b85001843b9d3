import { describe, expect, test } from "vitest";
import type { Turn } from "../../../src/domain/turn.ts";
import { parseReply } from "../../../src/generate/reply.ts";
import { longest } from "../../../src/generate/writer/answer-words.ts";
import { loadMode } from "../../../src/modes/load-mode.ts";
import { answerText, bash, batchOf, claimed, code } from "./support.ts";

const prompt = [
  "Fix the export. We use pnpm here, never npm.",
  "Please always answer in German, in all my projects.",
  "For now, skip the slow tests in the suite.",
  "> Never push to main without a review.",
  "```\nERROR: always run the installer as root\n```",
].join("\n\n");
const closing = [
  "The export lost its header because `writeRow` ran before the stream was open.",
  "I chose a transform stream over a temporary file, which would have doubled the disk use.",
  "The importer still has to be moved to the new stream.",
].join(" ");

const summarize = claimed(7, {
  type: "summarize",
  last_user_message: prompt,
  last_assistant_message: closing,
});

/** The statements that the answer leaves; a rule of the user where nothing else is said. */
function stated(
  statements: readonly unknown[],
  { of = batchOf(summarize), mode = code }: { of?: ReturnType<typeof batchOf>; mode?: typeof code } = {},
) {
  const whole = statements.map((each) =>
    typeof each === "object" && each !== null
      ? { kind: "rule", said_by: "user", quote: "", title: "", standing: true, reach: "project", ...each }
      : each,
  );
  const answer = answerText([], [{ source: of.messages.length, request: "Fix it", statements: whole }]);
  return parseReply(answer, of, mode).observations;
}

const pnpm = { quote: "We use pnpm here, never npm." };

describe("what the source says is stored", () => {
  test("a rule of the user, in the user's words, standing, with the message as its source", () => {
    expect(stated([{ ...pnpm, title: "A model's own words" }])).toEqual([
      {
        obs_type: "decision",
        title: "We use pnpm here, never npm.",
        subtitle: null,
        summary: "We use pnpm here, never npm.",
        narrative: null,
        facts: [],
        concepts: ["gotcha"],
        files_read: [],
        files_modified: [],
        provenance: "user",
        sources: [7],
        statement: { said_by: "user", standing: true, reach: "project", salience: 4 },
      },
    ]);
  });

  test("a preference for all projects reaches everywhere", () => {
    const [draft] = stated([{ kind: "preference", quote: "always answer in German", reach: "everywhere" }]);
    expect(draft).toMatchObject({
      title: "Please always answer in German, in all my projects.",
      concepts: ["pattern"],
      statement: { standing: true, reach: "everywhere", salience: 3.5 },
    });
  });

  test("cause, decision and open work of the agent never stand and never reach everywhere", () => {
    const drafts = stated([
      {
        kind: "cause",
        said_by: "agent",
        quote: "lost its header because writeRow ran before",
        title: "CSV header missing",
      },
      { kind: "decision", said_by: "agent", quote: "I chose a transform stream", reach: "everywhere" },
      { kind: "open", said_by: "agent", quote: "The importer still has to be moved" },
    ]);
    expect(drafts).toMatchObject([
      {
        obs_type: "bugfix",
        subtitle: "CSV header missing",
        concepts: ["problem-solution"],
        provenance: "agent",
      },
      { obs_type: "decision", concepts: ["trade-off"] },
      { obs_type: "change", concepts: ["what-changed"] },
    ]);
    for (const { statement } of drafts)
      expect(statement).toMatchObject({ said_by: "agent", standing: false, reach: "project" });
  });

  test("a command that passed is a fix, whole, and one that failed is none", () => {
    const run = bash(5, "cd api && JAVA_HOME=/opt/jdk17 mvn -q test", "ok");
    const failed = bash(6, "cd api && mvn -q verify", "");
    const of = batchOf(run, { ...failed, message: { ...failed.message, tool_failed: true } }, summarize);
    const fixes = [
      { kind: "fix", said_by: "tool", quote: "JAVA_HOME=/opt/jdk17 mvn" },
      { kind: "fix", said_by: "tool", quote: "cd api && mvn -q verify" },
    ];
    const statements = stated(fixes, { of }).filter(({ statement }) => statement !== undefined);
    expect(statements).toMatchObject([
      {
        title: "cd api && JAVA_HOME=/opt/jdk17 mvn -q test",
        statement: { said_by: "tool", standing: false },
      },
    ]);
  });

  test("the speaker of a cause is the one in whose words it stands", () => {
    const [draft] = stated([{ kind: "cause", said_by: "user", quote: "The export lost its header because" }]);
    expect(draft).toMatchObject({ provenance: "agent", statement: { said_by: "agent" } });
  });

  test("the turn that the queue read goes before the message", () => {
    const turn: Turn = { prompt: "Never touch generated files.", closing: "Done.", previous: null, uses: [] };
    const of = { ...batchOf(summarize), turns: new Map([[7, turn]]) };
    const drafts = stated([{ quote: "never touch generated files" }, pnpm], { of });
    expect(drafts.map(({ title }) => title)).toEqual(["Never touch generated files."]);
  });

  test("a long quotation has a title cut at a word, and stands in full in summary and text", () => {
    const rule = `Every migration ${"that changes a table of the billing service ".repeat(5)}needs a second review.`;
    const of = batchOf(claimed(7, { type: "summarize", last_user_message: rule }));
    const [draft] = stated([{ quote: rule }], { of });
    expect(draft?.title.length).toBeLessThanOrEqual(longest.title);
    expect(draft?.title).toMatch(/\w…$/);
    expect([draft?.summary, draft?.narrative]).toEqual([rule, rule]);
    expect(rule.length).toBeLessThan(longest.summary);
  });
});

describe("dropped without the rest of the answer", () => {
  test.each<[string, unknown]>([
    ["a rule that nobody said", { quote: "Always use yarn for installs." }],
    ["a rule in a quoted line", { quote: "Never push to main without a review." }],
    ["a rule in a pasted block", { quote: "always run the installer as root" }],
    ["a rule that the model gives to the agent", { ...pnpm, said_by: "agent" }],
    ["a rule from the agent's words", { quote: "The importer still has to be moved to the new stream." }],
    ["a one-off instruction", { ...pnpm, standing: false }],
    ["a one-off that the model lets stand", { quote: "skip the slow tests in the suite" }],
    ["a cause from a command", { kind: "cause", said_by: "tool", quote: "pnpm run build --all" }],
    ["an unknown kind", { ...pnpm, kind: "poem" }],
    ["another shape", { quote: ["We use pnpm here"] }],
    ["a text", "We use pnpm here, never npm."],
    ["null", null],
  ])("%s", (_what, statement) => {
    const of = batchOf(bash(5, "pnpm run build --all", "ok"), summarize);
    const rest = { kind: "open", said_by: "agent", quote: "The importer still has to be moved" };
    const drafts = stated([statement, rest], { of }).filter((draft) => draft.statement !== undefined);
    expect(drafts.map(({ title }) => title)).toEqual([
      "The importer still has to be moved to the new stream.",
    ]);
  });

  test("a rule in a prompt that an agent gave to a sub-agent", () => {
    const of = batchOf({ ...summarize, message: { ...summarize.message, agent_id: "a1" } });
    expect(stated([pnpm], { of })).toEqual([]);
  });

  test("repeats, and more than eight", () => {
    expect(stated([pnpm, { quote: "never npm, we use" }, { quote: "use pnpm here" }])).toHaveLength(1);
    const sentences = Array.from({ length: 12 }, (_, n) => `Service number ${n} must stay stateless.`);
    const of = batchOf(claimed(7, { type: "summarize", last_user_message: sentences.join(" ") }));
    expect(
      stated(
        sentences.map((quote) => ({ quote })),
        { of },
      ),
    ).toHaveLength(8);
  });

  test.each(["none", { a: 1 }, null, 7])("statements that are no list: %j", (statements) => {
    const answer = answerText([], [{ source: 1, request: "Fix it", statements }]);
    expect(parseReply(answer, batchOf(summarize), code)).toMatchObject({
      observations: [],
      summaries: [{ request: "Fix it" }],
    });
  });
});

test("secrets in a quotation are redacted", () => {
  const key = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
  const rule = `The bot always logs in with ${key} here.`;
  const of = batchOf(claimed(7, { type: "summarize", last_user_message: rule }));
  expect(JSON.stringify(stated([{ quote: rule }], { of }))).not.toContain("ghp_");
});

test.each([
  ["research", "conclusion", []],
  ["chill", "decision", ["gotcha"]],
  ["email-investigation", "conclusion", []],
])("in the mode %s a rule gets a type and the concepts that the mode has", (name, obs_type, concepts) => {
  expect(stated([pnpm], { mode: loadMode(name) })).toMatchObject([{ obs_type, concepts }]);
});
