// The demo as plain lines, where there is no terminal to draw on.

import type { DemoEvent } from "../core/records/demo-events.ts";
import { cutToWidth, padToWidth, terminalLine, terminalText } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";

/** Prints what happens, a line each. */
export function showDemoLine(io: Io, event: DemoEvent): void {
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
        `private text and passwords looked for on the disk: ${event.lookedFor}, found: ${event.found}`,
      ];
    case "end":
      return [`done in ${(event.tookMs / 1000).toFixed(1)} s; worker and data directory are gone`];
    default:
      return event satisfies never;
  }
}

function hookLine(event: Extract<DemoEvent, { kind: "hook" }>): string {
  const about = cutToWidth(terminalLine(event.about), 46);
  return `${padToWidth(event.name, 18)} ${padToWidth(about, 46)} ${String(Math.round(event.tookMs)).padStart(5)} ms`;
}
