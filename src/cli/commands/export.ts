// `mem export`: everything that mem remembers, as JSON lines.
import { lstatSync } from "node:fs";
import type { Command } from "commander";
import { unlessMissing } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { demandOutsideData } from "../../core/output-file.ts";
import { addCommand, type JsonOptions, projectOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { interruptible, printProgress, recordsInWords } from "../long-work.ts";
import { parseWhen } from "../when.ts";
import { counted } from "../words.ts";

interface ExportOptions extends JsonOptions {
  out?: string;
  force?: true;
  project?: string;
  since?: string;
}

/** Adds `mem export`. */
export function registerExport(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "export",
    about: "Export sessions, prompts, observations, rules and summaries as JSON lines",
    summary: "Export everything that mem remembers as JSON lines",
    arguments: [["[file]", "output file, readable by you only; default: standard output"]],
    options: [
      ["--out <file>", "the same"],
      ["--force", "replace an existing file"],
      projectOption("one project only"),
      ["--since <time>", "records from 2026-01-31, yesterday, 36h, 7d"],
      ["--json", "print the counts as JSON, with a file"],
    ],
    notes: `\`mem import jsonl\` reads it, here or on another machine. The worker may run
or not. Not in it: raw tool output, the trash, settings, costs and vectors:
\`mem backup\` has all but the settings.`,
    examples: [
      "mem export memory.jsonl # a copy of everything",
      "mem export --project shop --since 30d | gzip > shop.gz # a part, in a pipe",
    ],
    run: (file: string | undefined, options: ExportOptions) => exportAll(context, file, options),
  });
}

async function exportAll(
  context: CliContext,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const { io, clock } = context;
  const { out = file, project, since, json } = options;
  if (file !== undefined && file !== out) {
    throw new MemError("usage", { message: "Two files are named.", hint: "Leave out --out." });
  }
  if (json === true && out === undefined) {
    throw new MemError("usage", {
      message: "--json prints counts, but standard output takes the export.",
      hint: "Add a file: `mem export FILE --json`.",
    });
  }
  if (out !== undefined) demandOutsideData(out, context.paths());
  if (out !== undefined && options.force !== true) demandNew(out);
  const from = since === undefined ? undefined : Date.parse(parseWhen(since, "start", clock.now()));
  const { exportMemory } = await import("../../worker/export.ts");
  const { counts, waiting } = await interruptible((signal) =>
    exportMemory({
      database: context.paths().database,
      filter: { project, since: from },
      to: out ?? process.stdout,
      onProgress: printProgress(io, "records written"),
      signal,
    }),
  );
  if (json === true) io.json({ file: out, counts, waiting });
  else {
    io.err(`Exported ${recordsInWords(counts)}${out === undefined ? "" : ` to ${out}`}.`);
    if (waiting > 0) io.err(`Not in it: ${counted(waiting, "message")} in the queue, without a record yet.`);
  }
}

function demandNew(out: string): void {
  if (unlessMissing(() => lstatSync(out))?.isFile() !== true) return;
  throw new MemError("conflict", {
    message: `${out} exists. Nothing was written.`,
    hint: "Replace it with --force, or name another file.",
  });
}
