// `mem import jsonl`: takes over an export of `mem export`.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { importJsonl, type JsonlImport } from "../import-jsonl.ts";
import { interruptible, printProgress, recordsInWords } from "../long-work.ts";
import { counted } from "../words.ts";

interface JsonlOptions extends JsonOptions {
  print?: true;
}

/** Adds `mem import jsonl`. */
export function registerImportJsonl(parent: Command, context: CliContext): void {
  addCommand(parent, context, {
    name: "jsonl",
    about: "Import an export of `mem export`; records that are here stay as they are",
    arguments: [["[file]", "file of `mem export`; default: standard input"]],
    options: [["--print", "check and count only; import nothing"], jsonOption],
    notes: `Records keep their times, and their ids where these are free. What was deleted
here stays deleted. A repeated import adds nothing. Rules in the file count as
yours: import only files that you trust.`,
    examples: [
      "mem import jsonl memory.jsonl # again is safe",
      "gunzip < memory.gz | mem import jsonl # from a pipe",
    ],
    run: (file: string | undefined, options: JsonlOptions) => importExport(context, file, options),
  });
}

async function importExport(
  context: CliContext,
  file: string | undefined,
  { print, json }: JsonlOptions,
): Promise<void> {
  const { io } = context;
  if (file === undefined && process.stdin.isTTY) {
    throw new MemError("usage", {
      message: "No file is given, and standard input is a terminal.",
      hint: "Give a file or a pipe: `mem import jsonl FILE`.",
    });
  }
  const done = await interruptible((signal) =>
    importJsonl({
      from: file ?? process.stdin,
      worker: print === true ? null : context.worker(),
      onProgress: printProgress(io, "records read"),
      signal,
    }),
  );
  if (json === true) io.json({ ...done, preview: print === true });
  else {
    const verb = print === true ? "In the file" : "Added";
    for (const line of linesOf(done, verb)) io.out(line);
  }
  for (const { line, fault } of done.refused.slice(0, shownFaults)) io.err(`Line ${line}: ${fault}`);
  if (done.refused.length > shownFaults) io.err(`And ${done.refused.length - shownFaults} more lines.`);
  if (done.refused.length > 0) context.exitWith(exitCode.invalidData);
}

const shownFaults = 20;

function linesOf({ added, present, deleted, excluded, refused }: JsonlImport, verb: string): string[] {
  return [
    `${verb}: ${recordsInWords(added)}.`,
    ...(present > 0 ? [`${counted(present, "record")} here already.`] : []),
    ...(deleted > 0 ? [`${counted(deleted, "record")} deleted here before; left out.`] : []),
    ...(excluded > 0 ? [`${counted(excluded, "record")} of excluded projects or paths; left out.`] : []),
    ...(refused.length > 0 ? [`${counted(refused.length, "line")} refused.`] : []),
  ];
}
