// The table of `mem queue list`: a line a message, and below it why it failed.
import type { QueuePage } from "../client/worker-client.ts";
import { cutToWidth, displayWidth, padToWidth, terminalLine, wrapToWidth } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";
import type { Halt } from "./queue-halt.ts";
import { durationInWords } from "./words.ts";

type Row = QueuePage["items"][number];

const mostReasonLines = 3;
const gap = "  ";

interface Moment {
  nowEpochMs: number;
  /** What everything that waits waits for, or null. */
  halt: Halt | null;
}

/** Prints the messages in columns that fit the terminal. Their reasons are wrapped below them. */
export function renderQueue(io: Io, rows: readonly Row[], moment: Moment): void {
  const cells = rows.map((row) => cellsOf(row, moment));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((texts) => displayWidth(texts[column] ?? ""))),
  );
  // The last two columns hold the user's own words, which may be long: they share what is left.
  const fixed = widths.slice(0, -2).reduce((sum, width) => sum + width + gap.length, 0);
  const [project = 0, what = 0] = widths.slice(-2);
  const room = Math.max(20, io.columns - fixed - gap.length);
  const shown = Math.min(project, Math.max(room - what, Math.floor(room / 2)));
  widths.splice(-2, 2, shown, Math.min(what, room - shown));
  io.out(io.paint.dim(line(headings, widths)));
  for (const [index, row] of rows.entries()) {
    io.out(line(cells[index] ?? [], widths));
    for (const text of reasonLines(row, io.columns)) io.out(io.paint.dim(text));
  }
}

const headings = ["ID", "State", "Age", "Tries", "Session", "Project", "What"];

function cellsOf(row: Row, moment: Moment): string[] {
  return [
    String(row.id),
    stateInWords(row, moment),
    durationInWords(row.ageMs),
    String(row.attempts),
    cutToWidth(terminalLine(row.session), 9),
    terminalLine(row.project),
    row.kind === "summarize" ? "summary" : terminalLine(row.tool_name ?? "-"),
  ];
}

function stateInWords({ status, next_try_at_epoch: next }: Row, { nowEpochMs, halt }: Moment): string {
  switch (status) {
    case "dead":
      return "given up";
    case "processing":
      return "in work";
    case "pending":
      // Its own next try would find the provider paused, or come only after that has ended.
      if (halt !== null) return "paused";
      return next !== null && next > nowEpochMs
        ? `again in ${durationInWords(next - nowEpochMs)}`
        : "waiting";
    default:
      return status satisfies never;
  }
}

function line(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => padToWidth(cutToWidth(cell, widths[column] ?? 0), widths[column] ?? 0))
    .join(gap)
    .trimEnd();
}

function reasonLines({ last_error }: Row, columns: number): string[] {
  if (last_error === null) return [];
  const lines = wrapToWidth(terminalLine(last_error), columns - gap.length);
  const kept = lines.slice(0, mostReasonLines);
  if (lines.length > mostReasonLines) kept.push(`${kept.pop() ?? ""} …`);
  return kept.map((text) => cutToWidth(gap + text, columns));
}
