// `mem backup` and `mem restore`: the whole memory as one file, and back.
import { existsSync, lstatSync, readdirSync } from "node:fs";
import type { Command } from "commander";
import { unlessMissing } from "../../core/error-code.ts";
import { failOpenSync, MemError, toMemError } from "../../core/errors.ts";
import { demandOutsideData } from "../../core/output-file.ts";
import { homePath } from "../../core/paths.ts";
import { demandWritable, prepareDataDirectory } from "../../settings/data-dir.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import { demandYes } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { interruptible, printProgress } from "../long-work.ts";
import { counted } from "../words.ts";
import { startWorker, stopWorker, whileSlow } from "../worker-process.ts";

interface BackupOptions extends JsonOptions {
  force?: true;
}

interface RestoreOptions extends JsonOptions {
  yes?: true;
}

/** Adds `mem backup` and `mem restore`. */
export function registerBackup(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "backup",
    about: "Copy the whole memory to a file, while the worker runs or not",
    arguments: [["<file>", "the backup; readable by you only"]],
    options: [["--force", "replace an existing file"], jsonOption],
    notes: `The copy holds one moment and is checked before it gets its name. In it: the
database with raw tool output, the queue and the trash. Not in it: settings,
keys, modes, prices and events that hooks wrote while no worker ran.`,
    examples: [
      "mem backup ~/memory.db # a copy of everything",
      "mem backup /mnt/usb/memory.db --force # replace the last one",
    ],
    run: (file: string, options: BackupOptions) => backUp(context, file, options),
  });
  addCommand(program, context, {
    name: "restore",
    about: "Replace the memory by a backup; the replaced one is kept beside it",
    arguments: [["<file>", "file of `mem backup`"]],
    options: [["--yes", "do not ask"], jsonOption],
    notes: `The backup is checked before anything changes, and may come from another
machine or an older mem. A running worker is stopped and started again.
Single records come back with \`mem trash restore\`.`,
    examples: ["mem restore ~/memory.db", "mem restore ~/memory.db --yes # in a script"],
    run: (file: string, options: RestoreOptions) => restore(context, file, options),
  });
}

async function backUp(context: CliContext, file: string, { force, json }: BackupOptions): Promise<void> {
  const { io } = context;
  const paths = context.paths();
  demandOutsideData(file, paths);
  if (force !== true && unlessMissing(() => lstatSync(file))?.isFile() === true) {
    throw new MemError("conflict", {
      message: `${file} exists. Nothing was written.`,
      hint: "Replace it with --force, or name another file.",
    });
  }
  const worker = await import("../../worker/backup.ts");
  const { counts, bytes } = await interruptible(async (signal) =>
    worker
      .backUp({ paths, file, onProgress: printProgress(io, "pages copied"), signal })
      .catch((error: unknown) => {
        if (toMemError(error).code === "storage_failed") demandWritable(paths.root);
        throw error;
      })
      .catch(stoppedWith("Stopped. No backup was written.")),
  );
  const spooled = failOpenSync("read the spool", () => readdirSync(paths.spool).length) ?? 0;
  if (json === true) {
    io.json({ file, bytes, counts, spooled });
    return;
  }
  io.out(`Backed up ${inWords(counts)} to ${file} (${megabytes(bytes)}).`);
  if (spooled > 0)
    io.err(`Not in it: ${counted(spooled, "file")} of events that hooks wrote while no worker ran.`);
}

async function restore(context: CliContext, file: string, options: RestoreOptions): Promise<void> {
  const { io, clock } = context;
  const dataDir = context.settings("write").dataDir;
  prepareDataDirectory(dataDir);
  const paths = context.paths();
  const worker = await import("../../worker/backup.ts");
  const staged = await interruptible((signal) =>
    worker
      .stageBackup({ paths, file, onProgress: printProgress(io, "pages copied"), signal })
      .catch(stoppedWith("Stopped. Nothing was changed.")),
  );
  let replaced: string | null;
  let ran = false;
  try {
    if (existsSync(paths.database) && options.yes !== true) {
      await demandYes({
        json: options.json,
        question: `Replace the memory by ${inWords(staged.counts)} of ${file}?`,
        refusal: "Nothing was changed.",
        unasked: {
          message: "This replaces the memory, and there is no terminal to ask.",
          hint: "Add --yes. The replaced memory is kept beside it.",
        },
      });
    }
    const stop = () => stopWorker({ dataDir, clock, force: true });
    ran = (await whileSlow(io, "The worker is still stopping…", stop)) !== null;
    replaced = staged.putInPlace(clock.now());
  } finally {
    staged.drop();
    if (ran) await startWorker({ dataDir, environment: context.environment, clock });
  }
  if (options.json === true) {
    io.json({ file, counts: staged.counts, replaced, worker_started: ran });
    return;
  }
  io.out(`Restored ${inWords(staged.counts)}.`);
  if (replaced !== null) {
    io.out(`The replaced memory is ${homePath(replaced)}. The worker removes it after 30 days.`);
  }
}

function stoppedWith(message: string): (cause: unknown) => never {
  return (cause) => {
    throw cause instanceof MemError && cause.code === "cancelled"
      ? new MemError("cancelled", { message })
      : cause;
  };
}

interface Counts {
  sessions: number;
  prompts: number;
  observations: number;
  summaries: number;
}

function inWords({ sessions, prompts, observations, summaries }: Counts): string {
  const words = [
    counted(sessions, "session"),
    counted(prompts, "prompt"),
    counted(observations, "observation"),
  ];
  return `${words.join(", ")} and ${counted(summaries, "summary", "summaries")}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
