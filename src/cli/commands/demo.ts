// `mem demo`: see it work before anything is installed.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import type { DemoEvent } from "../../core/records/demo-events.ts";
import type { CliContext } from "../context.ts";
import { runDemo } from "../demo.ts";
import { showDemoLine } from "../demo-lines.ts";
import { withExamples } from "../examples.ts";

// 18 events: about eight seconds to read along.
const terminalPaceMs = 350;

/** Adds `mem demo`. */
export function registerDemo(program: Command, context: CliContext): void {
  const demo = program
    .command("demo")
    .description("see it work on a recorded session")
    .option("--plain", "print lines, even on a terminal")
    .action((options: { plain?: true }) => demonstrate(context, options.plain === true));
  withExamples(demo, [
    ["mem demo", "takes about ten seconds and leaves nothing behind"],
    ["mem demo --plain", "without drawing on the terminal"],
  ]);
}

async function demonstrate(context: CliContext, plain: boolean): Promise<void> {
  const { io, environment, clock } = context;
  const draws = io.isTerminal && !plain;
  const screen = draws ? (await import("../tui/demo-screen.tsx")).openDemoScreen(io) : null;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  const show = (event: DemoEvent) => (screen === null ? showDemoLine(io, event) : screen.show(event));
  try {
    await runDemo({
      environment,
      clock,
      io,
      paceMs: draws ? terminalPaceMs : 0,
      show,
      signal: interrupted.signal,
    });
  } catch (error) {
    throw interrupted.signal.aborted ? new MemError("cancelled", { cause: error }) : error;
  } finally {
    await screen?.close();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
  io.err("Next: `mem install claude-code`, then work as always.");
}
