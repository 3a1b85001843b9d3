// `mem scrub`: applies the redaction of today to what was stored before.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { ScrubState } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { openProgress } from "../progress.ts";
import { counted } from "../words.ts";

interface ScrubOptions extends JsonOptions {
  dryRun?: true;
}

/** Adds `mem scrub`. */
export function registerScrub(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "scrub",
    about: "Redact private tags and secrets, as known today, in everything stored",
    options: [["--dry-run", "count what would change, change nothing"], jsonOption],
    examples: ["mem scrub --dry-run", "mem scrub"],
    notes: [
      "It cannot be undone. A worker that is stopped in the middle goes on when it",
      "starts again. Changed records are sent to your other devices at their next",
      "sync. Excluded paths: delete what was stored before with `mem forget`.",
    ].join("\n"),
    run: (options: ScrubOptions) => scrub(context, options),
  });
}

const pollMs = 150;

async function scrub(context: CliContext, { dryRun, json }: ScrubOptions): Promise<void> {
  const { io } = context;
  const worker = context.worker();
  let state = await worker.scrub({ dry_run: dryRun === true });
  const options = json === true ? { json } : {};
  const progress = await openProgress(
    io,
    options,
    ({ done, total }: Pick<ScrubState, "done" | "total"> & { failed: number }) => {
      if (total === 0) return "Counting the rows";
      const percent = Math.floor((10 * done) / total) * 10;
      return `${Math.min(100, percent)} % of ${counted(total, "row")} read`;
    },
  );
  try {
    for (; state.running; state = await worker.scrubState()) {
      progress.show({ ...state, failed: 0 });
      await delay(pollMs);
    }
    const { total, error } = state;
    if (error === null) progress.show({ done: total, total, failed: 0 });
  } finally {
    await progress.close();
  }
  const { error, changed, done, erased, files } = state;
  if (error !== null) throw new MemError("internal", { message: error });
  if (json === true) io.json({ scrubbed: dryRun !== true, rows_read: done, changed, erased, files });
  else for (const line of resultLines(state)) io.out(line);
}

function resultLines({ changed, dry_run, done, erased, files }: ScrubState): string[] {
  const tables = Object.entries(changed);
  const rows = tables.reduce((sum, [, count]) => sum + count, 0);
  const what = dry_run ? "Would redact" : "Redacted";
  if (rows === 0) return [`Nothing to redact in ${counted(done, "row")}.`];
  return [
    `${what} ${counted(rows, "row")} of ${done.toLocaleString("en-US")}:`,
    ...tables.map(([table, count]) => `  ${table}: ${count.toLocaleString("en-US")}`),
    ...(dry_run || erased
      ? []
      : ["Bytes may be left in gaps of mem.db: the worker erases them when no messages come in."]),
    ...(files === null
      ? []
      : [
          `Searched ${counted(files.searched, "file")} of the data directory: ${files.words === 0 ? "none of the redacted words left" : `${counted(files.words, "redacted word")} left`}.`,
        ]),
    ...(dry_run ? [] : ["Not reached: exports and backups elsewhere, and other devices until they sync."]),
  ];
}
