// The context that an agent would get, as lines of a terminal.
import type { ContextExplanation } from "../client/worker-client.ts";
import { recordName } from "../core/records/record-name.ts";
import { padToWidth, terminalLine, terminalText, wrapListLine, wrapToWidth } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";
import { counted } from "./words.ts";

type Moment = ContextExplanation["moments"][number];
type ExplainedRecord = Moment["records"][number];

/** Prints each moment: the text as the agent gets it, then a line for each record in it. */
export function renderExplanation(io: Io, { project, moments }: ContextExplanation): void {
  for (const [index, moment] of moments.entries()) {
    if (index > 0) io.out("");
    const title = `${titles[moment.moment]}${index === 0 ? ` in ${terminalLine(project)}` : ""}`;
    io.out(io.paint.bold(`${title}: ${counted(moment.tokens, "token")}`));
    if (moment.nothing !== null) printWrapped(io, moment.nothing);
    else {
      printText(io, moment.text);
      renderReasons(io, moment);
    }
  }
}

// Exactly what an agent gets where a program reads it; on a terminal, lines break between words.
function printText(io: Io, text: string): void {
  const lines = terminalText(text).split("\n");
  for (const line of io.isTerminal ? lines.flatMap((one) => wrapListLine(one, io.columns)) : lines)
    io.out(line);
}

const titles: Record<Moment["moment"], string> = {
  start: "Start of a session",
  prompt: "First prompt",
  file: "Before the file",
  command: "Before the command",
};

function renderReasons(io: Io, { moment, records }: Moment): void {
  if (records.length === 0) return;
  io.out(io.paint.bold("Why:"));
  const names = records.map((record) => `#${recordName(record)}`);
  const width = Math.max(...names.map(({ length }) => length));
  for (const [index, record] of records.entries()) {
    const front = `  ${padToWidth(names[index] ?? "", width)}  `;
    // One line a record where a program reads them.
    const columns = io.isTerminal ? Math.max(20, io.columns - front.length) : Number.POSITIVE_INFINITY;
    const said = terminalLine(`${marksOf(record)}: ${reasonOf(record, moment)}`);
    const [first = "", ...rest] = wrapToWidth(said, columns);
    io.out(`${front}${first}`);
    for (const line of rest) io.out(`${" ".repeat(front.length)}${line}`);
  }
}

function marksOf({ observation }: ExplainedRecord): string {
  if (observation === null) return "summary";
  const { obs_type, said_by, standing, reach, salience } = observation;
  return [
    obs_type,
    ...(said_by === null ? [] : [`said by ${said_by}`]),
    ...(standing === 0 ? [] : [reach === "everywhere" ? "stands everywhere" : "stands in this project"]),
    ...(salience === null ? [] : [`salience ${salience.toFixed(1)}`]),
  ].join(", ");
}

function reasonOf({ reason, observation }: ExplainedRecord, moment: Moment["moment"]): string {
  switch (reason.by) {
    case "section":
      return `in "${reason.section}"`;
    case "score":
      return `score ${reason.score.toFixed(1)}, ${sharedWords(reason)}`;
    case "search":
      return "found by a search for the words of the prompt";
    case "file":
      return "about this file";
    case "rule":
      return moment === "file"
        ? "a rule that bears on edits of this file"
        : "a rule that forbids this command";
    case "family":
      return `${observation?.obs_type === "bugfix" ? "a fix" : "a failure"} of \`${reason.family}\``;
    default:
      return reason satisfies never;
  }
}

function sharedWords({ shared, turn }: { shared: readonly string[]; turn: readonly string[] }): string {
  const parts = [
    ...(shared.length === 0 ? [] : [`shares ${shared.join(", ")}`]),
    ...(turn.length === 0 ? [] : [`its turn has ${turn.join(", ")}`]),
  ];
  return parts.length === 0 ? "no words in common" : parts.join("; ");
}

function printWrapped(io: Io, text: string): void {
  for (const line of wrapToWidth(terminalLine(text), io.columns)) io.out(line);
}
