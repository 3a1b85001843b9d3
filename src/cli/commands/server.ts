// `mem server`: runs the hosted server in the foreground.
import { type Command, InvalidArgumentError, Option } from "commander";
import { type VectorStatus, vectorsInWords } from "../../core/records/vector-status.ts";
import { loadServerSettings } from "../../settings/server.ts";
import { wrapToWidth } from "../../text/terminal-text.ts";
import { withExamples } from "../command.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { registerServerExport } from "./server-export.ts";

interface StartOptions {
  role: "all" | "http" | "generate";
  host: string;
  port: number;
}

/** Adds `mem server [migrate|status|export|import]`. */
export function registerServer(program: Command, context: CliContext): void {
  const server = program
    .command("server")
    .description("Run the hosted server for a team")
    .addOption(
      new Option("--role <role>", "serve HTTP, generate, or both")
        .choices(["all", "http", "generate"])
        .default("all"),
    )
    .option("--host <address>", "address to bind to", "127.0.0.1")
    .option("--port <number>", "port to bind to; 0 takes any free one", parsePort, 37_800)
    // Otherwise commander reports an unknown command as too many arguments.
    .allowExcessArguments()
    .action((options: StartOptions) => {
      const [unknown] = server.args;
      if (unknown !== undefined) server.error(`error: unknown command '${unknown}'`);
      return start(context, options);
    });
  withExamples(server, [
    "mem server # one team, this machine, a private PostgreSQL",
    "MEM_AUTH_MODE=api-key mem server # access with API keys",
  ]);
  registerMigrate(server, context);
  registerStatus(server, context);
  registerServerExport(server, context);
}

async function start(context: CliContext, options: StartOptions): Promise<void> {
  const { io } = context;
  const { runServer } = await import("../../server/run.ts");
  await runServer({ ...options, ...settingsOf(context), isTerminal: io.talksToTerminal, say: io.out });
  // Runs until a signal ends the process.
  await new Promise<never>(() => undefined);
}

function registerMigrate(server: Command, context: CliContext): void {
  const migrate = server
    .command("migrate")
    .description("Migrate the database to this version's schema; a start does it too")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      const { migrateNow } = await import("../../server/administer/administer.ts");
      const migrated = await migrateNow(settingsOf(context));
      if (options.json === true) return context.io.json(migrated);
      if (migrated.applied.length === 0) context.io.out(`The schema is current (version ${migrated.to}).`);
      else if (migrated.from === 0) context.io.out(`Created the schema (version ${migrated.to}).`);
      else context.io.out(`Migrated the schema from version ${migrated.from} to ${migrated.to}.`);
      context.io.out(`vectors: ${migrated.vectors}`);
    });
  withExamples(migrate, [
    "mem server migrate # before a deployment",
    "mem server migrate --json # for a script",
  ]);
}

function registerStatus(server: Command, context: CliContext): void {
  const status = server
    .command("status")
    .description("Show the database, its contents and the queue")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      const { lookAtServer } = await import("../../server/administer/administer.ts");
      const found = await lookAtServer(settingsOf(context));
      const isCurrent = (found.schema.version ?? 0) >= found.schema.expected;
      if (found.database === "not running" || !isCurrent) context.exitWith(exitCode.notReady);
      if (options.json === true) context.io.json(found);
      else for (const line of statusLines(found, isCurrent)) context.io.out(line);
    });
  withExamples(status, [
    "mem server status # the server here",
    "mem server status --json # for a script; exit code 69 when not ready",
  ]);
}

interface Found {
  database: "named" | "private" | "not running";
  schema: { version: number | null; expected: number };
  counts: Record<
    | "teams"
    | "projects"
    | "active_keys"
    | "observations"
    | "jobs_queued"
    | "jobs_processing"
    | "jobs_failed"
    | "teams_with_retention",
    number
  > | null;
  eventRetentionDays: number;
  vectors: VectorStatus | null;
}

function statusLines(
  { database, schema, counts, eventRetentionDays, vectors }: Found,
  isCurrent: boolean,
): string[] {
  if (database === "not running") {
    return ["No server runs here, and MEM_DATABASE_URL is not set.", "Start it with `mem server`."];
  }
  const lines = [
    `database  ${database === "named" ? "MEM_DATABASE_URL" : "private, of the server that runs here"}`,
    `schema    version ${schema.version}${isCurrent ? "" : ` of ${schema.expected}: run \`mem server migrate\``}`,
  ];
  if (counts === null) return lines;
  return [
    ...lines,
    `teams     ${counts.teams}, with ${inWords(counts.projects, "project")} and ${inWords(counts.active_keys, "active key")}`,
    `memory    ${counts.observations < 100_000 ? "" : "about "}${inWords(counts.observations, "observation")}, kept until deleted`,
    `events    raw events and prompts: kept ${inWords(eventRetentionDays, "day")}${othersKeep(counts.teams_with_retention)}`,
    ...(vectors === null ? [] : vectorLines(vectors)),
    `jobs      ${counts.jobs_queued} queued, ${counts.jobs_processing} running, ${counts.jobs_failed} failed`,
  ];
}

// A reason may be longer than a line of 80 columns.
function vectorLines(vectors: VectorStatus): string[] {
  return wrapToWidth(vectorsInWords(vectors), 70).map(
    (line, at) => `${at === 0 ? "vectors" : ""}`.padEnd(10) + line,
  );
}

function inWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function othersKeep(teams: number): string {
  return teams === 0 ? "" : `; ${inWords(teams, "team")} set their own`;
}

function settingsOf(context: CliContext) {
  return { settings: context.settings("write"), server: loadServerSettings(context.environment) };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}
