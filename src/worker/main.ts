// The worker's process: `node dist/worker.cjs [--announce]`, with the data directory from MEM_DATA_DIR.
import { toLocalError } from "../core/output-file.ts";
import { restrictUmask } from "../settings/data-dir.ts";
import { loadSettings } from "../settings/load.ts";
import { runWorker } from "./run.ts";

restrictUmask();
start().catch((cause: unknown) => {
  const error = toLocalError(cause);
  const why = error.cause instanceof Error ? error.cause.message : "";
  const reason = error.message.includes(why) ? "" : ` (${why})`;
  process.stderr.write(
    `mem: ${error.message}${reason}\n${error.hint === undefined ? "" : `  ${error.hint}\n`}`,
  );
  process.exit(error.exitCode);
});

async function start(): Promise<void> {
  const announce = process.argv.includes("--announce") || process.stdout.isTTY === true;
  await runWorker({ settings: loadSettings(), announce });
}
