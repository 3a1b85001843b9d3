// `mem timeline`, `mem file`: what happened around a record or a moment, and what is known of a file.
import { isAbsolute, resolve } from "node:path";
import type { Command } from "commander";
import type { FileTimelineAnswer } from "../../client/worker-client.ts";
import { isoTime } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import { parseRecordName, recordName } from "../../core/records/record-name.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { count } from "../count.ts";
import { withExamples } from "../examples.ts";
import { speakerMarks, statusMarks } from "../status-marks.ts";
import { stepLines } from "../step-lines.ts";
import { renderTimeline, timelineLine } from "../timeline-lines.ts";
import { isAge, parseWhen } from "../when.ts";
import { counted, homePath } from "../words.ts";

interface TimelineOptions {
  query?: string;
  before?: number;
  after?: number;
  project?: string;
  all?: true;
  json?: true;
}

type Given = { [Name in keyof TimelineOptions]-?: TimelineOptions[Name] | undefined };

/** Adds `mem timeline` and `mem file`. */
export function registerTimeline(program: Command, context: CliContext): void {
  const timeline = program
    .command("timeline")
    .description("show what came before and after a record or a moment")
    .argument(
      "[anchor]",
      "an id from `mem search` (12, S12, P12), a time (2026-01-31T12:00), or since when (30m, 2h, 7d); leave out for the newest",
    )
    .option("--query <words>", "instead of an anchor: the observation that fits best")
    .option("--before <count>", "records before it, 0-100", count(0, 100))
    .option("--after <count>", "records after it, 0-100", count(0, 100))
    .option("--project <name>", "of one project (default: that of the record; all around a time)")
    .option("--all", "routine steps as well, such as reads and covered edits")
    .option("--json", "print JSON")
    .action((anchor: string | undefined, options: TimelineOptions) => showTimeline(context, anchor, options));
  withExamples(timeline, [
    ["mem timeline 12 --before 3", "what led to observation 12"],
    ["mem timeline 2h --project shop", "the last two hours"],
  ]);
  const file = program
    .command("file")
    .description("show what is known of a file")
    .argument("<path>", "its path; a part of its end is enough")
    .option("--project <name>", "of another project than the one here")
    .option("--all", "of all projects")
    .option("--limit <count>", "records at most, 1-100", count(1, 100))
    .option("--json", "print JSON")
    .action((path: string, options: FileOptions) => showFile(context, path, options));
  withExamples(file, [
    ["mem file src/login.ts", "who read and changed it"],
    ["mem file login.ts --project shop", "wherever it lies in the project"],
  ]);
}

async function showTimeline(
  context: CliContext,
  anchor: string | undefined,
  { query, before, after, project, all, json }: TimelineOptions,
): Promise<void> {
  if (anchor !== undefined && query !== undefined) {
    throw new MemError("usage", {
      message: "An anchor and --query do not go together.",
      hint: "Give an id such as 12, S12 or P12, a time, or --query with words.",
    });
  }
  if (anchor === undefined && query === undefined) {
    await showNewest(context, { before, project, all, json });
    return;
  }
  if (anchor !== undefined && isAge(anchor) && before === undefined && after === undefined) {
    await showSince(context, anchor, { project, all, json });
    return;
  }
  const items = await context.worker().timeline({
    ...(anchor === undefined ? {} : { anchor: anchorOf(anchor, context.clock.now()) }),
    ...(query === undefined ? {} : { query }),
    ...(before === undefined ? {} : { depth_before: before }),
    ...(after === undefined ? {} : { depth_after: after }),
    ...(project === undefined ? {} : { project }),
  });
  if (json === true) context.io.json(items);
  else if (items.length === 0) context.io.err("Nothing is remembered around that. Try it without --project.");
  else renderTimeline(context.io, items.map(timelineLine), { all: all === true });
}

async function showNewest(
  context: CliContext,
  { before = newestShown, project, all, json }: Pick<Given, "before" | "project" | "all" | "json">,
): Promise<void> {
  const { io } = context;
  const items = await upToNow(context, { count: before, project });
  if (json === true) io.json(items);
  else if (items.length === 0) io.err("Nothing is remembered yet. `mem demo` shows how it works.");
  else {
    renderTimeline(io, items.map(timelineLine), { all: all === true });
    const next =
      "These are the newest records. Around one: `mem timeline <id>`. Since when: `mem timeline 2h`.";
    for (const line of stepLines(next, io.columns)) io.err(line);
  }
}

const newestShown = 30;

async function upToNow(
  { worker, clock }: CliContext,
  { count, project }: { count: number; project: string | undefined },
) {
  return worker().timeline({
    // What this very moment brought is before it too.
    anchor: isoTime(clock.now() + 60_000),
    depth_before: count,
    depth_after: 0,
    ...(project === undefined ? {} : { project }),
  });
}

// Who asks for the last two hours wants what is newest in them; with --before or --after it is that moment itself.
async function showSince(
  context: CliContext,
  age: string,
  { project, all, json }: Record<"all" | "json", true | undefined> & { project: string | undefined },
): Promise<void> {
  const { io, clock } = context;
  const now = clock.now();
  const since = Date.parse(parseWhen(age, "start", now));
  const found = await upToNow(context, { count: shownSince + 1, project });
  const within = found.filter(({ created_at_epoch }) => created_at_epoch >= since);
  const items = within.slice(-shownSince);
  if (json === true) io.json(items);
  else if (items.length === 0)
    io.err(
      `Nothing was remembered in the last ${age}${project === undefined ? "" : ". Try it without --project"}.`,
    );
  else renderTimeline(io, items.map(timelineLine), { all: all === true });
  if (within.length > items.length)
    io.err(
      `Only the newest ${shownSince}: \`mem timeline ${age} --after 100\` shows the first of that time.`,
    );
}

const shownSince = 50;

function anchorOf(text: string, nowEpochMs: number): string {
  const name = parseRecordName(text);
  if (name !== undefined) return recordName(name);
  try {
    return parseWhen(text, "start", nowEpochMs);
  } catch (cause) {
    if (isAge(text)) throw cause;
    throw new MemError("usage", {
      message: `"${text}" is not a time, nor an id such as 12, S12 or P12.`,
      hint: "Ids come from `mem search`; a time is like 2026-01-31, yesterday, 30m, 36h; words go behind --query.",
      cause,
    });
  }
}

interface FileOptions {
  project?: string;
  all?: true;
  limit?: number;
  json?: true;
}

async function showFile(context: CliContext, path: string, options: FileOptions): Promise<void> {
  const { io } = context;
  const found = await recordsOf(context, path, options);
  if (options.json === true) {
    io.json(found);
    return;
  }
  if (found.total === 0) {
    io.err(nothingKnown(homePath(found.path), options));
    return;
  }
  renderTimeline(io, oneOfEachTurn(found.observations).map(fileLine));
  const more = found.total - found.count;
  if (more > 0) io.err(`${counted(more, "older record")} not shown: --limit shows up to 100.`);
}

function nothingKnown(path: string, { project, all }: FileOptions): string {
  if (project !== undefined || all === true)
    return `Nothing is known of ${path}. \`mem search\` looks for its words.`;
  return `Nothing is known of ${path} in this project. --all looks in all of them, --project <name> in another one.`;
}

// In the shell a path is meant from here; records may name the file from elsewhere, so its end is tried after that.
async function recordsOf(
  context: CliContext,
  path: string,
  { project, all, limit }: FileOptions,
): Promise<FileTimelineAnswer> {
  const filters = {
    ...(project === undefined ? (all === true ? {} : { cwd: resolve(".") }) : { project }),
    ...(limit === undefined ? {} : { limit }),
  };
  const here = await context.worker().fileTimeline({ path: resolve(path), ...filters });
  if (here.total > 0 || isAbsolute(path)) return here;
  return context.worker().fileTimeline({ path, ...filters });
}

type FileObservation = FileTimelineAnswer["observations"][number] & { edits?: number };

// Several edits of the file in one turn are one line, the newest.
function oneOfEachTurn(observations: readonly FileObservation[]): FileObservation[] {
  const turns = new Map<string, FileObservation>();
  for (const observation of observations) {
    const { id, sdk_session_id, prompt_number, files_modified } = observation;
    const isEdit = prompt_number !== null && files_modified.length > 0;
    const turn = isEdit ? `${sdk_session_id} ${prompt_number}` : `#${id}`;
    const newest = turns.get(turn);
    turns.set(turn, newest === undefined ? observation : { ...newest, edits: (newest.edits ?? 1) + 1 });
  }
  return [...turns.values()];
}

function fileLine(observation: FileObservation) {
  const { id, created_at_epoch, obs_type, title, project, changed_since = [], edits } = observation;
  return {
    name: recordName({ kind: "observation", id }),
    created_at_epoch,
    type: terminalLine(obs_type),
    title,
    project,
    marks: [
      ...(edits === undefined ? [] : [counted(edits, "edit")]),
      ...speakerMarks(observation),
      ...statusMarks(observation),
    ],
    isAnchor: false,
    notes: changed_since.map(({ path, is }) => `${is === "gone" ? "gone" : "changed"} since: ${path}`),
  };
}
