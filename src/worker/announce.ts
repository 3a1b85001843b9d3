// What `npm start` and `mem worker start --foreground` say on stdout.
import type { DataPaths } from "../core/paths.ts";
import type { WorkerFile } from "./worker-file.ts";

interface Running {
  host: string;
  port: number;
  paths: DataPaths;
}

/** The address of the worker, and what to do next. */
export function announceRunning({ host, port, paths }: Running): void {
  process.stdout.write(`mem is running; its API is at http://${host}:${port}/api/health
Its memory is in ${paths.root}

Next, in another terminal:
  npm link                  once, in this directory: make mem a command
  mem install claude-code   let Claude Code remember through it
  mem demo                  or see it work on a recorded session first
  mem search <words>        find what an agent learned

Stop it with Ctrl-C.
`);
}

/** Said on Ctrl-C: what is in flight is finished first. */
export function announceStopping(): void {
  process.stdout.once("error", () => undefined);
  process.stdout.write("\nmem is stopping.\n");
}

/** Said by a second worker of the same data directory, which then ends. */
export function announceAlreadyRunning(file: WorkerFile | undefined): void {
  const where = file === undefined ? "" : ` at http://${file.host}:${file.port} (process ${file.pid})`;
  process.stdout.write(`mem is already running${where}.
Stop it with \`mem worker stop\`, or set MEM_DATA_DIR to run a second one.
`);
}
