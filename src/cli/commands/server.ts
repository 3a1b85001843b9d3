// `mem server`: the hosted edition for a team, in the foreground as containers want it.
import { type Command, InvalidArgumentError, Option } from "commander";
import { loadServerSettings } from "../../settings/server.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";

interface StartOptions {
  role: "all" | "http" | "generate";
  host: string;
  port: number;
}

/** Adds `mem server`. */
export function registerServer(program: Command, context: CliContext): void {
  const server = program
    .command("server")
    .description("run the hosted edition for a team")
    .addOption(
      new Option("--role <role>", "what this process does: answer, generate, or both")
        .choices(["all", "http", "generate"])
        .default("all"),
    )
    .option("--host <address>", "address to bind to", "127.0.0.1")
    .option("--port <number>", "port to bind to; 0 takes any free one", parsePort, 37_800)
    .action((options: StartOptions) => start(context, options));
  withExamples(server, [
    ["mem server", "for one team on this machine, with a PostgreSQL of its own"],
    ["MEM_AUTH_MODE=api-key mem server --host 0.0.0.0", "for everybody who has a key"],
  ]);
}

async function start(context: CliContext, options: StartOptions): Promise<void> {
  const { io, environment } = context;
  const { runServer } = await import("../../server/run.ts");
  await runServer({
    ...options,
    settings: context.settings("write"),
    server: loadServerSettings(environment),
    say: (line) => io.out(line),
  });
  // It runs until a signal ends the process.
  await new Promise<never>(() => undefined);
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}
