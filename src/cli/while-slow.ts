// A word to a person who waits: work that takes longer than expected says that it goes on.
import type { Io } from "./io.ts";

// Sooner than this nobody wonders.
const slowAfterMs = 1_000;

/** Does `work`; `sentence` is said once, to a terminal, when it takes longer than a second. */
export async function whileSlow<T>(
  io: Pick<Io, "err" | "talksToTerminal">,
  sentence: string,
  work: () => Promise<T>,
): Promise<T> {
  const timer = io.talksToTerminal ? setTimeout(() => io.err(sentence), slowAfterMs) : undefined;
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
