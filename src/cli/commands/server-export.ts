// `mem server export` and `mem server import`: a project of the hosted server as a file, on the server's host.
import { lstatSync } from "node:fs";
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { loadServerSettings } from "../../settings/server.ts";
import { withExamples } from "../command.ts";
import type { CliContext } from "../context.ts";

interface Named {
  team: string;
  project: string;
}

/** Adds `mem server export` and `mem server import`. */
export function registerServerExport(server: Command, context: CliContext): void {
  registerExport(server, context);
  registerImport(server, context);
}

function registerExport(server: Command, context: CliContext): void {
  const command = server
    .command("export")
    .description("Export a project's sessions, events and observations as JSON lines")
    .requiredOption("--team <name>", "team of the project")
    .requiredOption("--project <name>", "name of the project")
    .option("--out <file>", "output file, readable by you only; default: standard output")
    .option("--force", "replace an existing file")
    .action(async ({ out, force, ...names }: Named & { out?: string; force?: true }) => {
      if (out !== undefined && force !== true) demandNew(out, names);
      const { exportNow } = await import("../../server/administer/administer-export.ts");
      const { io, clock } = context;
      const counts = await exportNow(settingsOf(context), names, {
        to: out ?? process.stdout,
        clock,
        onProgress: progressOf(context, "written"),
      });
      io.err(`${countsInWords(counts)}${out === undefined ? "" : ` in ${out}`}.`);
    });
  withExamples(command, [
    "mem server export --team acme --project shop --out shop.jsonl # a copy",
    "mem server export --team acme --project shop | gzip > shop.gz # a pipe",
  ]);
}

function registerImport(server: Command, context: CliContext): void {
  const command = server
    .command("import")
    .description("Import an export into a project; creates the project if needed")
    .argument("[file]", "file of `mem server export`; default: standard input")
    .requiredOption("--team <name>", "team of the project")
    .requiredOption("--project <name>", "name of the project")
    .option("--json", "print JSON")
    .action(async (file: string | undefined, { json, ...names }: Named & { json?: true }) => {
      const { importNow } = await import("../../server/administer/administer-export.ts");
      const { io } = context;
      if (file === undefined && process.stdin.isTTY) throw noInput();
      const { read, created, team_id, project_id } = await importNow(settingsOf(context), names, {
        from: file ?? process.stdin,
        onProgress: progressOf(context, "read"),
      });
      if (json === true) io.json({ teamId: team_id, projectId: project_id, read, created });
      else io.out(`Read ${countsInWords(read)}; new: ${countsInWords(created)}.`);
    });
  withExamples(command, [
    "mem server import --team acme --project shop shop.jsonl # again is safe",
    "gunzip < shop.gz | mem server import --team a --project b # elsewhere",
  ]);
}

function noInput(): MemError {
  return new MemError("usage", {
    message: "No file is given, and standard input is a terminal.",
    hint: "Give a file or a pipe: `mem server import --team NAME --project NAME FILE`.",
  });
}

function demandNew(out: string, { team, project }: Named): void {
  if (lstatSync(out, { throwIfNoEntry: false })?.isFile() !== true) return;
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
  const of = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
  return `${of(sessions, "session")}, ${of(events, "event")} and ${of(observations, "observation")}`;
}

function settingsOf(context: CliContext) {
  return { settings: context.settings("write"), server: loadServerSettings(context.environment) };
}
