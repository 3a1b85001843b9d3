// `mem mcp`: recall for agents over the Model Context Protocol, and which hosts have it.
import type { Command } from "commander";
import type { WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../errors.ts";
import { version } from "../../version.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { startWorker } from "../worker-process.ts";

/** Adds `mem mcp`. */
export function registerMcp(program: Command, context: CliContext): void {
  const mcp = program
    .command("mcp")
    .description("serve recall to an agent on standard input and output; a host starts this")
    .action(() => serve(context));
  withExamples(mcp, [["mem mcp", "what a host runs"]]);
}

async function serve(context: CliContext): Promise<void> {
  const { io } = context;
  if (process.stdin.isTTY) {
    io.err(
      "This speaks the Model Context Protocol, which a host agent reads: `mem mcp enable` registers it.",
    );
  }
  const { serveMcp } = await import("../../mcp/serve.ts");
  await serveMcp({ worker: startingWorker(context), version: version(), complain: (line) => io.err(line) });
}

/** The client of the worker; a call that finds none starts it and asks again. */
function startingWorker(context: CliContext): WorkerClient {
  const worker = context.worker();
  let starting: Promise<void> | undefined;

  async function start(): Promise<void> {
    const { dataDir } = context.settings("write");
    const { environment, clock } = context;
    await startWorker({ dataDir, environment, clock });
  }

  async function asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof MemError) || error.code !== "worker_unreachable") throw error;
      starting ??= start().finally(() => {
        starting = undefined;
      });
      await starting;
      return ask();
    }
  }

  return {
    ...worker,
    search: (parameters) => asked(() => worker.search(parameters)),
    timeline: (parameters) => asked(() => worker.timeline(parameters)),
    recent: (page) => asked(() => worker.recent(page)),
    observationsOf: (ids, project) => asked(() => worker.observationsOf(ids, project)),
    summary: (id) => asked(() => worker.summary(id)),
    prompt: (id) => asked(() => worker.prompt(id)),
  };
}
