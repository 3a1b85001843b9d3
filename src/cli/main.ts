// The command line as a process: its streams, its environment, its exit code.
import { restrictUmask } from "../settings/data-dir.ts";
import { processEnvironment } from "../settings/environment.ts";
import { runCommandLine } from "./command-line.ts";

restrictUmask();
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: processEnvironment(),
  streams: process,
  onOutputFailure: (exitCode) => {
    process.exitCode = exitCode;
  },
});
