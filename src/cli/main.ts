// The command line as a process: its streams, its environment, its exit code.
import { restrictUmask } from "../settings/data-dir.ts";
import { processEnvironment } from "../settings/environment.ts";
import { runCommandLine } from "./command-line.ts";
import type { Streams } from "./io.ts";

/** Runs the words after `mem`, and sets the exit code of the process. */
export async function main(words: readonly string[], streams: Streams = process): Promise<void> {
  restrictUmask();
  process.exitCode = await runCommandLine(words, {
    environment: processEnvironment(),
    streams,
    onOutputFailure: (exitCode) => {
      process.exitCode = exitCode;
    },
  });
}
