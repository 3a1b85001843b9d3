// `mem server`: runs the hosted server in the foreground.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { type VectorStatus, vectorsInWords } from "../../core/records/vector-status.ts";
import { loadServerSettings } from "../../settings/server.ts";
import { counted } from "../../text/plain-text.ts";
import { wrapToWidth } from "../../text/terminal-text.ts";
import { addCommand, choice, count, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { registerServerConnect } from "./server-connect.ts";
import { registerServerExport } from "./server-export.ts";

interface StartOptions {
  role: "all" | "http" | "generate";
  host: string;
  port: number;
}

/** Adds `mem server [migrate|status|connect|disconnect|export|import]`. */
export function registerServer(program: Command, context: CliContext): void {
  const server = addCommand(program, context, {
    name: "server",
    about: "Run the hosted server for a team",
    options: [
      choice("--role <role>", "serve HTTP, generate, or both", ["all", "http", "generate"], "all"),
      ["--host <address>", "address to bind to", undefined, "127.0.0.1"],
      ["--port <number>", "port to bind to; 0 takes any free one", count(0, 65_535), 37_800],
    ],
    examples: [
      "mem server # one team, this machine, a private PostgreSQL",
      "MEM_AUTH_MODE=api-key mem server # access with API keys",
    ],
    run: (options: StartOptions, command: Command) => start(context, options, command),
  });
  // Otherwise commander reports an unknown command as too many arguments.
  server.allowExcessArguments();
  addCommand(server, context, {
    name: "migrate",
    about: "Migrate the database to this version's schema; a start does it too",
    options: [jsonOption],
    examples: ["mem server migrate # before a deployment", "mem server migrate --json # for a script"],
    run: (options: JsonOptions) => migrate(context, options),
  });
  addCommand(server, context, {
    name: "status",
    about: "Show the database, its contents and the queue",
    options: [jsonOption],
    examples: [
      "mem server status # the server here",
      "mem server status --json # for a script; exit code 69 when not ready",
    ],
    run: (options: JsonOptions) => showStatus(context, options),
  });
  registerServerConnect(server, context);
  registerServerExport(server, context);
}

async function start(context: CliContext, options: StartOptions, command: Command): Promise<void> {
  const [unknown] = command.args;
  if (unknown !== undefined) command.error(`error: unknown command '${unknown}'`);
  const { io } = context;
  const { runServer } = await import("../../server/run.ts");
  await runServer({ ...options, ...settingsOf(context), isTerminal: io.talksToTerminal, say: io.out });
  // Runs until a signal ends the process.
  await new Promise<never>(() => undefined);
}

async function migrate(context: CliContext, { json }: JsonOptions): Promise<void> {
  const { migrateNow } = await import("../../server/administer/administer.ts");
  const migrated = await migrateNow(settingsOf(context));
  if (json === true) return context.io.json(migrated);
  if (migrated.applied.length === 0) context.io.out(`The schema is current (version ${migrated.to}).`);
  else if (migrated.from === 0) context.io.out(`Created the schema (version ${migrated.to}).`);
  else context.io.out(`Migrated the schema from version ${migrated.from} to ${migrated.to}.`);
  context.io.out(`vectors: ${migrated.vectors}`);
}

async function showStatus(context: CliContext, { json }: JsonOptions): Promise<void> {
  const { lookAtServer } = await import("../../server/administer/administer.ts");
  const found = await lookAtServer(settingsOf(context));
  const isCurrent = (found.schema.version ?? 0) >= found.schema.expected;
  if (json === true) context.io.json(found);
  else for (const line of statusLines(found, isCurrent)) context.io.out(line);
  if (found.database === "not running") {
    throw new MemError("worker_unreachable", {
      message: "No server runs here, and MEM_DATABASE_URL is not set.",
      hint: "Start it with `mem server`.",
    });
  }
  if (!isCurrent) {
    throw new MemError("worker_not_ready", {
      message: `The schema has version ${found.schema.version ?? 0} of ${found.schema.expected}.`,
      hint: "Run `mem server migrate`.",
    });
  }
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
  if (database === "not running") return [];
  const lines = [
    `database  ${database === "named" ? "MEM_DATABASE_URL" : "private, of the server that runs here"}`,
    `schema    version ${schema.version}${isCurrent ? "" : ` of ${schema.expected}`}`,
  ];
  if (counts === null) return lines;
  return [
    ...lines,
    `teams     ${counts.teams}, with ${counted(counts.projects, "project")} and ${counted(counts.active_keys, "active key")}`,
    `memory    ${counts.observations < 100_000 ? "" : "about "}${counted(counts.observations, "observation")}, kept until deleted`,
    `events    raw events and prompts: kept ${counted(eventRetentionDays, "day")}${othersKeep(counts.teams_with_retention)}`,
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

function othersKeep(teams: number): string {
  return teams === 0 ? "" : `; ${counted(teams, "team")} set their own`;
}

function settingsOf(context: CliContext) {
  const server = loadServerSettings(context.environment);
  return { settings: context.settings("write"), server, say: (line: string) => context.io.err(line) };
}
