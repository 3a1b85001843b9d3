// Sub-agents, plans, questions: what their observation says.
import { expect, it } from "vitest";
import type { Json } from "../../../../src/text/json.ts";
import { expectRow, observed, type Row } from "./support.ts";

const rows: Row[] = [
  [
    { tool: "Task", input: { description: "直す" }, response: "修正しました。" },
    'Sub-agent answered "直す": 修正しました。',
    { summary: 'Sub-agent answered "直す": 修正しました。', facts: ["Answer: 修正しました。"] },
  ],
  [
    {
      tool: "Task",
      input: { description: "Find callers", prompt: "Find every caller of claim.", subagent_type: "Explore" },
      response: {
        status: "completed",
        content: [{ type: "text", text: "Three callers.\n\n- src/w.ts:9 holds it for 60 s" }],
      },
    },
    'Explore agent answered "Find callers": Three callers.',
    { provenance: "agent", facts: ["Task: Find every caller of claim.", "Answer: Three callers."] },
  ],
  [
    {
      tool: "Agent",
      input: { description: "look", prompt: "do it" },
      response: { isAsync: true, status: "async_launched" },
    },
    "Started sub-agent in the background: look",
  ],
  [
    {
      tool: "sessions_spawn",
      input: { task: "Count the wombats in notes.md" },
      response: { output: '{"status":"accepted"}', status: "accepted" },
    },
    "Started sub-agent in the background: Count the wombats in notes.md",
  ],
  [
    {
      tool: "invoke_agent",
      input: { agent_name: "codebase_investigator", prompt: "Count the wombats." },
      response: { llmContent: "Subagent 'x' finished.\nTermination Reason: GOAL\nResult:\nSeven wombats." },
    },
    'codebase_investigator agent answered "Count the wombats.": Seven wombats.',
  ],
  [
    {
      tool: "ExitPlanMode",
      input: { plan: "# Plan: make claims atomic\n\n1. Add a lease column\n2. Claim in one update" },
    },
    "Planned: make claims atomic",
    {
      obs_type: "decision",
      summary: "Planned: make claims atomic: Add a lease column; Claim in one update.",
      facts: ["Add a lease column", "Claim in one update"],
    },
  ],
  [
    {
      tool: "AskUserQuestion",
      input: {
        questions: [{ question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }] }],
      },
      response: { answers: { "Which database?": "SQLite" } },
    },
    "User decided: SQLite (Which database?)",
    { obs_type: "decision", provenance: "user", facts: ["Which database? SQLite"] },
  ],
  [
    {
      tool: "update_plan",
      input: {
        plan: [
          { step: "Read", status: "completed" },
          { step: "Mend", status: "in_progress" },
        ],
      },
      response: "Plan updated",
    },
    "Tasks: 1 of 2 done, now: Mend",
  ],
];

it.each(rows)("of sub-agents, plans, questions, tasks: $0.tool $0.input gets the title “$1”", expectRow);

const text = (words: string) => ({ type: "text", text: words });
const tools = "<tools-used-before-summary>\nRead: 3\nBash: 2\n</tools-used-before-summary>";
const answer = "The lease ends after 60 s.\n\n- src/w.ts:9 holds it";

it.each<[string, Json]>([
  ["as a part of its own", { status: "completed", content: [text(tools), text(answer)] }],
  ["with attributes", { content: [text('<tools-used count="3">Read</tools-used>'), text(answer)] }],
  ["in a list without an object", [text(tools), text(answer)]],
  ["before the answer in one text", `${tools}\n\n${answer}`],
  ["of which only the tag came", `<tools-used-before-summary>\n${answer}`],
  ["after another one", `<analysis>\nI read it.\n</analysis>\n${tools}\n${answer}`],
  ["behind the answer", { content: [text(answer), text("<usage>total_tokens: 9</usage>")] }],
  ["behind the answer in one text", `${answer}\n<usage>total_tokens: 9</usage>`],
  ["around the answer", `<result>\n${answer}\n</result>`],
  ["around the only part", { content: [text(`<final_answer>${answer}</final_answer>`)] }],
  ["in JSON as text", JSON.stringify({ content: [text(tools), text(answer)] })],
])("an element of the host %s is no part of a sub-agent's answer", (_what, response) => {
  const draft = observed({ tool: "Agent", input: { description: "Find the lease" }, response });
  expect(draft.title).toBe('Sub-agent answered "Find the lease": The lease ends after 60 s.');
  expect(draft.subtitle).toBe("The lease ends after 60 s.");
  expect(JSON.stringify(draft)).not.toMatch(/tools-used|usage|analysis|Bash: 2|final_answer/);
});

it.each([
  ["HTML", "<p>The page</p> has no title.", "<p>The page</p> has no title."],
  ["a type parameter", "<T> is never bound.", "<T> is never bound."],
  ["a component", "<Queue> renders twice.", "<Queue> renders twice."],
])("an answer that begins with %s stays whole", (_what, response, first) => {
  const draft = observed({ tool: "Task", input: { description: "Look" }, response });
  expect(draft.subtitle).toBe(first);
});

it("stores an answer as a statement, as a rule only in the user's own words", () => {
  const answered = (answer: string) =>
    observed({
      tool: "AskUserQuestion",
      input: {
        questions: [{ question: "How to commit?", options: [{ label: "Always squash every commit" }] }],
      },
      response: { answers: { "How to commit?": answer } },
    }).statement;
  expect(answered("Always squash every commit")).toMatchObject({ said_by: "user", standing: false });
  expect(answered("we never squash here, always rebase")).toMatchObject({ said_by: "user", kind: "rule" });
});

it("gives the reason of a rejection before the steps of the plan", () => {
  const plan = "# Currency symbols\n\n- Use Intl.NumberFormat\n- Drop formatMoney";
  const error = "The tool use was rejected. To tell you how to proceed, the user said:\nkeep formatMoney";
  expect(observed({ tool: "ExitPlanMode", input: { plan }, response: { error } }).summary).toBe(
    "Plan was not accepted: Currency symbols: the user said: keep formatMoney; Use Intl.NumberFormat; Drop formatMoney.",
  );
});

it("attributes plans and reports of sub-agents to the agent", () => {
  expect(
    observed({ tool: "ExitPlanMode", input: { plan: "# Split the module\n- move files" } }).statement,
  ).toEqual({
    said_by: "agent",
    standing: false,
    reach: "project",
    salience: 1,
  });
  const report = observed({ tool: "Task", input: { description: "look" }, response: "Never use npm here." });
  expect(report.statement).toMatchObject({ said_by: "agent", standing: false });
});
