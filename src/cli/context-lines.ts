// The context that an agent would get, as text for people.
import type { ContextExplanation } from "../client/worker-client.ts";
import { marksInWords, reasonInWords } from "../core/records/explained-record.ts";
import { recordName } from "../core/records/record-name.ts";
import { padToWidth, terminalLine, terminalText, wrapListLine } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";
import { printBeside, printWrapped } from "./table.ts";
import { counted } from "./words.ts";

type Moment = ContextExplanation["moments"][number];

/** Prints each moment: the text as the agent gets it, then a line for each record in it. */
export function renderExplanation(io: Io, { project, moments, left_out: leftOut }: ContextExplanation): void {
  for (const [index, moment] of moments.entries()) {
    if (index > 0) io.out("");
    const title = `${titles[moment.moment]}${index === 0 ? ` in ${terminalLine(project)}` : ""}`;
    io.out(io.paint.bold(`${title}: ${counted(moment.tokens, "token")}`));
    if (moment.nothing === null) {
      printText(io, moment.text);
      renderReasons(io, moment);
    } else printWrapped(io, io.out, moment.nothing);
  }
  // Before a file and a command, rules are reminders: none is left out.
  if (leftOut === null || !moments.some(({ moment }) => moment === "start" || moment === "prompt")) return;
  const names = leftOut.records.map((id) => `#${id}`).join(", ");
  io.out("");
  printWrapped(io, io.out, `Left out: ${names}. The memory files of ${leftOut.agent} say the same here.`);
}

// Without a terminal, exactly what an agent gets.
function printText(io: Io, text: string): void {
  for (const line of terminalText(text).split("\n"))
    for (const part of wrapListLine(line, io.columns)) io.out(part);
}

const titles: Record<Moment["moment"], string> = {
  start: "Start of a session",
  prompt: "First prompt",
  file: "Before the file is read or edited",
  command: "Before the command",
};

function renderReasons(io: Io, { moment, records }: Moment): void {
  if (records.length === 0) return;
  io.out(io.paint.bold("Why:"));
  const names = records.map((record) => `#${recordName(record)}`);
  const width = Math.max(...names.map(({ length }) => length));
  for (const [index, record] of records.entries()) {
    const front = `  ${padToWidth(names[index] ?? "", width)}  `;
    const reason = terminalLine(`${marksInWords(record)}: ${reasonInWords(record, moment)}`);
    printBeside(io, front, front.length, reason);
  }
}
