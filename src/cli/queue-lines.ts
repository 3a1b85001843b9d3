// The table of `mem queue list`, and sentences about a pause of the provider.
import type { Health, QueuePage } from "../client/worker-client.ts";
import { pauseReason } from "../core/records/generation-pause.ts";
import { cutToWidth, terminalLine, wrapToWidth } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";
import { type Column, printTable } from "./table.ts";
import { counted, durationInWords, localTime } from "./words.ts";

type Row = QueuePage["items"][number];

const columns: readonly Column[] = [
  { title: "ID" },
  { title: "State" },
  { title: "Age" },
  { title: "Tries" },
  { title: "Session" },
  { title: "Project", flexible: true },
  { title: "What", flexible: true },
];

const mostReasonLines = 3;
const indent = "  ";

interface Moment {
  nowEpochMs: number;
  /** The pause that holds up the queue, or null. */
  halt: Halt | null;
}

/** Prints a line for each message, and below it why it failed. */
export function renderQueue(io: Io, rows: readonly Row[], moment: Moment): void {
  const cells = rows.map((row) => [
    String(row.id),
    stateInWords(row, moment),
    durationInWords(row.ageMs),
    String(row.attempts),
    cutToWidth(terminalLine(row.session), 9),
    terminalLine(row.project),
    row.kind === "summarize" ? "summary" : terminalLine(row.tool_name ?? "-"),
  ]);
  printTable(io, columns, cells, {
    below: (row) => reasonLines(rows[row]?.last_error ?? null, io).map(io.paint.dim),
  });
}

function stateInWords({ status, next_try_at_epoch: next }: Row, { nowEpochMs, halt }: Moment): string {
  switch (status) {
    case "dead":
      return "failed";
    case "processing":
      return "running";
    case "pending":
      if (halt !== null) return "paused";
      return next !== null && next > nowEpochMs
        ? `retry in ${durationInWords(next - nowEpochMs)}`
        : "waiting";
    default:
      return status satisfies never;
  }
}

function reasonLines(reason: string | null, io: Io): string[] {
  if (reason === null) return [];
  const lines = wrapToWidth(terminalLine(reason), io.columns - indent.length);
  const kept = lines.slice(0, mostReasonLines);
  if (lines.length > mostReasonLines) kept.push(`${kept.pop() ?? ""} …`);
  return kept.map((text) => cutToWidth(indent + text, io.columns));
}

/** A pause of the provider that waiting messages wait for. */
export interface Halt {
  /** `primary is paused until 14:05: rate limited`. */
  what: string;
  next: string | null;
}

type Generation = Pick<Health, "provider" | "paused" | "budget">;

/** The pause that holds up the queue, or null: also while `local` writes instead of a paused model. */
export function haltOf({ provider, paused, budget }: Generation, nowEpochMs: number): Halt | null {
  if (paused === null || paused.localWrites === true || budget !== null || provider.active === "local")
    return null;
  return {
    what: `${provider.active} is paused${untilInWords(paused, nowEpochMs)}: ${pauseReason(paused.kind, paused.fix)}`,
    next: paused.next === null ? null : terminalLine(paused.next),
  };
}

/** ` until 14:05`. Empty for refused access, which the user ends, and for a time that is over. */
export function untilInWords({ kind, until }: NonNullable<Health["paused"]>, nowEpochMs: number): string {
  return kind === "auth" || until === null || until <= nowEpochMs
    ? ""
    : ` until ${localTime(until, nowEpochMs)}`;
}

/** The pause as sentences. */
export function haltInWords({ what, next }: Halt): string {
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  return next === null ? sentence : `${sentence} ${next}`;
}

/** After a retry that ended a pause. */
export function resumedInWords({ provider, queue }: Pick<Health, "provider" | "queue">): string {
  const waiting = queue.depth === 0 ? "" : ` ${counted(queue.depth, "message")} waiting.`;
  return `Resumed ${provider.name}.${waiting}`;
}
