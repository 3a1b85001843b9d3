// `mem queue`: what waits for the generator and what it gave up, tried again or dropped.
import { type Command, InvalidArgumentError } from "commander";
import type { QueueChoice, QueuePage } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { wrapToWidth } from "../../text/terminal-text.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import type { Io } from "../io.ts";
import { haltInWords, haltOf, keptInWords, resumedInWords } from "../queue-halt.ts";
import { renderQueue } from "../queue-table.ts";
import { parseWhen } from "../when.ts";
import { counted } from "../words.ts";

/** Adds `mem queue list|retry|drop`. */
export function registerQueue(program: Command, context: CliContext): void {
  const queue = program.command("queue").description("list what waits for the model, retry or drop it");
  withExamples(queue, [
    ["mem queue list --failed", "what was given up, and why"],
    ["mem queue retry --failed", "try all of it again"],
  ]);
  registerList(queue, context);
  registerRetry(queue, context);
  registerDrop(queue, context);
}

interface FilterOptions {
  failed?: true;
  since?: string;
  json?: true;
}

interface ListOptions extends FilterOptions {
  limit: number;
  offset: number;
}

function registerList(queue: Command, context: CliContext): void {
  const list = queue
    .command("list")
    .description("list what waits, what is worked on and what was given up")
    .option("--failed", "only what was given up")
    .option("--since <time>", "not accepted before 2026-01-31, yesterday, 36h, 7d")
    .option("--limit <count>", "messages to list, 1-100", wholeNumber(1, 100), 20)
    .option("--offset <count>", "messages to skip", wholeNumber(0, 10_000_000), 0)
    .option("--json", "print JSON")
    .action((options: ListOptions) => listQueue(context, options));
  withExamples(list, [
    ["mem queue list", "oldest first"],
    ["mem queue list --failed --since 7d", "given up within a week"],
  ]);
}

async function listQueue(context: CliContext, options: ListOptions): Promise<void> {
  const { io, clock } = context;
  const { limit, offset } = options;
  const worker = context.worker();
  const page = await worker.queue({ ...pageFilter(options, clock.now()), limit, offset });
  if (options.json === true) {
    io.json(page);
    return;
  }
  const waits = page.items.some(({ status }) => status === "pending");
  const halt = waits ? haltOf(await worker.health(), clock.now()) : null;
  if (page.items.length > 0) renderQueue(io, page.items, { nowEpochMs: clock.now(), halt });
  for (const text of halt === null ? [] : [haltInWords(halt)]) tell(io, text);
  for (const text of restInWords(page, options)) tell(io, text);
}

function tell(io: Io, text: string): void {
  for (const line of wrapToWidth(text, io.columns)) io.err(line);
}

function pageFilter(options: FilterOptions, nowEpochMs: number) {
  return {
    ...(options.failed === true ? { status: "dead" as const } : {}),
    ...since(options, nowEpochMs),
  };
}

function since(options: FilterOptions, nowEpochMs: number): { since?: string } {
  return options.since === undefined ? {} : { since: parseWhen(options.since, "start", nowEpochMs) };
}

/** What the table does not say: that there is nothing, that there is more, and what can be done. */
function restInWords({ items, total, hasMore, offset }: QueuePage, options: ListOptions): string[] {
  if (total === 0) return [emptiness(options)];
  const more = `${counted(items.length, "message")} of ${total.toLocaleString("en-US")}; \`--offset ${offset + items.length}\` shows the next.`;
  return [
    ...(hasMore ? [more] : []),
    ...(items.length === 0 ? [`There are only ${counted(total, "message")}.`] : []),
    ...(items.some(({ status }) => status === "dead")
      ? ["Once the reason is mended: `mem queue retry --failed`."]
      : []),
  ];
}

function emptiness({ failed, since: from }: FilterOptions): string {
  if (from !== undefined) return "The queue holds nothing of that time.";
  return failed === true ? "Nothing was given up." : "The queue is empty.";
}

function registerRetry(queue: Command, context: CliContext): void {
  const retry = queue
    .command("retry")
    .description("try failed messages again, now; without ids all that failed")
    .argument("[ids...]", "numbers from `mem queue list`", messageIds)
    .option("--failed", "only what was given up, not what waits for another try")
    .option("--since <time>", "not accepted before 2026-01-31, yesterday, 36h, 7d")
    .option("--json", "print JSON")
    .action((ids: number[], options: FilterOptions) => retryQueue(context, ids, options));
  withExamples(retry, [
    ["mem queue retry 4711 4712", "these two"],
    ["mem queue retry --failed --since 2d", "what was given up since"],
  ]);
}

async function retryQueue(
  context: CliContext,
  ids: readonly number[],
  options: FilterOptions,
): Promise<void> {
  const { io, clock } = context;
  const worker = context.worker();
  const answer = await worker.retryQueued(choose("retry", ids, options, clock.now()));
  if (answer.notFound > 0) context.exitWith(notFoundExitCode);
  if (options.json === true) {
    io.json(answer);
    return;
  }
  const health = await worker.health();
  const nothingFits = answer.retried === 0 && ids.length === 0;
  const halt = answer.resumed || health.queue.depth === 0 ? null : haltOf(health, clock.now());
  const due = answer.waiting === 0 ? [] : [`${answer.waiting} waited without a failure`];
  const parts = [retriedInWords(answer.retried, halt !== null), ...due, ...leftOut(answer)];
  if (answer.resumed) io.out(resumedInWords(health));
  if (!answer.resumed || !nothingFits) io.out(sentence(parts, nothingFits));
  if (halt !== null) tell(io, haltInWords(halt));
  else if (answer.waitsUntil !== null) tell(io, keptInWords(health, answer.waitsUntil, clock.now()));
}

function retriedInWords(retried: number, isHalted: boolean): string {
  if (retried === 0) return "Nothing is tried again";
  const messages = counted(retried, "message");
  if (isHalted) return `${messages} will be tried again when the provider goes on`;
  return `${messages} ${retried === 1 ? "is" : "are"} tried again now`;
}

interface DropOptions extends FilterOptions {
  yes?: true;
}

function registerDrop(queue: Command, context: CliContext): void {
  const drop = queue
    .command("drop")
    .description("take messages out of the queue: nothing is made of them")
    .argument("[ids...]", "numbers from `mem queue list`", messageIds)
    .option("--failed", "all that was given up")
    .option("--since <time>", "of these, not accepted before 2026-01-31, 36h, 7d")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((ids: number[], options: DropOptions) => dropQueue(context, ids, options));
  withExamples(drop, [
    ["mem queue drop 4711", "this one, after a question"],
    ["mem queue drop --failed --yes", "all that was given up, unasked"],
  ]);
}

async function dropQueue(context: CliContext, ids: readonly number[], options: DropOptions): Promise<void> {
  const { io, clock } = context;
  if (ids.length === 0 && options.failed !== true) {
    throw usage("drop", "Say what to drop: ids of messages, or --failed for all that was given up.");
  }
  const choice = choose("drop", ids, options, clock.now());
  if (options.yes !== true) await ask(context, ids, options);
  const answer = await context.worker().dropQueued(choice);
  if (answer.notFound > 0) context.exitWith(notFoundExitCode);
  if (options.json === true) {
    io.json(answer);
    return;
  }
  const done =
    answer.dropped === 0
      ? "Nothing was dropped"
      : `${counted(answer.dropped, "message")} ${answer.dropped === 1 ? "was" : "were"} dropped`;
  io.out(sentence([done, ...leftOut(answer)], answer.dropped === 0 && ids.length === 0));
}

async function ask(context: CliContext, ids: readonly number[], options: DropOptions): Promise<void> {
  if (!canAsk()) {
    throw new MemError("usage", {
      message: "Nobody can be asked here, so nothing was dropped.",
      hint: "Add --yes to drop unasked; `mem queue list` shows what there is.",
    });
  }
  const filter = pageFilter(options, context.clock.now());
  const count = ids.length || (await context.worker().queue({ ...filter, limit: 1 })).total;
  if (count === 0) return;
  const question = `Drop ${counted(count, "message")}? Nothing will be remembered of ${count === 1 ? "it" : "them"}.`;
  await confirm(question, "Nothing was dropped.");
}

/** Ids, or the filter; both at once could only be a mistake. */
function choose(
  command: string,
  ids: readonly number[],
  options: FilterOptions,
  nowEpochMs: number,
): QueueChoice {
  if (ids.length === 0) {
    return { ...(options.failed === true ? { failed: true } : {}), ...since(options, nowEpochMs) };
  }
  if (options.failed === true || options.since !== undefined) {
    throw usage(command, "Give ids of messages, or --failed and --since, not both.");
  }
  return { ids };
}

const notFoundExitCode = new MemError("not_found").exitCode;

function usage(command: string, message: string): MemError {
  return new MemError("usage", { message, hint: `See \`mem queue ${command} --help\`.` });
}

function leftOut({ processing, notFound }: { processing: number; notFound: number }): string[] {
  return [
    ...(processing === 0 ? [] : [`${processing} left to the model, which works on it`]),
    ...(notFound === 0 ? [] : [`${notFound} not in the queue`]),
  ];
}

function sentence(parts: readonly string[], nothingFits: boolean): string {
  return `${parts.join(", ")}${nothingFits ? ": nothing in the queue fits" : ""}.`;
}

function messageIds(text: string, before: number[] | undefined): number[] {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new InvalidArgumentError("It must be a number from `mem queue list`.");
  }
  return [...(before ?? []), Number(text)];
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,8}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
