// `mem demo`: a recorded session, replayed before anything is installed.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import type { DemoEvent } from "../../core/records/demo-events.ts";
import { cutToWidth, padToWidth, terminalLine, terminalText } from "../../text/terminal-text.ts";
import { addCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { runDemo } from "../demo.ts";
import type { Io } from "../io.ts";
import { interruptible } from "../long-work.ts";

// 18 events, about eight seconds in total.
const terminalPaceMs = 350;

/** Adds `mem demo`. */
export function registerDemo(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "demo",
    about: "Replay a recorded session into a temporary memory",
    options: [["--plain", "print lines, even on a terminal"]],
    examples: [
      "mem demo # takes about ten seconds and leaves nothing behind",
      "mem demo --plain # without drawing on the terminal",
    ],
    run: ({ plain }: { plain?: true }) => demonstrate(context, plain === true),
  });
}

async function demonstrate(context: CliContext, plain: boolean): Promise<void> {
  const { io, environment, clock } = context;
  const draws = io.isTerminal && !plain;
  const screen = draws ? (await import("../tui/demo-screen.tsx")).openDemoScreen(io) : null;
  const show = (event: DemoEvent) => (screen === null ? showDemoLine(io, event) : screen.show(event));
  await interruptible(async (signal) => {
    try {
      await runDemo({ environment, clock, io, paceMs: draws ? terminalPaceMs : 0, show, signal });
    } catch (error) {
      throw signal.aborted ? new MemError("cancelled", { cause: error }) : error;
    } finally {
      await screen?.close();
    }
  });
  io.err("Next: `mem install`, then work as usual.");
}

/** Prints an event of the demo where there is no terminal to draw on. */
function showDemoLine(io: Io, event: DemoEvent): void {
  for (const line of linesOf(event)) io.out(line);
}

function linesOf(event: DemoEvent): string[] {
  switch (event.kind) {
    case "worker":
      return [`worker       ${event.url}, ready in ${Math.round(event.tookMs)} ms, no model, no key`];
    case "hook":
      return [hookLine(event)];
    case "observation":
      return [`  remembers  ${padToWidth(event.obs_type, 9)}  ${terminalLine(event.title)}`];
    case "summary":
      return [`  summary    ${terminalLine(event.title)}`];
    case "question":
      return ["", `$ ${event.command}`, ...event.lines];
    case "injected":
      return ["", `${event.moment}:`, ...terminalText(event.text).trimEnd().split("\n")];
    case "privacy":
      return [
        "",
        `privacy: searched the disk for ${event.lookedFor} private texts and passwords, found ${event.found}`,
      ];
    case "end":
      return [`done in ${(event.tookMs / 1000).toFixed(1)} s; worker and data directory removed`];
    default:
      return event satisfies never;
  }
}

function hookLine(event: Extract<DemoEvent, { kind: "hook" }>): string {
  const about = cutToWidth(terminalLine(event.about), 46);
  return `${padToWidth(event.name, 18)} ${padToWidth(about, 46)} ${String(Math.round(event.tookMs)).padStart(5)} ms`;
}
