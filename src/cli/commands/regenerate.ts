// `mem regenerate`: rewrites the records of local rules with a model, and shows the progress of the worker.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { RegenerateChoice } from "../../client/parameters.ts";
import { createWorkerClient, type RegenerationAnswer } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { addCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { openProgress } from "../progress.ts";
import { demandConsent, endText, nextStep, progressText, showPlan } from "../regenerate-text.ts";
import { printWrapped } from "../table.ts";
import { parseWhen } from "../when.ts";
import { counted } from "../words.ts";
import { lookAtWorker } from "../worker-state.ts";

interface RegenerateOptions {
  since?: string;
  project?: string;
  generator?: string;
  resume?: true;
  stop?: true;
  drop?: true;
  dryRun?: true;
  yes?: true;
  plain?: true;
  json?: true;
}

/** Adds `mem regenerate`. */
export function registerRegenerate(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "regenerate",
    about: "Rewrite records of local rules with a model",
    options: [
      ["--since <time>", "only records created since 2026-01-31, yesterday, 36h, 7d"],
      ["--project <label>", "only records of this project"],
      ["--generator <name>", "only records written by it (default: local)"],
      ["--resume", "continue with the list, add nothing"],
      ["--stop", "stop; the rest stays on the list"],
      ["--drop", "stop and forget the rest"],
      ["--dry-run", "show the cost, start nothing"],
      ["--yes", "do not ask"],
      ["--plain", "print lines, even on a terminal"],
      ["--json", "print JSON: the end state, or the cost"],
    ],
    examples: [
      "mem regenerate --since 7d # shows the cost, then asks",
      "mem regenerate --resume # after Ctrl-C, a restart or a spent budget",
    ],
    run: (options: RegenerateOptions) => run(context, options),
  });
}

async function run(context: CliContext, options: RegenerateOptions): Promise<void> {
  demandOneAction(options);
  if (options.stop === true || options.drop === true) return stop(context, options);
  const choice = choiceOf(options, context.clock.now());
  const json = options.json === true;
  // The worker reads every turn of the list to measure its call: 2,000 turns take 21 s beside other work.
  context.worker({ answerMs: 300_000 });
  if (options.dryRun === true) {
    const events = await showPlan(context, choice, json);
    if (events === 0 && !json) await noteUnknownProject(context, options);
    return;
  }
  await demandConsent(context, choice, { yes: options.yes === true, json });
  const started = await context.worker().regenerate(choice);
  const ended = started.running ? await follow(context, started, options) : started;
  if (ended.left > 0) context.exitWith(exitCode.retryLater);
  if (json) {
    context.io.json(ended);
    return;
  }
  const { io } = context;
  for (const sentence of endText(ended)) printWrapped(io, io.out, sentence);
  const next = nextStep(ended);
  if (next !== null) io.err(next);
  if (ended.total === 0) await noteUnknownProject(context, options);
}

// An empty result may be a typo.
async function noteUnknownProject({ io, worker }: CliContext, { project }: RegenerateOptions): Promise<void> {
  const unknown = project === undefined ? null : await worker().unknownProject(project);
  if (unknown !== null) printWrapped(io, io.err, unknown);
}

function choiceOf(options: RegenerateOptions, nowEpochMs: number): RegenerateChoice {
  const { since, project, generator, resume } = options;
  const from = since === undefined ? undefined : parseWhen(since, "start", nowEpochMs);
  return { since: from, project, generator, resume };
}

async function stop(context: CliContext, { drop, json, dryRun }: RegenerateOptions): Promise<void> {
  const { io } = context;
  if (dryRun === true) {
    throw new MemError("usage", {
      message: `--dry-run takes no ${drop === true ? "--drop" : "--stop"}.`,
      hint: "--dry-run shows the cost of a start. Omit one of them.",
    });
  }
  const stopped = await stopInWorker(context, drop === true);
  if (stopped === null) {
    sayNothingRuns(io, { drop: drop === true, json: json === true });
    return;
  }
  const { left, state } = stopped;
  if (json === true) {
    io.json(state);
    return;
  }
  if (drop === true) io.out(left === 0 ? "The list was empty." : `${counted(left, "event")} forgotten.`);
  else io.out(state.left === 0 ? "The list is empty." : `Stopped. ${progressText(state)}.`);
  const next = nextStep(state);
  if (next !== null) io.err(next);
}

/** The state, and how many events were left before; null when the worker is stopped, which is not started for this. */
async function stopInWorker(
  context: CliContext,
  drop: boolean,
): Promise<{ left: number; state: RegenerationAnswer } | null> {
  const dataDir = context.dataDir();
  const client = createWorkerClient({ dataDir });
  try {
    const { left } = await client.regeneration();
    return { left, state: await client.stopRegeneration(drop) };
  } catch (error) {
    if (!(error instanceof MemError && error.code === "worker_unreachable")) throw error;
    if ((await lookAtWorker(dataDir)).is === "stopped") return null;
    throw error;
  } finally {
    await client.close();
  }
}

function sayNothingRuns(io: CliContext["io"], { drop, json }: { drop: boolean; json: boolean }): void {
  if (drop) {
    throw new MemError("worker_unreachable", {
      message: "The worker is stopped: nothing runs, and the list was kept.",
      hint: "Forget the list: `mem worker start && mem regenerate --drop`.",
    });
  }
  if (json) io.json({ running: false });
  else io.out("The worker is stopped: nothing runs.");
}

const pollMs = 500;

/** Shows the progress until the end. Ctrl-C stops the run, and the rest stays listed. */
async function follow(
  context: CliContext,
  started: RegenerationAnswer,
  options: RegenerateOptions,
): Promise<RegenerationAnswer> {
  const client = context.worker();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  const display = await openProgress(context.io, options, progressText);
  // Not once: ink ends the process at a signal without another listener.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  try {
    let state = started;
    for (; state.running; state = await client.regeneration()) {
      if (state.total > 0) display.show(state);
      await delay(pollMs, undefined, { signal: interrupted.signal });
    }
    if (state.total > 0) display.show(state);
    return state;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    const state = await client.stopRegeneration(false);
    throw new MemError("cancelled", {
      message: `Stopped. ${progressText(state)}.`,
      hint: nextStep(state) ?? "Nothing is left to regenerate.",
      cause: error,
    });
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
    await display.close();
  }
}

// Two actions, or an action with a filter, are refused: one of them would be ignored.
function demandOneAction({ resume, stop, drop, since, project, generator }: RegenerateOptions): void {
  const given = Object.entries({ "--resume": resume, "--stop": stop, "--drop": drop })
    .filter(([, isGiven]) => isGiven === true)
    .map(([name]) => name);
  const [action] = given;
  const isFiltered = [since, project, generator].some((value) => value !== undefined);
  if (given.length === 1 && isFiltered) {
    throw new MemError("usage", {
      message: `${action} takes no --since, --project or --generator.`,
      hint: "It applies to the whole list; filters select what a start adds to it.",
    });
  }
  if (given.length < 2) return;
  throw new MemError("usage", {
    message: `${given.join(" and ")} contradict each other.`,
    hint: "Give one: --resume continues, --stop keeps the rest listed, --drop stops and forgets it.",
  });
}
