// `mem queue`: messages that wait for the model, are being processed or have failed.
import { type Command, InvalidArgumentError } from "commander";
import type { QueueChoice } from "../../client/parameters.ts";
import type { QueuePage } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { addCommand, count, type JsonOptions, jsonOption, listOf } from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { haltInWords, haltOf, renderQueue, resumedInWords } from "../queue-lines.ts";
import { printWrapped } from "../table.ts";
import { parseWhen } from "../when.ts";
import { counted, localTime } from "../words.ts";

interface FilterOptions extends JsonOptions {
  failed?: true;
  since?: string;
}

interface ListOptions extends FilterOptions {
  limit: number;
  offset: number;
}

interface DropOptions extends FilterOptions {
  yes?: true;
}

/** Adds `mem queue list|retry|drop`. */
export function registerQueue(program: Command, context: CliContext): void {
  const queue = addCommand(program, context, {
    name: "queue",
    about: "List, retry and drop messages that wait for the model",
    examples: [
      "mem queue list --failed # failed messages, and why",
      "mem queue retry --failed # retry all of them",
    ],
  });
  addCommand(queue, context, {
    name: "list",
    about: "List waiting, running and failed messages",
    options: [
      ["--failed", "only failed messages"],
      ["--since <time>", "accepted since 2026-01-31, yesterday, 36h, 7d"],
      ["--limit <count>", "messages to list, 1-100", count(1, 100), 20],
      ["--offset <count>", "messages to skip", count(0, 10_000_000), 0],
      jsonOption,
    ],
    examples: ["mem queue list # oldest first", "mem queue list --failed --since 7d # failed within a week"],
    paged: true,
    run: (options: ListOptions) => listQueue(context, options),
  });
  const ids = ["[ids...]", "numbers from `mem queue list`", listOf(messageId)] as const;
  addCommand(queue, context, {
    name: "retry",
    about: "Retry failed messages now; without ids all of them",
    arguments: [ids],
    options: [
      ["--failed", "only failed messages, not those that wait for a retry"],
      ["--since <time>", "accepted since 2026-01-31, yesterday, 36h, 7d"],
      jsonOption,
    ],
    examples: [
      "mem queue retry 4711 4712 # these two",
      "mem queue retry --failed --since 2d # failed messages of two days",
    ],
    run: (given: number[], options: FilterOptions) => retryQueue(context, given, options),
  });
  addCommand(queue, context, {
    name: "drop",
    about: "Remove messages from the queue without processing them",
    arguments: [ids],
    options: [
      ["--failed", "all failed messages"],
      ["--since <time>", "with --failed: accepted since 2026-01-31, 36h, 7d"],
      ["--yes", "do not ask"],
      jsonOption,
    ],
    examples: [
      "mem queue drop 4711 # this one, after a question",
      "mem queue drop --failed --yes # all failed ones, unasked",
    ],
    run: (given: number[], options: DropOptions) => dropQueue(context, given, options),
  });
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
  const notes = [...(halt === null ? [] : [haltInWords(halt)]), ...listNotes(page, options)];
  for (const note of notes) printWrapped(io, io.err, note);
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

function listNotes({ items, total, hasMore, offset }: QueuePage, options: ListOptions): string[] {
  if (total === 0) return [emptyNote(options)];
  const more = `${counted(items.length, "message")} of ${total.toLocaleString("en-US")}. Next: \`--offset ${offset + items.length}\`.`;
  return [
    ...(hasMore ? [more] : []),
    ...(items.length === 0 ? [`There are only ${counted(total, "message")}.`] : []),
    ...(items.some(({ status }) => status === "dead")
      ? ["Fix the reason, then run `mem queue retry --failed`."]
      : []),
  ];
}

function emptyNote({ failed, since: from }: FilterOptions): string {
  if (from !== undefined) return "No messages since then.";
  return failed === true ? "No failed messages." : "The queue is empty.";
}

async function retryQueue(
  context: CliContext,
  ids: readonly number[],
  options: FilterOptions,
): Promise<void> {
  const { io, clock } = context;
  const worker = context.worker();
  const answer = await worker.retryQueued(choose("retry", ids, options, clock.now()));
  if (answer.notFound > 0) context.exitWith(exitCode.notFound);
  if (options.json === true) {
    io.json(answer);
    return;
  }
  const health = await worker.health();
  const isNone = answer.retried === 0 && ids.length === 0;
  const halt = answer.resumed || health.queue.depth === 0 ? null : haltOf(health, clock.now());
  const waiting = answer.waiting === 0 ? [] : [`${answer.waiting} already waiting`];
  if (answer.resumed) io.out(resumedInWords(health));
  if (!answer.resumed || !isNone)
    io.out(`${[retriedInWords(answer.retried, halt !== null), ...waiting, ...leftOut(answer)].join(", ")}.`);
  if (halt !== null) printWrapped(io, io.err, haltInWords(halt));
  else if (answer.waitsUntil !== null) {
    const until = localTime(answer.waitsUntil, clock.now());
    printWrapped(
      io,
      io.err,
      `${health.provider.name} asked for a pause until ${until}; mem waits until then.`,
    );
  }
}

function retriedInWords(retried: number, isHalted: boolean): string {
  if (retried === 0) return "No messages to retry";
  const messages = counted(retried, "message");
  return isHalted ? `${messages} will be retried after the pause` : `Retrying ${messages}`;
}

async function dropQueue(context: CliContext, ids: readonly number[], options: DropOptions): Promise<void> {
  const { io, clock } = context;
  if (ids.length === 0 && options.failed !== true) throw usage("drop", "Give ids of messages, or --failed.");
  const choice = choose("drop", ids, options, clock.now());
  if (options.yes !== true) await ask(context, ids, options);
  const answer = await context.worker().dropQueued(choice);
  if (answer.notFound > 0) context.exitWith(exitCode.notFound);
  if (options.json === true) io.json(answer);
  else {
    const done =
      answer.dropped === 0 ? "No messages to drop" : `Dropped ${counted(answer.dropped, "message")}`;
    io.out(`${[done, ...leftOut(answer)].join(", ")}.`);
  }
}

async function ask(context: CliContext, ids: readonly number[], options: DropOptions): Promise<void> {
  if (!canAsk()) {
    throw new MemError("usage", {
      message: "There is no terminal to ask on, so nothing was dropped.",
      hint: "Add --yes to drop without a question. List messages: `mem queue list`.",
    });
  }
  const filter = pageFilter(options, context.clock.now());
  const messages = ids.length || (await context.worker().queue({ ...filter, limit: 1 })).total;
  if (messages === 0) return;
  const question = `Drop ${counted(messages, "message")}? ${messages === 1 ? "It" : "They"} will not be remembered.`;
  await confirm(question, "Nothing was dropped.");
}

function choose(
  command: string,
  ids: readonly number[],
  options: FilterOptions,
  nowEpochMs: number,
): QueueChoice {
  if (ids.length === 0) {
    return { ...(options.failed === true ? { failed: true } : {}), ...since(options, nowEpochMs) };
  }
  if (options.failed === true || options.since !== undefined)
    throw usage(command, "Give ids of messages, or --failed and --since, not both.");
  return { ids };
}

function usage(command: string, message: string): MemError {
  return new MemError("usage", { message, hint: `See \`mem queue ${command} --help\`.` });
}

function leftOut({ processing, notFound }: { processing: number; notFound: number }): string[] {
  return [
    ...(processing === 0 ? [] : [`${processing} running`]),
    ...(notFound === 0 ? [] : [`${notFound} not in the queue`]),
  ];
}

function messageId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number from `mem queue list`.");
}
