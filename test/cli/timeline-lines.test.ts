import { expect, test } from "vitest";
import { renderTimeline, type TimelineItem, timelineLine } from "../../src/cli/timeline-lines.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";
import { plainIo } from "./plain-io.ts";

const noon = new Date(2026, 10, 20, 12, 5).getTime();

function linesOf(items: readonly TimelineItem[], isTerminal = false, all = true, columns = 80): string[] {
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  const io = plainIo({ out, raw: out, isTerminal, ...(isTerminal && { columns }) });
  renderTimeline(io, items.map(timelineLine), { all });
  return lines;
}

const base = { project: "shop", sdk_session_id: "sdk", created_at_epoch: noon };
const prompt: TimelineItem = {
  ...base,
  type: "prompt",
  id: 7,
  claude_session_id: "c",
  prompt_number: 1,
  prompt_text: "why does the login loop?",
};
const observation: TimelineItem = {
  ...base,
  type: "observation",
  id: 112,
  created_at_epoch: noon + 60_000,
  obs_type: "bugfix",
  title: "Fixed the redirect",
  subtitle: null,
  summary: "It looped.",
  files_touched: [],
  prompt_number: 1,
  status: "active",
  superseded_by: null,
  provenance: "file",
};
const session: TimelineItem = {
  ...base,
  type: "session",
  id: 3,
  created_at_epoch: noon + 86_400_000,
  summary_text: "Request: mend the login",
  request: "mend the login",
  learned: null,
  completed: "the redirect ends",
  next_steps: null,
};

test("prints records under their day with time, id, type and title; marks the anchor", () => {
  expect(linesOf([prompt, { ...observation, anchor: true }, session])).toEqual([
    "2026-11-20",
    "  12:05   P7  prompt   why does the login loop?",
    "> 12:06  112  bugfix   Fixed the redirect",
    "2026-11-21",
    "  12:05   S3  summary  the redirect ends",
  ]);
});

test("prints the project when there are several, and the review of a record", () => {
  expect(
    linesOf([
      { ...observation, status: "superseded", superseded_by: 120 },
      { ...prompt, project: "web" },
    ]),
  ).toEqual([
    "2026-11-20",
    "  12:06  112  bugfix  Fixed the redirect  shop · superseded by 120",
    "  12:05   P7  prompt  why does the login loop?  web",
  ]);
});

test("a terminal gets lines that fit, everything else whole ones", () => {
  const long = { ...observation, title: "a long title ".repeat(20), project: "日本語の" };
  const shown = linesOf([long, { ...prompt, prompt_text: "x".repeat(300) }], true);
  for (const line of shown) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  for (const columns of [60, 40]) {
    const said = { ...long, said_by: "user" as const };
    const narrow = linesOf([said, { ...prompt, project: "web" }], true, true, columns);
    for (const line of narrow) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  }
  expect(linesOf([long])[1]).toContain(long.title.trim());
});

test("nothing of a record moves the cursor or begins a line", () => {
  const bad = { ...observation, title: "a\nb\u001b[2Jc", obs_type: "bug\nfix", project: "p\u001b[1m" };
  for (const line of linesOf([bad, prompt])) expect(line).toMatch(/^[^\p{Cc}]*$/u);
});

test("routine steps in a row are one line; the anchor is always shown", () => {
  const step = { ...observation, title: "Read login.ts", routine: 1 as const };
  const asked = { ...step, id: 115, anchor: true as const };
  const lines = linesOf([prompt, step, { ...step, id: 113 }, observation, asked], false, false);
  expect(lines.slice(1).map((line) => line.trim().slice(-40))).toEqual([
    expect.stringContaining("why does the login loop?"),
    "… 2 routine steps (--all shows them)",
    expect.stringContaining("Fixed the redirect"),
    expect.stringContaining("Read login.ts"),
  ]);
  expect(linesOf([step], false, false)).toEqual(linesOf([step]));
});

test("marks a rule and what the user said", () => {
  const [, rule, said] = linesOf([
    { ...observation, said_by: "user", standing: 1 },
    { ...observation, id: 113, said_by: "user" },
  ]);
  expect(rule).toMatch(/Fixed the redirect {2}rule$/);
  expect(said).toMatch(/Fixed the redirect {2}said by the user$/);
});

test("shows a text once that is a prompt, a statement and the request of a summary", () => {
  const statement: TimelineItem = { ...observation, said_by: "user", summary: "Why does the login loop?" };
  const summary: TimelineItem = { ...session, completed: null, request: prompt.prompt_text };
  const items = [prompt, statement, summary];
  expect(linesOf(items, false, false).filter((line) => line.startsWith("  "))).toEqual([
    expect.stringContaining("112"),
  ]);
  expect(linesOf(items).filter((line) => line.startsWith("  "))).toHaveLength(3);
  const asked = linesOf([{ ...prompt, anchor: true }, statement], false, false);
  expect(asked[1]).toMatch(/^> .*P7/);
  expect(asked).toHaveLength(2);
});

test("shows a text again that a later turn or another session has", () => {
  const rule: TimelineItem = { ...observation, said_by: "user", summary: "Why does the login loop?" };
  const again = { ...prompt, id: 8, created_at_epoch: noon + 120_000 };
  const later = { ...rule, id: 113, created_at_epoch: noon + 120_000 };
  const elsewhere = { ...rule, id: 114, sdk_session_id: "other", created_at_epoch: noon + 180_000 };
  const names = linesOf([prompt, rule, again, later, elsewhere], false, false).slice(1);
  expect(names.map((line) => line.trim().split(/ +/)[1])).toEqual(["112", "113", "114"]);
});
