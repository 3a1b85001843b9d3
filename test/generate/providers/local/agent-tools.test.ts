// Sub-agents, plans, questions: what their observation says.
import { it } from "vitest";
import { expectRow, type Row } from "./support.ts";

const rows: Row[] = [
  [
    { tool: "Task", input: { description: "直す" }, response: "修正しました。" },
    'Sub-agent answered "直す": 修正しました。',
    {
      summary: 'Sub-agent answered "直す": 修正しました。',
      narrative: 'Sub-agent answered "直す": 修正しました。 Answer: 修正しました。',
    },
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
      tool: "ExitPlanMode",
      input: { plan: "# Plan: make claims atomic\n\n1. Add a lease column\n2. Claim in one update" },
    },
    "Planned: make claims atomic",
    { obs_type: "decision", facts: ["Add a lease column", "Claim in one update"] },
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

it.each(rows)("of sub-agents, plans, questions and task lists: $0.tool $0.input is told as “$1”", expectRow);
