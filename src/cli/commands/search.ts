// `mem search`: observations, summaries and prompts by words and filters.
import { type Command, InvalidArgumentError } from "commander";
import type { SearchParameters } from "../../client/parameters.ts";
import type { SearchAnswer } from "../../client/worker-client.ts";
import { workingPlace } from "../../core/directory.ts";
import { MemError } from "../../core/errors.ts";
import { oneList } from "../../core/records/found-list.ts";
import { isOnUnknownType } from "../../core/records/known-names.ts";
import { modeWordId } from "../../core/records/mode.ts";
import { observationConcepts, observationTypes } from "../../core/records/records.ts";
import { isOnUnknownWords } from "../../core/records/respelling.ts";
import {
  addCommand,
  branchOption,
  choice,
  count,
  type JsonOptions,
  jsonOption,
  projectOption,
} from "../command.ts";
import type { CliContext } from "../context.ts";
import { hitAsJson } from "../search-list.ts";
import { renderSearch } from "../search-results.ts";
import { printWarnings } from "../table.ts";
import { searchTeam } from "../team-search.ts";
import { refuseUnknownProject } from "../unknown-project.ts";
import { parseWhen } from "../when.ts";

interface SearchOptions extends JsonOptions {
  type?: string;
  format?: "index" | "full";
  limit: number;
  offset: number;
  project?: string;
  branch?: string;
  obsType?: string;
  concepts?: string[];
  files?: string[];
  since?: string;
  until?: string;
  all?: true;
  team?: true;
}

const kinds = ["observations", "sessions", "prompts"];

/** Adds `mem search`. */
export function registerSearch(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "search",
    about: "Find observations, summaries and prompts",
    arguments: [["[words...]", "a question or words; without them only the filters apply"]],
    options: [
      ["--type <kind>", `one kind only: ${kinds.join(", ")}`, kindOrType],
      choice("--format <format>", "how much of each", ["index", "full"], "index"),
      ["--limit <count>", "results, 1-100", count(1, 100), 20],
      ["--offset <count>", "results to skip", count(0, 10_000), 0],
      projectOption("one project only"),
      branchOption,
      ["--obs-type <type>", "one type only, such as bugfix (list: `mem mode show`)", wordId],
      ["--concepts <list>", `with one of ${observationConcepts.slice(0, 3).join(", ")}, ...`, commaList],
      ["--files <list>", "about one of these files", commaList],
      ["--since <time>", "from 2026-01-31, yesterday, 30m, 36h, 7d"],
      ["--until <time>", "up to such a time"],
      ["--all", "include routine steps, such as reads and covered edits"],
      ["--team", "search the team's server instead, see `mem server connect`"],
      jsonOption,
    ],
    examples: [
      "mem search how did we fix the login redirect",
      "mem search --obs-type bugfix --since 7d --project shop",
    ],
    paged: true,
    run: (words: string[], options: SearchOptions) => searchMemory(context, words, options),
  });
}

async function searchMemory(
  context: CliContext,
  words: readonly string[],
  options: SearchOptions,
): Promise<void> {
  const { io, clock } = context;
  if (options.team === true) return searchTeam(context, words, options);
  const asked = parameters(words.join(" "), options, clock.now());
  const lasting = await context.worker().search(asked);
  // Prompts alone do not show what was done.
  const isEnough = asked.routine === undefined || lasting.observations.length + lasting.sessions.length > 0;
  const answer = isEnough ? lasting : await context.worker().search({ ...asked, routine: undefined });
  refuseUnknownType(answer, options);
  const { observations, sessions, prompts, ...rest } = answer;
  const found = observations.length + sessions.length + prompts.length;
  if (found === 0) await refuseUnknownProject(context.worker(), options.project);
  if (options.json === true) {
    io.json({ items: oneList(answer).map(hitAsJson), ...rest });
    return;
  }
  // Notes describe the results; those on an empty answer give the reason.
  const isFirst = (note: string) => found > 0 || isOnUnknownWords(note);
  printWarnings(io, answer.notes.filter(isFirst));
  if (found > 0 && asked.routine === "false") printWarnings(io, [withoutWords]);
  if (found > 0) renderSearch(io, answer, { nowEpochMs: clock.now(), all: options.all === true });
  else io.err((await isEmpty(context)) ? nothingYet : nothingFound(words, options));
  printWarnings(
    io,
    answer.notes.filter((note) => !isFirst(note)),
  );
}

// The route searches without the type and says so; a script could not tell these results from filtered ones.
function refuseUnknownType({ notes }: SearchAnswer, { type }: SearchOptions): void {
  const note = type === undefined ? undefined : notes.find((one) => isOnUnknownType(one, type));
  if (note === undefined) return;
  throw new MemError("usage", { message: note, hint: `Kinds of records: ${kinds.join(", ")}.` });
}

function parameters(query: string, options: SearchOptions, nowEpochMs: number): SearchParameters {
  const { obsType, since, until, json: _json, all, team: _team, ...same } = options;
  return {
    ...same,
    together: "true",
    ...workingPlace(),
    query: query.trim() === "" ? undefined : query,
    // A list of the newest would be steps alone. With words they come last.
    routine: all === true || query.trim() !== "" ? undefined : "false",
    obs_type: obsType,
    dateStart: since === undefined ? undefined : parseWhen(since, "start", nowEpochMs),
    dateEnd: until === undefined ? undefined : parseWhen(until, "end", nowEpochMs),
  };
}

const withoutWords = "Without words: the newest records. Routine steps too: add --all.";

const nothingYet =
  "The memory is empty. Record Claude Code: `mem install claude-code`. See how it works: `mem demo`.";

async function isEmpty(context: CliContext): Promise<boolean> {
  const { database } = await context.worker().stats();
  return database.observations + database.prompts + database.summaries === 0;
}

function nothingFound(words: readonly string[], options: SearchOptions): string {
  const filtered = Object.keys(options).some(
    (name) => !["format", "json", "all", "team", "limit", "offset"].includes(name),
  );
  const hints = [...(words.length > 0 ? ["other words"] : []), ...(filtered ? ["fewer filters"] : [])];
  return `Nothing found. Try ${hints.join(" or ") || "other words"}.`;
}

// The worker takes a type of observation here too, and says which there are.
function kindOrType(text: string): string {
  const word = text.toLowerCase();
  if (modeWordId.test(word)) return word;
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
