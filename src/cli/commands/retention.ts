// `mem retention`: how long records are kept; older ones go to the trash once a day.
import { type Command, InvalidArgumentError } from "commander";
import type { ForgetPlan, RetentionBody, RetentionState } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { countsInWords } from "../../core/records/forget.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption, projectOption } from "../command.ts";
import { demandYes } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { refuseUnknownProject } from "../unknown-project.ts";
import { ageInWords, counted, localDate } from "../words.ts";

interface SetOptions extends JsonOptions {
  days?: number | "default";
  project?: string;
  dryRun?: true;
  yes?: true;
}

/** Adds `mem retention`, `mem retention set` and `mem retention off`. */
export function registerRetention(program: Command, context: CliContext): void {
  const retention = addCommand(program, context, {
    name: "retention",
    about: "Show how long records are kept, and what is older",
    options: [jsonOption],
    examples: ["mem retention", "mem retention set --days 365 --dry-run # what would go"],
    notes: [
      "Off by default. Rules, pinned observations and their sessions stay. What goes",
      "is in the trash for 30 days. Receipts: `mem trash receipts`.",
    ].join("\n"),
    run: (options: JsonOptions) => show(context, options),
  });
  addCommand(retention, context, {
    name: "set",
    about: "Move records that are older than some days to the trash, every day",
    options: [
      ["--days <count>", "1-36500, or `default` for the general policy", days],
      projectOption("the policy of this project; it wins over the general one"),
      ["--dry-run", "print what would go, change nothing"],
      ["--yes", "do not ask"],
      jsonOption,
    ],
    examples: ["mem retention set --days 365 # every project", "mem retention set --days 30 --project shop"],
    run: (options: SetOptions) => set(context, options),
  });
  addCommand(retention, context, {
    name: "off",
    about: "Keep records of any age",
    options: [projectOption("keep everything of this project"), jsonOption],
    examples: ["mem retention off", "mem retention off --project shop"],
    run: async ({ project, json }: Omit<SetOptions, "days">) => {
      await refuseUnknownProject(context.worker(), project);
      const change = project === undefined ? { days: null } : { project, days: 0 };
      print(context, await context.worker().setRetention(change), json);
    },
  });
}

function days(text: string): number | "default" {
  if (text === "default") return text;
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 36_500) return Number(text);
  throw new InvalidArgumentError("It must be a number of days, 1-36500, or `default`.");
}

async function show(context: CliContext, { json }: JsonOptions): Promise<void> {
  print(context, await context.worker().retention(), json);
}

async function set(context: CliContext, options: SetOptions): Promise<void> {
  const { io } = context;
  const { project, dryRun, json } = options;
  const worker = context.worker();
  const change = changeOf(options);
  await refuseUnknownProject(worker, project);
  const plan = await worker.retentionPlan(change);
  if (dryRun === true) {
    if (json === true) io.json({ set: false, would_remove: plan.counts, samples: plan.samples });
    else for (const line of planLines(plan)) io.out(line);
    return;
  }
  if (sizeOf(plan) > 0) await agree(context, plan, options);
  print(context, await worker.setRetention(change), json);
}

function changeOf({ days: wanted, project }: SetOptions): RetentionBody {
  if (wanted === undefined || (wanted === "default" && project === undefined)) {
    throw new MemError("usage", {
      message:
        wanted === undefined ? "Name the age: --days COUNT." : "`default` is for a project: add --project.",
      hint: "See `mem retention set --help`.",
    });
  }
  return { ...(project === undefined ? {} : { project }), days: wanted === "default" ? null : wanted };
}

function sizeOf({ counts }: ForgetPlan): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function planLines(plan: ForgetPlan): string[] {
  if (sizeOf(plan) === 0) return ["Nothing is older."];
  return [
    `Would move ${countsInWords(plan.counts)} to the trash.`,
    ...plan.samples.map((title) => `  ${terminalLine(title)}`),
  ];
}

async function agree({ io }: CliContext, plan: ForgetPlan, { yes, json }: SetOptions): Promise<void> {
  if (yes === true) return;
  const lines = planLines(plan);
  await demandYes({
    json,
    question: "Set it?",
    refusal: "Nothing was changed.",
    unasked: {
      message: `${lines[0]} There is no terminal to ask on.`,
      hint: "Add --yes to set it without a question, or --dry-run to look.",
    },
    above: () => lines.forEach(io.err),
  });
}

function print({ io, clock }: CliContext, state: RetentionState, json: boolean | undefined): void {
  if (json === true) io.json({ set: true, ...state });
  else for (const line of stateLines(state, clock.now())) io.out(line);
}

function stateLines(state: RetentionState, now: number): string[] {
  const { projects, last_run_epoch, last_removed, waits_until_epoch, would_remove } = state;
  const isOff = state.days === null && projects.every((one) => one.days === 0);
  const general =
    state.days === null
      ? "Records of any age are kept."
      : `Records are kept for ${counted(state.days, "day")}.`;
  return [
    general,
    ...projects.map(
      (one) =>
        `  ${terminalLine(one.project)}: ${one.days === 0 ? "kept at any age" : counted(one.days, "day")}`,
    ),
    ...(isOff ? [] : [`Older now: ${countsInWords(would_remove)}.`]),
    ...(last_run_epoch === null ? [] : [`Last run: ${ageInWords(last_run_epoch, now)}.`]),
    ...(last_removed === null
      ? []
      : [
          `Removed on ${localDate(new Date(last_removed.at_epoch))}: ${countsInWords(last_removed.counts)}. Undo: \`mem trash\`.`,
        ]),
    ...(waits_until_epoch === null || isOff
      ? []
      : [`The clock jumped: nothing is removed before ${localDate(new Date(waits_until_epoch))}.`]),
  ];
}
