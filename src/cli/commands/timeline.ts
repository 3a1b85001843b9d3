// `mem timeline`, `mem file`: records around a record or a moment, and records about a file.
import { isAbsolute, resolve } from "node:path";
import type { Command } from "commander";
import type { FileTimelineAnswer, TimelineAnswer } from "../../client/worker-client.ts";
import { isoTime } from "../../core/clock.ts";
import { workingPlace } from "../../core/directory.ts";
import { MemError } from "../../core/errors.ts";
import { parseRecordName, recordName } from "../../core/records/record-name.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, branchOption, count, type JsonOptions, jsonOption, projectOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { branchMarks, speakerMarks, statusMarks } from "../record-marks.ts";
import { printWrapped, stepLines } from "../table.ts";
import { renderTimeline, timelineLine } from "../timeline-lines.ts";
import { refuseUnknownProject } from "../unknown-project.ts";
import { isAge, parseWhen } from "../when.ts";
import { counted, projectPath } from "../words.ts";

interface TimelineOptions extends JsonOptions {
  query?: string;
  before?: number;
  after?: number;
  project?: string;
  branch?: string;
  all?: true;
}

interface FileOptions extends JsonOptions {
  project?: string;
  all?: true;
  limit?: number;
}

/** Adds `mem timeline` and `mem file`. */
export function registerTimeline(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "timeline",
    about: "Show what happened before and after a record or a moment",
    arguments: [
      [
        "[anchor]",
        "an id from `mem search` (12, S12, P12), a time (2026-01-31T12:00) or an age (30m, 2h, 7d); default: the newest records",
      ],
    ],
    options: [
      ["--query <words>", "instead of an anchor: the best match of a search"],
      ["--before <count>", "records before it, 0-100", count(0, 100)],
      ["--after <count>", "records after it, 0-100", count(0, 100)],
      projectOption("one project only (default: that of the record)"),
      branchOption,
      ["--all", "include routine steps, such as reads and covered edits"],
      jsonOption,
    ],
    examples: [
      "mem timeline 12 --before 3 # what led to observation 12",
      "mem timeline 2h --project shop # the last two hours",
    ],
    paged: true,
    run: (anchor: string | undefined, options: TimelineOptions) => showTimeline(context, anchor, options),
  });
  addCommand(program, context, {
    name: "file",
    about: "Show what is recorded about a file",
    arguments: [["<path>", "its path; the end of it is enough"]],
    options: [
      projectOption("another project than the one here"),
      ["--all", "all projects"],
      ["--limit <count>", "records to show, 1-100", count(1, 100)],
      jsonOption,
    ],
    examples: [
      "mem file src/login.ts # who read and changed it",
      "mem file login.ts --project shop # in another project",
    ],
    paged: true,
    run: (path: string, options: FileOptions) => showFile(context, path, options),
  });
}

async function showTimeline(
  context: CliContext,
  anchor: string | undefined,
  options: TimelineOptions,
): Promise<void> {
  const { query, before, after, project, branch } = options;
  if (anchor !== undefined && query !== undefined) {
    throw new MemError("usage", {
      message: "Give an anchor or --query, not both.",
      hint: "An anchor is an id such as 12, S12 or P12, or a time.",
    });
  }
  if (anchor === undefined && query === undefined) return showNewest(context, options);
  if (anchor !== undefined && isAge(anchor) && before === undefined && after === undefined)
    return showSince(context, anchor, options);
  const request = {
    anchor: anchor === undefined ? undefined : anchorOf(anchor, context.clock.now()),
    ...{ query, depth_before: before, depth_after: after, project, branch },
    ...workingPlace(),
  };
  const worker = context.worker();
  const items = await worker.timeline(request).catch(async (error: unknown) => {
    await refuseUnknownProject(worker, project);
    throw error;
  });
  const filter = branch === undefined ? "--project" : "--branch";
  await print(context, items, options, `No records around that. Try without ${filter}.`);
}

/** Prints items, or the note where there are none; true when it printed lines for people. */
async function print(
  { io, worker }: CliContext,
  items: TimelineAnswer,
  options: TimelineOptions,
  none: string,
): Promise<boolean> {
  if (items.length === 0) await refuseUnknownProject(worker(), options.project);
  if (options.json === true)
    io.json({ items: items.map(({ type: kind, ...record }) => ({ kind, ...record })) });
  else if (items.length === 0) printWrapped(io, io.err, none);
  else renderTimeline(io, items.map(timelineLine), { all: options.all === true });
  return options.json !== true && items.length > 0;
}

const newestShown = 30;

async function showNewest(context: CliContext, options: TimelineOptions): Promise<void> {
  const { io } = context;
  const items = await upToNow(context, options.before ?? newestShown, options);
  const { project, branch } = options;
  const of = [project, branch && `the branch ${branch}`].filter((name) => name !== undefined).join(", ");
  const what = of === "" ? "The memory is empty." : `No records of ${terminalLine(of)} yet.`;
  if (!(await print(context, items, options, `${what} See how it works: \`mem demo\`.`))) return;
  const next = "These are the newest records. Around one: `mem timeline <id>`. By age: `mem timeline 2h`.";
  for (const line of stepLines(next, io.columns)) io.err(line);
}

async function upToNow({ worker, clock }: CliContext, depth: number, { project, branch }: TimelineOptions) {
  return worker().timeline({
    // A minute ahead, to include records of this moment.
    anchor: isoTime(clock.now() + 60_000),
    depth_before: depth,
    depth_after: 0,
    ...{ project, branch },
    ...workingPlace(),
  });
}

const shownSince = 50;

// An age alone shows the newest records since then; with --before or --after it is that moment.
async function showSince(context: CliContext, age: string, options: TimelineOptions): Promise<void> {
  const { io, clock } = context;
  const since = Date.parse(parseWhen(age, "start", clock.now()));
  const found = await upToNow(context, shownSince + 1, options);
  const within = found.filter(({ created_at_epoch }) => created_at_epoch >= since);
  const { project, branch } = options;
  const filter = branch === undefined ? project && "--project" : "--branch";
  const none = `No records in the last ${age}${filter === undefined ? "" : `. Try without ${filter}`}.`;
  await print(context, within.slice(-shownSince), options, none);
  if (within.length > shownSince) for (const line of stepLines(firstOnes(age), io.columns)) io.err(line);
}

function firstOnes(age: string): string {
  return `Only the newest ${shownSince}. The first ones since then: \`mem timeline ${age} --after 100\`.`;
}

function anchorOf(text: string, nowEpochMs: number): string {
  const name = parseRecordName(text);
  if (name !== undefined) return recordName(name);
  try {
    return parseWhen(text, "start", nowEpochMs);
  } catch (cause) {
    if (isAge(text)) throw cause;
    throw new MemError("usage", {
      message: `"${text}" is neither a time nor an id such as 12, S12 or P12.`,
      hint: "Ids come from `mem search`. Times: 2026-01-31, yesterday, 30m, 36h. Words: --query.",
      cause,
    });
  }
}

async function showFile(context: CliContext, path: string, options: FileOptions): Promise<void> {
  const { io } = context;
  const found = await recordsOf(context, path, options);
  if (found.total === 0) await refuseUnknownProject(context.worker(), options.project);
  if (options.json === true) {
    const { observations, ...rest } = found;
    io.json({ items: observations.map((record) => ({ kind: "observation", ...record })), ...rest });
    return;
  }
  if (found.total === 0) {
    printWrapped(io, io.err, noRecords(projectPath(found.path), options));
    return;
  }
  renderTimeline(io, oneOfEachTurn(found.observations).map(fileLine));
  const more = found.total - found.count;
  if (more > 0) io.err(`${counted(more, "older record")} not shown. Show up to 100: --limit 100.`);
}

function noRecords(path: string, { project, all }: FileOptions): string {
  if (project !== undefined || all === true)
    return `No records about ${path}. Search for it: \`mem search\`.`;
  return `No records about ${path} in this project. Other projects: --all, or --project <name>.`;
}

// A path is relative to the working directory; records may name the file from elsewhere, so its end is tried next.
async function recordsOf(
  context: CliContext,
  path: string,
  { project, all, limit }: FileOptions,
): Promise<FileTimelineAnswer> {
  const isHere = project === undefined && all !== true;
  const filters = { project, cwd: isHere ? resolve(".") : undefined, limit };
  const here = await context.worker().fileTimeline({ path: resolve(path), ...filters });
  if (here.total > 0 || isAbsolute(path)) return here;
  return context.worker().fileTimeline({ path, ...filters });
}

type FileObservation = FileTimelineAnswer["observations"][number] & { edits?: number };

// Several edits of the file in one turn are one line, the newest edit.
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
      ...branchMarks(observation),
    ],
    isAnchor: false,
    notes: changed_since.map(
      ({ path, is }) => `${is === "gone" ? "gone" : "changed"} since: ${projectPath(path)}`,
    ),
  };
}
