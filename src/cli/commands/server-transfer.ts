// `mem server export|import`: a project of the hosted server as a file, on the server's host.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { loadServerSettings } from "../../settings/server.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";

interface Named {
  team: string;
  project: string;
}

/** Adds `mem server export` and `mem server import`. */
export function registerServerTransfer(server: Command, context: CliContext): void {
  registerExport(server, context);
  registerImport(server, context);
}

function registerExport(server: Command, context: CliContext): void {
  const command = server
    .command("export")
    .description("write a project's sessions, events and observations as lines of JSON")
    .requiredOption("--team <name>", "the team that it belongs to")
    .requiredOption("--project <name>", "its name")
    .option("--out <file>", "the file, for your eyes only; standard output without it")
    .action(async ({ out, ...names }: Named & { out?: string }) => {
      const { exportNow } = await import("../../server/administer-transfer.ts");
      const { io, clock } = context;
      const counts = await exportNow(settingsOf(context), names, {
        to: out ?? process.stdout,
        clock,
        onProgress: progressOf(context, "written"),
      });
      io.err(`${countsInWords(counts)}${out === undefined ? "" : ` in ${out}`}.`);
    });
  withExamples(command, [
    ["mem server export --team acme --project shop --out shop.jsonl", "a copy"],
    ["mem server export --team acme --project shop | gzip > shop.gz", "a pipe"],
  ]);
}

function registerImport(server: Command, context: CliContext): void {
  const command = server
    .command("import")
    .description("read an export into a project, which is made when there is none of the name")
    .argument("[file]", "what `mem server export` wrote; standard input without it")
    .requiredOption("--team <name>", "the team that it goes to")
    .requiredOption("--project <name>", "the project that it goes to")
    .option("--json", "print JSON")
    .action(async (file: string | undefined, { json, ...names }: Named & { json?: true }) => {
      const { importNow } = await import("../../server/administer-transfer.ts");
      const { io } = context;
      if (file === undefined && process.stdin.isTTY) throw nothingNamed();
      const { read, created, team_id, project_id } = await importNow(settingsOf(context), names, {
        from: file ?? process.stdin,
        onProgress: progressOf(context, "read"),
      });
      if (json === true) io.json({ teamId: team_id, projectId: project_id, read, created });
      else io.out(`Read ${countsInWords(read)}; new are ${countsInWords(created)}.`);
    });
  withExamples(command, [
    ["mem server import --team acme --project shop shop.jsonl", "again is safe"],
    ["gunzip < shop.gz | mem server import --team a --project b", "elsewhere"],
  ]);
}

function nothingNamed(): MemError {
  return new MemError("usage", {
    message: "There is no file named, and nothing comes in.",
    hint: "Name the file, or pipe it in: `mem server import --team NAME --project NAME FILE`.",
  });
}

const toldEach = 10_000;

// A line for every ten thousand records: what takes minutes shows that it goes on.
function progressOf({ io }: CliContext, verb: string): (done: number, all: number) => void {
  let told = 0;
  return (done, all) => {
    if (done - told < toldEach) return;
    told = done - (done % toldEach);
    io.err(`${told} of ${all} records ${verb}`);
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
