import { describe, expect, test } from "vitest";
import type { Turn } from "../../../src/core/records/turn.ts";
import { parseReply } from "../../../src/generate/reply.ts";
import { longest } from "../../../src/generate/writer/answer-words.ts";
import { loadMode } from "../../../src/settings/modes/load-mode.ts";
import { bad, ok, turnOf } from "../../statements/turn-support.ts";
import { answerText, batchOf, claimed, code } from "./support.ts";

const prompt = "Fix the export. We use pnpm here, never npm.";
const closing = "The export lost its header because writeRow ran before the stream was open.";

const summarize = claimed(7, {
  type: "summarize",
  last_user_message: prompt,
  last_assistant_message: closing,
});

interface Answered {
  confirmed?: unknown;
  hasProposals?: boolean;
  of?: ReturnType<typeof batchOf>;
  mode?: typeof code;
}

/** The observations that an answer with these statements leaves; proposals of rules only when they are asked for. */
function stated(
  statements: unknown,
  { of = batchOf(summarize), mode = code, confirmed, hasProposals = false }: Answered = {},
) {
  const answer = answerText([], { request: "Fix it" }, { statements, confirmed });
  const { observations } = parseReply(answer, of, mode);
  return observations.filter(
    ({ statement }) => hasProposals || statement?.kind !== "rule" || statement.standing,
  );
}

/** A batch with this turn. */
function batchWith(turn: Turn) {
  return { ...batchOf(summarize), turn };
}

const rule = {
  kind: "rule",
  said_by: "user",
  quote: "We use pnpm here, never npm.",
  title: "Package manager",
  standing: true,
  reach: "project",
};
const cause = {
  ...rule,
  kind: "cause",
  said_by: "agent",
  quote: "because writeRow ran before the stream was open",
};

describe("a statement of the model is an observation", () => {
  test("with the user's words, the marks of a rule, and the message as its source", () => {
    expect(stated([rule])).toEqual([
      {
        obs_type: "decision",
        title: rule.quote,
        subtitle: null,
        summary: rule.quote,
        narrative: null,
        facts: [],
        concepts: ["gotcha"],
        files_read: [],
        files_modified: [],
        provenance: "user",
        sources: [7],
        statement: { said_by: "user", kind: "rule", standing: true, reach: "project", salience: 4 },
      },
    ]);
  });

  test("with what it is about as the subtitle, unless it is a rule", () => {
    expect(stated([rule, { ...cause, title: "CSV header missing" }])).toMatchObject([
      { obs_type: "decision", subtitle: null },
      {
        obs_type: "bugfix",
        subtitle: "CSV header missing",
        concepts: ["problem-solution"],
        provenance: "agent",
      },
    ]);
  });

  test("with a short title where the quotation is long", () => {
    const long = `Every migration ${"that changes a table of the billing service ".repeat(5)}needs a second review.`;
    const of = batchWith({ ...turnOf([]), prompt: long });
    const [draft] = stated([{ ...rule, quote: long }], { of });
    expect(draft?.title.length).toBeLessThanOrEqual(longest.title);
    expect([draft?.summary, draft?.narrative]).toEqual([long, long]);
  });

  test("of the turn that the queue read, not of the message", () => {
    const of = batchWith({ ...turnOf([]), prompt: "Never touch generated files." });
    const drafts = stated([{ ...rule, quote: "never touch generated files" }, rule], { of });
    expect(drafts.map(({ title }) => title)).toEqual(["Never touch generated files."]);
  });

  test.each([
    ["research", "conclusion", []],
    ["chill", "decision", ["gotcha"]],
    ["email-investigation", "conclusion", []],
  ])("in the mode %s, with a type and the concepts that the mode has", (name, obs_type, concepts) => {
    expect(stated([rule], { mode: loadMode(name) })).toMatchObject([{ obs_type, concepts }]);
  });
});

describe("what the model passes over", () => {
  const certain = "From now on always run every database migration in a transaction, never outside of one.";

  test.each<[string, unknown, boolean]>([
    ["stays a proposal where it is a candidate", [], false],
    ["is a rule where the model confirms the candidate", [1], true],
    ["stays a proposal where another number is confirmed", [2, 0, -1, "x"], false],
  ])("%s, and is never there twice", (_what, confirmed, standing) => {
    const of = batchWith({ ...turnOf([]), prompt: certain });
    const given = { of, confirmed, hasProposals: true };
    expect(stated([], given)).toMatchObject([{ title: certain, statement: { standing, kind: "rule" } }]);
    expect(stated([{ ...rule, quote: certain }], given)).toMatchObject([{ statement: { standing: true } }]);
    expect(stated([{ ...rule, quote: certain, standing: false }], given)).toHaveLength(1);
  });

  test("is no rule where an agent wrote the prompt", () => {
    const ofAgent = claimed(7, { type: "summarize", last_user_message: certain, agent_id: "a1" });
    expect(stated([], { of: batchOf(ofAgent) })).toEqual([]);
  });

  test("is kept where a command failed and another passed, in words that show both", () => {
    const working = "JAVA_HOME=/opt/jdk-17 mvn verify";
    const of = batchWith(turnOf([bad("mvn verify"), ok(working)]));
    const claim = { ...rule, kind: "fix", said_by: "tool", quote: working };
    for (const statements of [[], [claim]]) {
      const drafts = stated(statements, { of });
      expect(drafts).toHaveLength(1);
      expect(drafts[0]).toMatchObject({ obs_type: "bugfix", provenance: "command", sources: [7, 1, 2] });
      expect(drafts[0]?.statement?.families).toContain("mvn verify");
      expect(drafts[0]?.summary).toContain(working);
    }
  });
});

test.each([
  ["none", 0],
  [{ a: 1 }, 0],
  [null, 0],
  [7, 0],
  [[null, "a text", { ...cause, quote: ["no text"] }, cause], 1],
])("statements of another shape cost nothing but themselves: %j", (statements, count) => {
  const of = batchOf(claimed(7, { type: "summarize", last_assistant_message: closing }));
  expect(stated(statements, { of })).toHaveLength(count);
});
