// The context as a person reads it in a terminal: the same content in columns and colours, without the block.
import { cutToWidth, padToWidth, wrapToWidth } from "../text/terminal-text.ts";
import { economicsLine } from "./economics.ts";
import { groupRows } from "./groups.ts";
import { grouped } from "./tokens.ts";
import { type ContextRow, type ContextView, dayOf } from "./view.ts";

/** The view's first `shown` rows with ANSI colours; the only escape sequences in it are these colours. */
export function renderTerminal(view: ContextView, shown: number): string {
  const rows = view.rows.slice(0, shown);
  const hidden = view.rows.length - shown;
  return [
    bold(`Memory of ${view.projects.join(", ")}`),
    ...(view.sections.length > 0 ? [] : wrapped(economicsLine(rows, view.show), 0).map(dim)),
    ...view.sections.flatMap(({ heading, lines }) =>
      section(
        heading,
        lines.flatMap((line) => wrapped(line.replace(/^- /, ""), 2)),
      ),
    ),
    ...section(
      view.lastSummary && `Last session (${dayOf(view.lastSummary.at)})`,
      (view.lastSummary?.parts ?? []).flatMap(({ name, text }) => wrapped(`${name}: ${text}`, 2)),
    ),
    ...section(view.lastMessage && "What the agent said last", wrapped(view.lastMessage ?? "", 2)),
    ...inFull(rows, view),
    ...listing(
      rows.filter((row) => row.expanded === null),
      view,
    ),
    ...(hidden === 0 ? [] : ["", dim(`${grouped(hidden)} older: ${view.searchCommand} <words>`)]),
    "",
  ].join("\n");
}

/** What a terminal shows of projects that have no records. */
export function renderEmptyTerminal(projects: readonly string[]): string {
  return `${dim(`No records of ${projects.join(", ")} yet.`)}\n`;
}

const reset = "\u001b[0m";
const bold = (text: string) => `\u001b[1m${text}${reset}`;
const dim = (text: string) => `\u001b[2m${text}${reset}`;
const cyan = (text: string) => `\u001b[36m${text}${reset}`;

function section(heading: string | null, lines: readonly string[]): string[] {
  return heading === null ? [] : ["", bold(heading), ...lines];
}

// A terminal is at least this wide, and who asks for the text does not say how wide.
const columns = 80;

function wrapped(text: string, indent: number): string[] {
  return wrapToWidth(text, columns - indent).map((line) => " ".repeat(indent) + line);
}

// What an agent reads first stands first here too.
function inFull(rows: readonly ContextRow[], view: ContextView): string[] {
  const expanded = rows.filter((row) => row.expanded !== null);
  const idColumns = widthOfIds(expanded);
  return section(
    expanded.length === 0 ? null : "In full",
    expanded.flatMap((row) => recordLines(row, view, idColumns)),
  );
}

function widthOfIds(rows: readonly ContextRow[]): number {
  return Math.max(0, ...rows.map((row) => String(row.id).length + 1));
}

const typeColumns = 10;
const titleColumns = 52;

function listing(rows: readonly ContextRow[], view: ContextView): string[] {
  const idColumns = widthOfIds(rows);
  const lines: string[] = [];
  for (const { heading, files } of groupRows(rows)) {
    lines.push("", bold(heading));
    for (const { file, rows: about } of files) {
      if (file !== null) lines.push(dim(`${" ".repeat(idColumns)} ${file}`));
      lines.push(...about.flatMap((row) => recordLines(row, view, idColumns)));
    }
  }
  return lines;
}

function recordLines(row: ContextRow, view: ContextView, idColumns: number): string[] {
  const source = [row.marks.trim() || null, row.project].filter((text) => text !== null);
  return [
    [
      dim(`#${row.id}`.padStart(idColumns)),
      cyan(padToWidth(cutToWidth(row.type, typeColumns), typeColumns)),
      padToWidth(cutToWidth(row.title, titleColumns), titleColumns),
      dim([...source, ...costs(row, view)].join(" ")),
    ]
      .join(" ")
      .trimEnd(),
    ...(row.expanded ?? []).flatMap((text) => wrapped(text, idColumns + 2)),
  ];
}

function costs(row: ContextRow, { show }: ContextView): string[] {
  return [
    ...(show.readTokens ? [`r${grouped(row.readTokens)}`] : []),
    ...(show.workTokens ? [`w${grouped(row.workTokens)}`] : []),
  ];
}
