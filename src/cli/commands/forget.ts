// `mem forget`: deletes records by ids, words, project, session or age; with undo, or for good.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { ForgetParameters } from "../../client/parameters.ts";
import type { ForgetPlan, ForgetState } from "../../client/worker-client.ts";
import { type ErrorCode, errorCatalogue, MemError } from "../../core/errors.ts";
import { countsInWords } from "../../core/records/forget.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption, projectOption } from "../command.ts";
import { demandYes } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { refuseUnknownProject } from "../unknown-project.ts";
import { parseWhen } from "../when.ts";
import { counted, localDate } from "../words.ts";

interface ForgetOptions extends JsonOptions {
  query?: string;
  project?: string;
  session?: string;
  before?: string;
  dryRun?: true;
  yes?: true;
  now?: true;
}

/** Adds `mem forget`. */
export function registerForget(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "forget",
    about: "Delete records by ids, words, project, session or age; undo for 30 days",
    arguments: [["[ids...]", "records: 12, S12 for a summary, P12 for a prompt"]],
    options: [
      ["--query <words>", "records that contain all of these words"],
      projectOption("everything of a project"),
      ["--session <id>", "everything of a session"],
      ["--before <date>", "records from before: 2026-01-31, 90d, 36h"],
      ["--dry-run", "print what would go, delete nothing"],
      ["--yes", "do not ask"],
      ["--now", "delete for good, without the 30 days"],
      jsonOption,
    ],
    examples: [
      "mem forget --project shop --dry-run # what would go",
      "mem forget --query 'blue heron' --now # for good",
    ],
    notes: [
      "Several filters delete what they have in common. A word of six letters or more",
      "is also found inside longer words. Undo: `mem trash restore <id>`.",
    ].join("\n"),
    run: (ids: string[], options: ForgetOptions) => forget(context, ids, options),
  });
}

async function forget(context: CliContext, ids: string[], options: ForgetOptions): Promise<void> {
  const { io } = context;
  const choice = choiceOf(ids, options, context.clock.now());
  const worker = context.worker();
  const plan = await worker.forgetPlan(choice);
  if (sizeOf(plan, options) === 0) await refuseUnknownProject(worker, options.project);
  if (options.dryRun === true || sizeOf(plan, options) === 0) {
    if (options.json === true) io.json({ deleted: false, ...plan });
    else for (const line of planLines(plan, options)) io.out(line);
    return;
  }
  await agree(context, plan, options);
  const state = await followed(context, await worker.forget({ ...choice, forever: options.now === true }));
  if (state.error !== null) throw endedEarly(state, state.error);
  if (options.json === true) {
    const { counts, trash_id, undo_until_epoch, gone, erased, checked, files } = state;
    io.json({ deleted: true, counts, trash_id, undo_until_epoch, gone, erased, checked, files });
    return;
  }
  for (const line of resultLines(state, allInWords(state.counts, plan, options))) io.out(line);
  if (options.now === true) for (const line of leftLines(state)) io.err(line);
  const { trash_id } = state;
  if (trash_id !== null && state.undo_until_epoch !== null)
    io.err(
      `Undo until ${localDate(new Date(state.undo_until_epoch))}: \`mem trash restore ${trash_id}\`. For good: \`mem trash empty\`.`,
    );
}

function endedEarly({ error_code, goes_on, counts }: ForgetState, error: string): MemError {
  const code = (Object.keys(errorCatalogue) as ErrorCode[]).find((each) => each === error_code) ?? "internal";
  const deleted = `Deleted ${countsInWords(counts)} so far.`;
  return new MemError(code, {
    message: goes_on ? `${error} ${deleted} The rest is not deleted yet.` : error,
    hint: goes_on
      ? "The worker deletes the rest when it starts again. Free space, then: `mem worker restart`."
      : `${deleted} See \`mem trash receipts\`.`,
  });
}

function choiceOf(ids: readonly string[], options: ForgetOptions, now: number): ForgetParameters {
  const { query, project, session, before } = options;
  const isFiltered = [query, project, session, before].some((value) => value !== undefined);
  if (ids.length > 0 === isFiltered) {
    throw new MemError("usage", {
      message: isFiltered
        ? "Ids and filters cannot be combined."
        : "Name what to delete: ids, --query, --project, --session or --before.",
      hint: "See `mem forget --help`.",
    });
  }
  return ids.length > 0
    ? { ids }
    : {
        ...{ query, project, session },
        before: before === undefined ? undefined : parseWhen(before, "start", now),
      };
}

function sizeOf({ counts, copies, trashed }: ForgetPlan, { now }: ForgetOptions): number {
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return records + copies + (now === true ? trashed : 0);
}

/** The records, and what goes besides them. */
function allInWords(
  counts: ForgetPlan["counts"],
  { copies, trashed }: ForgetPlan,
  { now }: ForgetOptions,
): string {
  const records = countsInWords(counts);
  const besides = [
    ...(copies > 0
      ? [counted(copies, "title, cause or injected text", "titles, causes or injected texts")]
      : []),
    ...(now === true && trashed > 0 ? [counted(trashed, "entry of the trash", "entries of the trash")] : []),
  ];
  return besides.length > 0 && records === "nothing" ? besides.join(", ") : [records, ...besides].join(", ");
}

function planLines(plan: ForgetPlan, options: ForgetOptions): string[] {
  const { left_rules: left } = plan;
  const stays = [
    ...(left.length > 0
      ? [`Stays: ${counted(left.length, "rule")} for every project: #${left.join(", #")}. Delete by number.`]
      : []),
    ...(options.now !== true && plan.trashed > 0
      ? [`In the trash: ${counted(plan.trashed, "entry", "entries")}. Add --now to delete that for good too.`]
      : []),
  ];
  if (sizeOf(plan, options) === 0) return ["Nothing to delete.", ...stays];
  const kept = [
    ...(plan.rules > 0 ? [counted(plan.rules, "rule")] : []),
    ...(plan.pinned > 0 ? [`${plan.pinned} pinned`] : []),
  ];
  return [
    `Would delete ${allInWords(plan.counts, plan, options)}${kept.length === 0 ? "" : `, among them ${kept.join(" and ")}`}.`,
    ...(isOfAllProjects(options)
      ? [
          `Of all projects: ${plan.projects.map((one) => `${terminalLine(one.project)} (${counted(one.records, "record")})`).join(", ") || "no records"}.`,
        ]
      : []),
    ...plan.samples.map((title) => `  ${terminalLine(title)}`),
    ...(options.now === true && plan.files > 0
      ? [`${counted(plan.files, "file")} with unreadable or damaged copies would go too.`]
      : []),
    ...stays,
  ];
}

/** Words and an age alone mean records of every project. */
function isOfAllProjects({ project, session, query, before }: ForgetOptions): boolean {
  return project === undefined && session === undefined && (query ?? before) !== undefined;
}

async function agree({ io }: CliContext, plan: ForgetPlan, options: ForgetOptions): Promise<void> {
  const { yes, json, now } = options;
  if (yes === true) return;
  const lines = planLines(plan, options);
  const isOfAll = isOfAllProjects(options);
  const where = isOfAll ? ` in ${counted(plan.projects.length, "project")}` : "";
  await demandYes({
    json,
    question: now === true ? `Delete it${where} for good? It cannot be undone.` : `Delete it${where}?`,
    refusal: "Nothing was deleted.",
    unasked: {
      message: `${lines.slice(0, isOfAll ? 2 : 1).join(" ")} There is no terminal to ask on.`,
      hint: "Add --yes to delete without a question, or --dry-run to look.",
    },
    above: () => lines.forEach(io.err),
  });
}

const pollMs = 150;

async function followed({ worker, io }: CliContext, started: ForgetState): Promise<ForgetState> {
  let state = started;
  let shown = 0;
  for (; state.running; state = await worker().forgetState()) {
    if (io.talksToTerminal && state.done >= shown + 1_000) {
      shown = state.done;
      io.err(`${state.done} of ${state.total} deleted`);
    }
    await delay(pollMs);
  }
  return state;
}

/** What the deletion did not reach. */
function leftLines({ gone, erased }: ForgetState): string[] {
  return [
    ...(gone && !erased
      ? ["Bytes may be left in gaps of mem.db: the worker erases them when no messages come in."]
      : []),
    "Not reached: exports and backups that you wrote elsewhere, and other devices until they sync.",
  ];
}

function resultLines({ gone, checked, files }: ForgetState, deleted: string): string[] {
  const lines = [`Deleted ${deleted}${gone ? " for good" : ""}.`];
  if (checked !== null && checked.words > 0)
    lines.push(`Searched for ${counted(checked.words, "word")} of it: ${counted(checked.found, "result")}.`);
  if (files !== null && (checked?.words ?? 0) > 0)
    lines.push(
      `Searched ${counted(files.searched, "file")} of the data directory: ${files.words === 0 ? "none of the words left" : `${counted(files.words, "word")} left, in data that stays`}.`,
    );
  return lines;
}
