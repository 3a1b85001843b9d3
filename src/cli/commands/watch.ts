// `mem watch`: the live feed, as a screen on a terminal and as lines elsewhere.
import type { Command } from "commander";
import { followEvents } from "../../client/live-events.ts";
import type { StreamEvent } from "../../core/records/events.ts";
import { parseLists } from "../../core/records/records.ts";
import { addCommand, type JsonOptions, projectOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { isInteractive, openScreens } from "../interactive.ts";
import { snakeCased } from "../io.ts";
import { refuseUnknownProject } from "../unknown-project.ts";

interface WatchOptions extends JsonOptions {
  project?: string;
}

/** Adds `mem watch`. */
export function registerWatch(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "watch",
    about: "Show records as they are written",
    options: [projectOption("one project only"), ["--json", "print one JSON object per line"]],
    notes:
      "On a terminal it opens the live feed; q quits. Elsewhere it prints a line for\neach event until it is interrupted.",
    examples: ["mem watch # the live feed", "mem watch --project shop --json | jq .type"],
    run: (options: WatchOptions) => watch(context, options),
  });
}

async function watch(context: CliContext, { project, json }: WatchOptions): Promise<void> {
  const { io } = context;
  await refuseUnknownProject(context.worker(), project);
  const only = project === undefined ? {} : { project };
  if (json !== true && isInteractive(context.environment, io)) {
    await openScreens(context, { feedOnly: true, ...only });
    return;
  }
  await context.worker().health();
  await printEvents(context, { ...only, isJson: json === true });
}

/** Prints events until Ctrl-C, or until their reader goes away. */
async function printEvents(
  { io, dataDir, clock }: CliContext,
  { project, isJson }: { project?: string; isJson: boolean },
): Promise<void> {
  const { eventText } = await import("../tui/event-text.ts");
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    await followEvents({
      dataDir: dataDir(),
      ...(project !== undefined && { project }),
      signal: stopped.signal,
      onEvent(event) {
        if (io.isClosed) stop();
        const line = isJson ? jsonLine(event) : eventText(event, clock.now());
        if (line !== null) io.out(line);
      },
      onConnection(connection, hasGap) {
        if (connection === "lost")
          io.err("The worker does not answer. Waiting for it; start it: `mem worker start`.");
        else if (hasGap) io.err("Connected again. Events may be missing in between: `mem timeline`.");
      },
    });
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

// The state of the queue comes with every message, and a new observation in two forms.
const leftOut: ReadonlySet<StreamEvent["type"]> = new Set([
  "initial_load",
  "processing_status",
  "new_observation",
]);

function jsonLine(event: StreamEvent): string | null {
  if (leftOut.has(event.type)) return null;
  const lists = "observation" in event ? { observation: parseLists(event.observation) } : {};
  return JSON.stringify(snakeCased({ ...event, ...lists }));
}
