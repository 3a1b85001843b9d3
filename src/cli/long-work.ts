// Long commands: Ctrl-C as a signal, progress, and counts in words.
import type { ExportCounts } from "../core/records/memory-export.ts";
import type { Io } from "./io.ts";
import { counted } from "./words.ts";

/** Runs `work` with a signal that Ctrl-C aborts; the work ends itself. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  try {
    return await work(interrupted.signal);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
}

const printedEvery = 10_000;

/**
 * Prints a line for every ten thousand on a terminal, and one at the end of more; `what` names them and what was done, as
 * in `records written`.
 */
export function printProgress(
  io: Pick<Io, "err" | "talksToTerminal">,
  what: string,
): (done: number, all: number) => void {
  let printed = 0;
  return (done, all) => {
    const isEnd = done === all && printed > 0 && printed < all;
    if (!io.talksToTerminal || (done - printed < printedEvery && !isEnd)) return;
    printed = isEnd ? all : done - (done % printedEvery);
    io.err(`${printed} of ${all} ${what}`);
  };
}

/** `3 projects, 2 sessions, ...`, without kinds that have none. */
export function recordsInWords(counts: ExportCounts): string {
  const words = [
    counted(counts.project, "project"),
    counted(counts.session, "session"),
    counted(counts.prompt, "prompt"),
    counted(counts.observation, "observation"),
    counted(counts.summary, "summary", "summaries"),
    counted(counts.deleted, "deleted id"),
  ].filter((text) => !/^0 /.test(text));
  return words.length === 0 ? "no records" : words.join(", ");
}
