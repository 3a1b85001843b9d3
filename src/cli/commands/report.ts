// `mem report`: what was injected, and how often it was used afterwards.
import type { Command } from "commander";
import type { ShownKind, UsageReport, Uses } from "../../core/records/usage-report.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption, projectOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { interruptible } from "../long-work.ts";
import { type Column, printTable, printWrapped } from "../table.ts";
import { parseWhen } from "../when.ts";
import { counted, localDate } from "../words.ts";

interface ReportOptions extends JsonOptions {
  project?: string;
  since: string;
}

/** Adds `mem report`. */
export function registerReport(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "report",
    about: "Show what was injected into sessions, and how often it was used afterwards",
    summary: "Show what was injected, and how often it was used",
    options: [
      projectOption("one project only"),
      ["--since <time>", "from 2026-01-31, yesterday, 36h, 7d", undefined, "30d"],
      jsonOption,
    ],
    notes: `Used: a file of the record was read or changed afterwards, its command ran and
did not fail, or the agent read the whole record by its id.`,
    examples: ["mem report # the last 30 days", "mem report --project shop --since 7d --json"],
    paged: true,
    run: (options: ReportOptions) => report(context, options),
  });
}

async function report(context: CliContext, { project, since, json }: ReportOptions): Promise<void> {
  const { io, clock } = context;
  const now = clock.now();
  const from = Date.parse(parseWhen(since, "start", now));
  const { reportUse } = await import("../../worker/report.ts");
  const found = await interruptible((signal) =>
    reportUse({
      database: context.paths().database,
      project,
      since: from,
      now,
      signal,
    }),
  );
  if (json === true) {
    io.json(found);
    return;
  }
  render(context, found);
}

function render({ io }: CliContext, found: UsageReport): void {
  const { sessions, injections, tokens, total, kinds, projects, since_epoch } = found;
  const day = localDate(new Date(since_epoch));
  if (injections === 0) io.out(`Nothing was injected since ${day}.`);
  else {
    const texts = `${counted(injections, "text")} with about ${tokens} tokens`;
    printWrapped(io, io.out, `Since ${day}: ${texts}, in ${counted(sessions, "session")}.`);
    io.out("");
    const rows = [
      ...kinds.map((row) => [kindNames[row.kind], ...cellsOf(row)]),
      ["Total", ...cellsOf(total)],
    ];
    printTable(io, [{ title: "Record" }, ...useColumns], rows);
    if (projects.length > 1) {
      io.out("");
      const ofProjects = projects.map((row) => [terminalLine(row.project) || "unknown", ...cellsOf(row)]);
      printTable(io, [{ title: "Project", flexible: true }, ...useColumns], ofProjects);
    }
  }
  const notes = notesOf(found);
  if (notes.length > 0) io.out("");
  for (const note of notes) printWrapped(io, io.out, note);
}

const kindNames: Record<ShownKind, string> = {
  rule: "Rules",
  fix: "Known fixes",
  failure: "Known failures",
  statement: "Decisions and causes",
  work: "Work",
  summary: "Summaries",
  prompt: "Prompts",
  gone: "Deleted since",
};

const useColumns: Column[] = ["Shown", "File", "Passed", "Failed", "Read", "Used"].map((title) => ({
  title,
  align: "right",
}));

function cellsOf({ shown, files_touched, commands_passed, commands_failed, fetched, used }: Uses): string[] {
  const share = shown === 0 ? "" : ` ${percentOf(used, shown)}`;
  return [
    ...[shown, files_touched, commands_passed, commands_failed, fetched].map(String),
    `${used}${share}`,
  ];
}

function percentOf(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}

const usesNote =
  "A record counts once for each session that it was shown to. Use after showing is no proof that the record was the reason: records are chosen because they are likely to matter, and a rule or a decision can help without any of these signs. Commands are known for the days of MEM_RAW_RETENTION_DAYS.";

/** What the figures say, and what they do not prove. */
function notesOf({ not_shown, injections }: UsageReport): string[] {
  const notes = injections === 0 ? [] : [usesNote];
  if (not_shown.pairs > 0) {
    const share = percentOf(not_shown.files_touched, not_shown.pairs);
    notes.push(
      `For comparison: other sessions of the same projects, which were not shown the record, touched a file of it in ${share} of ${counted(not_shown.pairs, "case")}.`,
    );
  }
  return notes;
}
