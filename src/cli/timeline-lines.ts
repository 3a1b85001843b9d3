// Timelines as text for people: a line a day, then time, id, type and title of each record.
import type { TimelineAnswer } from "../client/worker-client.ts";
import { recordName } from "../core/records/record-name.ts";
import { cutToWidth, displayWidth, padToWidth, terminalLine } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";
import { branchMarks, routineNote, speakerMarks, statusMarks } from "./record-marks.ts";
import { clockTime, localDate } from "./words.ts";

export type TimelineItem = TimelineAnswer[number];

export interface TimelineLine {
  /** 12, S12, P12. */
  name: string;
  created_at_epoch: number;
  /** Type of an observation, or the kind. */
  type: string;
  title: string;
  project: string;
  /** The whole text where it quotes what was said, and its session. */
  quote?: string | undefined;
  session?: string | undefined;
  /** Short marks after the title. */
  marks: string[];
  /** True for the record that was asked for. */
  isAnchor: boolean;
  /** 1 for a routine step. */
  routine?: 0 | 1 | undefined;
  /** Lines below it. */
  notes: string[];
}

/**
 * Prints the lines under their days, with the project when there are several. Without `all`, one line replaces routine
 * steps in a row, and a text that several records of a turn quote is printed once.
 */
export function renderTimeline(
  io: Io,
  every: readonly TimelineLine[],
  { all = true }: { all?: boolean } = {},
): void {
  const lines = all ? every : withoutRepeats(every);
  const lasting = lines.filter(({ routine }) => all || routine !== 1);
  const shown = new Set(lasting.length === 0 ? lines : lasting);
  const nameWidth = Math.max(0, ...lines.map(({ name }) => name.length));
  const typeWidth = Math.max(0, ...lines.map(({ type }) => displayWidth(type)));
  const several = new Set(lines.map(({ project }) => project)).size > 1;
  let day = "";
  let hidden = 0;
  const showHidden = (): void => {
    if (hidden > 0) io.out(io.paint.dim(cutToWidth(`  ${routineNote(hidden)}`, io.columns)));
    hidden = 0;
  };
  for (const line of lines) {
    if (!shown.has(line) && !line.isAnchor) {
      hidden += 1;
      continue;
    }
    showHidden();
    const date = new Date(line.created_at_epoch);
    const itsDay = localDate(date);
    if (itsDay !== day) io.out(io.paint.bold(itsDay));
    day = itsDay;
    renderLine(io, line, { nameWidth, typeWidth, several });
  }
  showHidden();
}

// A prompt of one sentence is a statement too, and a summary may have only its request.
function withoutRepeats(lines: readonly TimelineLine[]): TimelineLine[] {
  const owners = new Map<string, TimelineLine>();
  const keys = quoteKeys(lines);
  for (const line of lines) {
    const key = keys.get(line) ?? "";
    const owner = owners.get(key);
    if (owner === undefined || rankOf(line) > rankOf(owner)) owners.set(key, line);
  }
  return lines.filter(
    (line) => line.isAnchor || !keys.has(line) || owners.get(keys.get(line) ?? "") === line,
  );
}

// A key for each text and turn; a prompt begins the next turn of its session.
function quoteKeys(lines: readonly TimelineLine[]): Map<TimelineLine, string> {
  const keys = new Map<TimelineLine, string>();
  const turns = new Map<string, number>();
  for (const line of lines) {
    const { quote, session = "", type } = line;
    if (type === "prompt") turns.set(session, (turns.get(session) ?? 0) + 1);
    if (quote === undefined || quote === "") continue;
    const words = quote.toLowerCase().replace(/\s+/g, " ");
    keys.set(line, `${session} ${turns.get(session) ?? 0} ${words.replace(/[….!?:;,\s]+$/u, "")}`);
  }
  return keys;
}

// Of one text the anchor stays, else the observation.
function rankOf({ isAnchor, type }: TimelineLine): number {
  if (isAnchor) return 3;
  return type === "summary" ? 0 : type === "prompt" ? 1 : 2;
}

interface Layout {
  nameWidth: number;
  typeWidth: number;
  several: boolean;
}

const leastTitle = 12;

function renderLine(io: Io, line: TimelineLine, { nameWidth, typeWidth, several }: Layout): void {
  const time = clockTime(line.created_at_epoch);
  const mark = line.isAnchor ? ">" : " ";
  const head = `${mark} ${time}  ${line.name.padStart(nameWidth)}  ${padToWidth(line.type, typeWidth)}  `;
  const room = io.columns - displayWidth(head);
  const tags = [...(several ? [line.project] : []), ...line.marks].map(terminalLine).join(" · ");
  const tail = cutToWidth(tags, room - leastTitle - 2);
  const title = cutToWidth(terminalLine(line.title), room - (tail === "" ? 0 : displayWidth(tail) + 2));
  const shown = line.isAnchor ? io.paint.bold(title) : title;
  io.out(`${io.paint.dim(head)}${shown}${tail === "" ? "" : `  ${io.paint.dim(tail)}`}`);
  const indent = " ".repeat(head.length);
  for (const note of line.notes) {
    io.out(`${indent}${io.paint.yellow(cutToWidth(terminalLine(note), io.columns - indent.length))}`);
  }
}

/** An item of a timeline as a line. */
export function timelineLine(item: TimelineItem): TimelineLine {
  const { type: kind, id, created_at_epoch, project } = item;
  const isAnchor = item.anchor === true;
  const base = {
    name: recordName({ kind, id }),
    created_at_epoch,
    project,
    isAnchor,
    type: kind,
    session: item.sdk_session_id,
    marks: branchMarks(item),
    notes: [],
  };
  switch (item.type) {
    case "observation":
      return {
        ...base,
        type: terminalLine(item.obs_type),
        title: item.title,
        marks: [...speakerMarks(item), ...statusMarks(item), ...base.marks],
        quote: item.said_by === undefined ? undefined : item.summary,
        routine: item.routine,
      };
    case "session":
      return { ...base, type: "summary", title: sessionTitle(item), quote: sessionTitle(item) };
    case "prompt":
      return { ...base, title: item.prompt_text, quote: item.prompt_text };
    default:
      return item satisfies never;
  }
}

// The request is already shown as the prompt.
function sessionTitle({
  completed,
  learned,
  request,
  summary_text,
}: TimelineItem & { type: "session" }): string {
  return completed || learned || request || summary_text;
}
