// Beside the worker: writes the database file again without bytes of deleted rows, or searches the data directory for
// words. A process, because closing a file in the worker would release its locks on it, and because it can be killed.
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { toMemError } from "../core/errors.ts";
import { rewriteDatabase } from "../store/sqlite/backup.ts";
import { filesWith } from "./files-with.ts";

const [, , path = "", what = ""] = process.argv;

if (!isMainThread) rewriteDatabase(path, () => parentPort?.postMessage({ written: true }));
else {
  // When it is done, or when the worker ends: its lock would keep the next worker waiting.
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  if (what === "words") process.once("message", search);
  else rewriteInThread();
}

// SQLite runs in a thread, so that the end of the worker is seen meanwhile.
function rewriteInThread(): void {
  const thread = new Worker(fileURLToPath(import.meta.url), { argv: [path, what] });
  thread.on("message", (message) => process.send?.(message));
  thread.once("error", (cause) => {
    process.send?.({ error: toMemError(cause).message }, () => process.disconnect());
  });
  thread.once("exit", (code) => {
    if (code === 0) process.disconnect();
  });
}

async function search(words: unknown): Promise<void> {
  const found = await filesWith(path, Array.isArray(words) ? words.map(String) : []);
  process.send?.(found, () => process.disconnect());
}
