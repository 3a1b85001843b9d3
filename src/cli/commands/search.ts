// `mem search`: what was learned, found by words and filters.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SearchParameters } from "../../client/worker-client.ts";
import { modeWordId } from "../../core/records/mode.ts";
import { observationConcepts, observationTypes } from "../../core/records/records.ts";
import { terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { count } from "../count.ts";
import { withExamples } from "../examples.ts";
import { renderSearch } from "../search-results.ts";
import { parseWhen } from "../when.ts";

interface SearchOptions {
  type?: string;
  format?: "index" | "full";
  limit?: number;
  offset?: number;
  project?: string;
  obsType?: string;
  concepts?: string[];
  files?: string[];
  since?: string;
  until?: string;
  all?: true;
  json?: true;
}

/** Adds `mem search`. */
export function registerSearch(program: Command, context: CliContext): void {
  const search = program
    .command("search")
    .description("find observations, session summaries and prompts")
    .argument("[words...]", "a question or words; leave out to filter only")
    .option("--type <kind>", `one kind only: ${kinds.join(", ")}`, kindOrType)
    .addOption(
      new Option("--format <format>", "how much of each").choices(["index", "full"]).default("index"),
    )
    .option("--limit <count>", "results of each kind, 1-100", count(1, 100))
    .option("--offset <count>", "results to skip", count(0, 100_000))
    .option("--project <name>", "only of one project")
    .option("--obs-type <type>", "one type only, such as bugfix (`mem mode show` lists them)", wordId)
    .option(
      "--concepts <list>",
      `only with one of ${observationConcepts.slice(0, 3).join(", ")}, ...`,
      commaList,
    )
    .option("--files <list>", "only that touched one of these files", commaList)
    .option("--since <time>", "not before 2026-01-31, yesterday, 30m, 36h, 7d")
    .option("--until <time>", "not after")
    .option("--all", "routine steps as well, such as reads and covered edits")
    .option("--json", "print JSON")
    .action((words: string[], options: SearchOptions) => searchMemory(context, words, options));
  withExamples(search, [
    ["mem search how did we fix the login redirect", ""],
    ["mem search --obs-type bugfix --since 7d --project shop", ""],
  ]);
}

async function searchMemory(
  context: CliContext,
  words: readonly string[],
  options: SearchOptions,
): Promise<void> {
  const { io } = context;
  const answer = await context.worker().search(parameters(words.join(" "), options, context.clock.now()));
  if (options.json === true) {
    io.json(answer);
    return;
  }
  const found = answer.observations.length + answer.sessions.length + answer.prompts.length;
  if (found === 0) io.err((await isEmpty(context)) ? nothingYet : nothingFound(options));
  else renderSearch(io, answer, { nowEpochMs: context.clock.now(), all: options.all === true });
  for (const note of answer.notes)
    for (const line of wrapToWidth(terminalLine(note), io.columns)) io.err(io.errPaint.yellow(line));
}

function parameters(query: string, options: SearchOptions, nowEpochMs: number): SearchParameters {
  const { obsType, since, until, json: _json, all: _all, ...same } = options;
  return {
    ...same,
    ...(query.trim() === "" ? {} : { query }),
    ...(obsType === undefined ? {} : { obs_type: obsType }),
    ...(since === undefined ? {} : { dateStart: parseWhen(since, "start", nowEpochMs) }),
    ...(until === undefined ? {} : { dateEnd: parseWhen(until, "end", nowEpochMs) }),
  };
}

const nothingYet =
  "Nothing is remembered yet. `mem install claude-code` lets Claude Code remember, `mem demo` shows how it works.";

async function isEmpty(context: CliContext): Promise<boolean> {
  const { database } = await context.worker().stats();
  return database.observations + database.prompts + database.summaries === 0;
}

function nothingFound(options: SearchOptions): string {
  const filtered = Object.keys(options).some((name) => !["format", "json", "all"].includes(name));
  return filtered ? "Nothing found. Try it with fewer filters." : "Nothing found. Try other words.";
}

const kinds = ["observations", "sessions", "prompts"];

// What the worker reads as a type of observation is one here too, where it is known to be.
function kindOrType(text: string): string {
  const word = text.toLowerCase();
  const known: readonly string[] = [...kinds, ...kinds.map((kind) => kind.slice(0, -1)), ...observationTypes];
  if (known.includes(word)) return word;
  throw new InvalidArgumentError(
    `Allowed choices are ${kinds.join(", ")}; or a type of observation: ${observationTypes.join(", ")}.`,
  );
}

function wordId(text: string): string {
  const id = text.toLowerCase();
  if (modeWordId.test(id)) return id;
  throw new InvalidArgumentError(`A type is one word: ${observationTypes.join(", ")}, or one of your mode.`);
}

function commaList(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
