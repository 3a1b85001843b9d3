// `mem report`: what was injected, and how often it was used afterwards.
import type { Command } from "commander";
import type { GroupFigures, ShownKind, UsageReport, Uses } from "../../core/records/usage-report.ts";
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
did not fail, or the agent read the whole record by its id.
With \`mem settings set MEM_CONTROL_GROUP_PERCENT 10\` one session in ten gets no
context, for comparison.`,
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
      controlPercent: context.settings("read").get("MEM_CONTROL_GROUP_PERCENT"),
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
  if (found.groups !== null) {
    io.out("");
    const columns: Column[] = ["Sessions", "Prompts", "Tool uses", "Commands", "Failed", "Failed again"].map(
      (title) => ({ title, align: "right" }),
    );
    printTable(io, [{ title: "Group" }, ...columns], groupRows(found.groups));
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

function groupRows({ control, injected }: NonNullable<UsageReport["groups"]>): string[][] {
  return [
    ["Without context", ...groupCells(control)],
    ["With context", ...groupCells(injected)],
  ];
}

// By session, so that groups of different sizes can be compared.
function groupCells(group: GroupFigures): string[] {
  const { sessions, prompts, tool_uses, commands, failed_commands, repeated_failures } = group;
  const each = (count: number) => (sessions === 0 ? "-" : (count / sessions).toFixed(1));
  const failed = commands === 0 ? "-" : percentOf(failed_commands, commands);
  return [String(sessions), each(prompts), each(tool_uses), each(commands), failed, each(repeated_failures)];
}

function percentOf(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}

const fewSessions = 30;
const usesNote =
  "A record counts once for each session that it was shown to. Use after showing is no proof that the record was the reason: records are chosen because they are likely to matter, and a rule or a decision can help without any of these signs. Commands are known for the days of MEM_RAW_RETENTION_DAYS.";

/** What the figures say, and what they do not prove. */
function notesOf({ not_shown, groups, control_percent, injections }: UsageReport): string[] {
  const notes = injections === 0 ? [] : [usesNote];
  if (not_shown.pairs > 0) {
    const share = percentOf(not_shown.files_touched, not_shown.pairs);
    notes.push(
      `For comparison: other sessions of the same projects, which were not shown the record, touched a file of it in ${share} of ${counted(not_shown.pairs, "case")}.`,
    );
  }
  if (groups !== null) {
    const few = Math.min(groups.control.sessions, groups.injected.sessions) < fewSessions;
    notes.push(
      `Sessions without context were chosen by a hash of their id; their agents could still search. The figures are for each session${few ? `, and under ${fewSessions} sessions a difference is most likely chance` : ""}. Fewer failures are not the same as better work.`,
    );
  }
  if (control_percent > 0)
    notes.push(`Now ${control_percent} % of sessions get no context (MEM_CONTROL_GROUP_PERCENT).`);
  else if (injections > 0 && groups === null)
    notes.push("No control group: to get one, `mem settings set MEM_CONTROL_GROUP_PERCENT 10`.");
  return notes;
}
