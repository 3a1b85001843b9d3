// `mem import`: takes in the past from transcripts on disk and from repositories.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import type { ImportFilter } from "../../imports/filter.ts";
import type { ImportPreview } from "../../imports/preview.ts";
import type { Source } from "../../imports/source.ts";
import { nearestName } from "../../text/edit-distance.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import {
  addCommand,
  type CommandPart,
  count,
  type JsonOptions,
  jsonOption,
  projectOption,
} from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { machineOf } from "../host-settings.ts";
import { deletedTranscripts, importSources } from "../import-sources.ts";
import {
  importProgressText,
  importSummary,
  previewLines,
  previewProgressText,
  sameImport,
  totalInWords,
  wasImported,
} from "../import-text.ts";
import { interruptible } from "../long-work.ts";
import { onceASecond, openProgress } from "../progress.ts";
import { printWrapped } from "../table.ts";
import { parseWhen } from "../when.ts";
import { registerImportJsonl } from "./import-jsonl.ts";

interface ImportOptions extends JsonOptions {
  project?: string;
  since?: string;
  limit?: number;
  print?: true;
  plain?: true;
  yes?: true;
}

/** Adds `mem import`. */
export function registerImport(program: Command, context: CliContext): void {
  const parent = addCommand(program, context, {
    ...everything,
    name: "import",
    examples: [
      "mem import # shows what is there, and asks",
      "mem import --since 30d --yes # again is safe: nothing is doubled",
    ],
    run: (given: ImportOptions, { args }: Command) => {
      refuseWords(args);
      return run(context, { source: null, path: undefined }, given);
    },
  }).allowExcessArguments();
  addCommand(parent, context, {
    ...everything,
    name: "auto",
    examples: ["mem import auto --print # what is there", "mem import auto --yes"],
    run: (given: ImportOptions) => run(context, { source: null, path: undefined }, given),
  });
  for (const { path, ...command } of importSources) {
    addCommand(parent, context, {
      ...command,
      arguments: [["[path]", path]],
      options,
      run: (at: string | undefined, given: ImportOptions) =>
        run(context, { source: command.name, path: at }, given),
    });
  }
  registerImportJsonl(parent, context);
}

function refuseWords([word]: readonly string[]): void {
  if (word === undefined) return;
  const names = [...importSources.map(({ name }) => name), "jsonl"];
  const near = nearestName(word, names);
  throw new MemError("usage", {
    message: `No source named \`${terminalLine(word).slice(0, 60)}\`. Known: ${names.join(", ")}.${near === null ? "" : ` Did you mean ${near}?`}`,
    hint: "What is there of each: `mem import --print`.",
  });
}

const options: NonNullable<CommandPart["options"]> = [
  projectOption("only this project"),
  ["--since <time>", "only from 2026-01-31, yesterday, 36h, 7d on"],
  ["--limit <n>", "only the newest n sessions", count(1, 10_000_000)],
  ["--print", "show what would be imported, import nothing"],
  ["--plain", "print lines, even on a terminal"],
  jsonOption,
];

const everything = {
  about: "Import the past: everything that is found on this machine",
  options: [...options, ["--yes", "do not ask"]],
  notes: `Transcripts of host agents, and databases of other memories.
${deletedTranscripts}`,
} satisfies Partial<CommandPart>;

interface Asked {
  /** Null for all. */
  source: string | null;
  path: string | undefined;
}

async function run(context: CliContext, asked: Asked, options: ImportOptions): Promise<void> {
  const sources = await sourcesFor(context, asked, options);
  if (sources.length === 0 && asked.source !== null) throw nothingFound(asked);
  if (options.print === true) return preview(context, sources, options);
  if (asked.source === null && options.yes !== true && sources.length > 0)
    await demandConsent(context, sources, options);
  return importFound(context, { asked, sources }, options);
}

/** Shows what would be imported, and asks. */
async function demandConsent(
  context: CliContext,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<void> {
  if (options.json === true || !canAsk()) {
    throw new MemError("usage", {
      message: "This imports everything that is found, and there is no terminal to ask.",
      hint: "Run `mem import auto --yes`, or name a source. `--print` shows what is there.",
    });
  }
  const { io } = context;
  const found = await lookAt(context, sources, options);
  if (found.projects.length === 0) return;
  for (const line of previewLines({ ...found, projects: found.projects.slice(0, shownProjects) }))
    io.err(line);
  io.err(`\n${totalInWords(found)}`);
  io.err("All of it: `mem import --print`.");
  await confirm("Import this?", "Nothing was imported.");
}

async function sourcesFor(context: CliContext, asked: Asked, options: ImportOptions): Promise<Source[]> {
  const { allSources, sourcesOf } = await import("../../imports/find-sources.ts");
  const search = {
    machine: machineOf(context),
    now: context.clock.now(),
    limit: options.limit ?? null,
    project: options.project ?? null,
  };
  return asked.source === null ? allSources(search) : sourcesOf(asked.source, asked.path, search);
}

function sinceOf({ clock }: CliContext, { since }: ImportOptions): number {
  return since === undefined ? 0 : Date.parse(parseWhen(since, "start", clock.now()));
}

function nothingFound({ source, path }: Asked): MemError {
  return new MemError("not_found", {
    message:
      path === undefined
        ? `Nothing of ${source ?? "any source"} was found.`
        : `Nothing to import is at ${path}.`,
    hint: `Give the place: \`mem import ${source ?? "claude-code"} PATH\`.`,
  });
}

const shownProjects = 4;

async function preview(
  context: CliContext,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<void> {
  const { io } = context;
  const found = await lookAt(context, sources, options);
  if (options.json === true) io.json({ printed: true, ...found });
  else {
    for (const line of previewLines(found)) io.out(line);
    await noteProjects(context, { sources, found }, options);
    if (found.projects.length > 0) io.out("\nNothing was imported. Import: the same without --print.");
  }
}

/** Says which projects the sources have, where the wanted one has nothing. */
async function noteProjects(
  context: CliContext,
  { sources, found }: { sources: readonly Source[]; found: ImportPreview },
  { project, ...options }: ImportOptions,
): Promise<void> {
  if (project === undefined || found.projects.length > 0 || wasImported(found.sources)) return;
  const { io } = context;
  const { projects } = await lookAt(context, sources, options);
  const names = projects.map((each) => terminalLine(each.project));
  printWrapped(
    io,
    io.out,
    `Nothing of project ${terminalLine(project)} was found. ${names.length === 0 ? "No project has anything to import." : `Projects found: ${names.join(", ")}.`}`,
  );
}

async function lookAt(
  context: CliContext,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<ImportPreview> {
  const { previewSources } = await import("../../imports/preview.ts");
  const display = onceASecond(context.clock, await openProgress(context.io, options, previewProgressText));
  return previewSources(sources, {
    filter: await filterOf(context, options),
    labelsOf: context.worker().projectsOf,
    positionOf: async (key) => (await context.worker().importState(key)).position,
    onProgress: display.show,
  }).finally(display.close);
}

async function importFound(
  context: CliContext,
  { asked, sources }: { asked: Asked; sources: readonly Source[] },
  options: ImportOptions,
): Promise<void> {
  const { io } = context;
  const { importAll } = await import("../../imports/import.ts");
  const display = onceASecond(context.clock, await openProgress(io, options, importProgressText));
  const { ended, isStopped } = await interruptible(async (signal) => {
    const ended = await importAll(sources, {
      port: context.worker(),
      signal,
      filter: await filterOf(context, options),
      onProgress: display.show,
    }).finally(display.close);
    return { ended, isStopped: signal.aborted };
  });
  if (options.json === true) {
    const { total: _total, done: _done, failed: _failed, ...counts } = ended;
    io.json({ printed: false, stopped: isStopped, ...counts });
  } else for (const line of importSummary(ended)) printWrapped(io, io.out, line);
  if (ended.unreadable.length > 0) context.exitWith(exitCode.invalidData);
  if (ended.waiting > 0 && !isStopped) context.exitWith(exitCode.retryLater);
  if (!isStopped) return;
  throw new MemError("cancelled", {
    message: `Stopped after ${ended.finished} of ${ended.sources} sources.`,
    hint: `Continue: \`${sameImport(asked, options)}\`. Nothing is imported twice.`,
  });
}

/** Null where nothing is selected. */
async function filterOf(context: CliContext, options: ImportOptions): Promise<ImportFilter | null> {
  const { project, since, limit } = options;
  if (project === undefined && since === undefined && limit === undefined) return null;
  const { createFilter } = await import("../../imports/filter.ts");
  const { projectsOf } = context.worker();
  return createFilter({ project, sinceEpochMs: sinceOf(context, options), labelsOf: projectsOf });
}
