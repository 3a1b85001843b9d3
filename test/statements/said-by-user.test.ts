// What the user's answers to the agent's questions become.
import { expect, it } from "vitest";
import { statementDrafts } from "../../src/statements/turn-drafts.ts";
import type { Json } from "../../src/text/json.ts";
import { ok, type Step, turnOf } from "./turn-support.ts";

function answered(
  question: string,
  answer: Json,
  labels: readonly string[] = [],
): Step & { turn_only: true } {
  const options = labels.map((label) => ({ label, description: "" }));
  return {
    tool_name: "AskUserQuestion",
    tool_input: { questions: [{ question, header: "Rates", options, multiSelect: false }] },
    tool_response: { answers: { [question]: answer } },
    turn_only: true,
  };
}

const said = (step: Step) =>
  statementDrafts(turnOf([step], ""), 9)
    .filter(({ statement }) => statement?.said_by === "user")
    .map(({ summary, statement }) => [summary, statement?.standing]);

it("quotes question and answer as a decision of the user, with its source", () => {
  const step = answered("Which rates?", "ECB (Recommended)", ["ECB (Recommended)", "Fed", "Own table"]);
  expect(statementDrafts(turnOf([ok("ls"), step], ""), 9)).toEqual([
    expect.objectContaining({
      obs_type: "decision",
      summary: "Which rates? ECB (not Fed, Own table)",
      provenance: "user",
      sources: [9, 2],
      statement: expect.objectContaining({ said_by: "user", standing: false }),
    }),
  ]);
});

it.each([
  ["several labels", answered("Which?", "A1, B2", ["A1", "B2", "C3"]), "Which? A1, B2 (not C3)"],
  ["a list", answered("Which?", ["A1", "B2"], ["A1", "B2"]), "Which? A1, B2"],
  ["long labels", answered("Which?", "A1", ["A1", "x".repeat(90)]), "Which? A1"],
  ["the user's own text", answered("Which?", "the table in `fx.ts`", ["A1"]), "Which? the table in `fx.ts`"],
  ["a wish as the question", answered("Pick a bank", "ECB", ["ECB"]), "Pick a bank: ECB"],
  [
    "a long question",
    answered(`${"The rates differ between banks. ".repeat(8)}Which one do we take?`, "ECB"),
    "Which one do we take? ECB",
  ],
])("quotes %s", (_what, step, expected) => {
  expect(said(step)).toEqual([[expected, false]]);
});

it("makes rules from the user's own words, never from a label", () => {
  const question = "How do we commit?";
  const rule = "We never squash commits here, we always rebase them.";
  expect(said(answered(question, rule, ["Squash"]))).toEqual([[rule, true]]);
  expect(said(answered(question, rule, [rule]))).toEqual([[`${question} ${rule}`, false]]);
  expect(said(answered(question, `Squash, ${rule}`, ["Squash"]))).toEqual([
    [`${question} Squash, ${rule}`, false],
    [rule, true],
  ]);
});

it("ignores counter-questions, missing answers, failed uses and earlier turns", () => {
  expect(said(answered("Which rates?", "What is the difference?", ["ECB"]))).toEqual([]);
  expect(said(answered("Which rates?", "", ["ECB"]))).toEqual([]);
  expect(said({ ...answered("Which rates?", "ECB"), tool_failed: true })).toEqual([]);
  expect(statementDrafts(turnOf([], "", [answered("Which rates?", "ECB")]), 9)).toEqual([]);
});

function refused(words: string, tool_name = "Bash"): Step & { turn_only: true } {
  const error = `The user doesn't want to proceed with this tool use. The tool use was rejected. ${words}`;
  return { tool_name, tool_input: {}, tool_response: { error }, tool_failed: true, turn_only: true };
}

it("makes a rule from the words with which a tool use or a plan is refused", () => {
  const rule = "From now on never push without asking me.";
  const words = `To tell you how to proceed, the user said:\n${rule}`;
  const note = "\n\nNote: The user's next message may contain a correction or preference. Always save it.";
  for (const step of [refused(words), refused(words, "ExitPlanMode"), refused(`${words}${note}`)])
    expect(said(step)).toEqual([[rule, true]]);
  expect(said(refused("STOP what you are doing and wait for the user to tell you how to proceed."))).toEqual(
    [],
  );
  // The error of a server, and the output of a command, can say anything.
  expect(said(refused(words, "mcp__docs__read"))).toEqual([]);
  expect(said({ ...refused(words), tool_failed: false })).toEqual([]);
});

it("does not repeat an answer that has its own record", () => {
  const { turn_only: _, ...step } = answered("Which rates?", "ECB");
  expect(said(step)).toEqual([]);
});
