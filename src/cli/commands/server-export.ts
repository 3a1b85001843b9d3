// `mem server export` and `mem server import`: a project of the hosted server as a file, on the server's host.
import { lstatSync } from "node:fs";
import type { Command } from "commander";
import { unlessMissing } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { demandOutsideData } from "../../core/output-file.ts";
import { loadServerSettings } from "../../settings/server.ts";
import { counted } from "../../text/plain-text.ts";
import { addCommand, type JsonOptions, jsonOption, required } from "../command.ts";
import type { CliContext } from "../context.ts";

interface Named {
  team: string;
  project: string;
}

/** Adds `mem server export` and `mem server import`. */
export function registerServerExport(server: Command, context: CliContext): void {
  const named = [
    required("--team <name>", "team of the project"),
    required("--project <name>", "name of the project"),
  ];
  addCommand(server, context, {
    name: "export",
    about: "Export a project's sessions, events and observations as JSON lines",
    options: [
      ...named,
      ["--out <file>", "output file, readable by you only; default: standard output"],
      ["--force", "replace an existing file"],
    ],
    examples: [
      "mem server export --team acme --project shop --out shop.jsonl # a copy",
      "mem server export --team acme --project shop | gzip > shop.gz # a pipe",
    ],
    run: (options: ExportOptions) => exportProject(context, options),
  });
  addCommand(server, context, {
    name: "import",
    about: "Import an export into a project; creates the project if needed",
    arguments: [["[file]", "file of `mem server export`; default: standard input"]],
    options: [...named, jsonOption],
    examples: [
      "mem server import --team acme --project shop shop.jsonl # again is safe",
      "gunzip < shop.gz | mem server import --team a --project b # elsewhere",
    ],
    run: (file: string | undefined, options: Named & JsonOptions) => importProject(context, file, options),
  });
}

type ExportOptions = Named & { out?: string; force?: true };

async function exportProject(
  context: CliContext,
  { team, project, out, force }: ExportOptions,
): Promise<void> {
  const names = { team, project };
  if (out !== undefined) demandOutsideData(out, context.paths());
  if (out !== undefined && force !== true) demandNew(out, names);
  const { exportNow } = await import("../../server/administer/administer-export.ts");
  const { io, clock } = context;
  const counts = await exportNow(settingsOf(context), names, {
    to: out ?? process.stdout,
    clock,
    onProgress: progressOf(context, "written"),
  });
  io.err(`${countsInWords(counts)}${out === undefined ? "" : ` in ${out}`}.`);
}

async function importProject(
  context: CliContext,
  file: string | undefined,
  { team, project, json }: Named & JsonOptions,
): Promise<void> {
  const { importNow } = await import("../../server/administer/administer-export.ts");
  const { io } = context;
  if (file === undefined && process.stdin.isTTY) throw noInput();
  const imported = await importNow(
    settingsOf(context),
    { team, project },
    { from: file ?? process.stdin, onProgress: progressOf(context, "read") },
  );
  const { read, created, team_id, project_id } = imported;
  if (json === true) io.json({ teamId: team_id, projectId: project_id, read, created });
  else io.out(`Read ${countsInWords(read)}; new: ${countsInWords(created)}.`);
}

function noInput(): MemError {
  return new MemError("usage", {
    message: "No file is given, and standard input is a terminal.",
    hint: "Give a file or a pipe: `mem server import --team NAME --project NAME FILE`.",
  });
}

function demandNew(out: string, { team, project }: Named): void {
  if (unlessMissing(() => lstatSync(out))?.isFile() !== true) return;
  const command = `mem server export --team ${team} --project ${project} --out ${out} --force`;
  throw new MemError("conflict", {
    message: `${out} exists. Nothing was written.`,
    hint: `Replace it: \`${command}\`. Or name another file.`,
  });
}

const recordsPerLine = 10_000;

/** Prints a line for every ten thousand records. */
function progressOf({ io }: CliContext, verb: string): (done: number, all: number) => void {
  let printed = 0;
  return (done, all) => {
    if (done - printed < recordsPerLine) return;
    printed = done - (done % recordsPerLine);
    io.err(`${printed} of ${all} records ${verb}`);
  };
}

function countsInWords(counts: { sessions: number; events: number; observations: number }): string {
  const { sessions, events, observations } = counts;
  return `${counted(sessions, "session")}, ${counted(events, "event")} and ${counted(observations, "observation")}`;
}

function settingsOf(context: CliContext) {
  return { settings: context.settings("write"), server: loadServerSettings(context.environment) };
}
