// Progress of long work: a bar on a terminal, a line for each change off it, nothing with --json.
import type { Clock } from "../core/clock.ts";
import type { Io } from "./io.ts";

export interface ProgressDisplay<P> {
  show(state: P): void;
  /** Removes the bar. */
  close(): Promise<void>;
}

interface Progress {
  total: number;
  done: number;
  failed: number;
  /** False at the end, whose line the result repeats. */
  running?: boolean;
}

interface ProgressOptions {
  plain?: true;
  json?: true;
}

/** `words` is the line below the bar, safe for a terminal. */
export async function openProgress<P extends Progress>(
  io: Io,
  { plain, json }: ProgressOptions,
  words: (state: P) => string,
): Promise<ProgressDisplay<P>> {
  if (json === true) return { show: () => undefined, close: async () => undefined };
  if (io.isTerminal && plain !== true) {
    const { openProgressScreen } = await import("./tui/progress-screen.tsx");
    return openProgressScreen({ color: io.color, columns: io.columns, words });
  }
  let last = "";
  return {
    show(state) {
      const line = words(state);
      if (line !== last && state.running !== false) io.err(line);
      last = line;
    },
    close: async () => undefined,
  };
}

/** For steps of milliseconds: the first state after a second, then one each second, and the last one. */
export function onceASecond<P>(
  { monotonicMs }: Pick<Clock, "monotonicMs">,
  { show, close }: ProgressDisplay<P>,
): ProgressDisplay<P> {
  let shownAt = monotonicMs();
  let isShown = false;
  let waiting: P | null = null;
  return {
    show(progress) {
      waiting = progress;
      const now = monotonicMs();
      if (now - shownAt < progressEveryMs) return;
      shownAt = now;
      isShown = true;
      waiting = null;
      show(progress);
    },
    async close() {
      if (isShown && waiting !== null) show(waiting);
      await close();
    },
  };
}

const progressEveryMs = 1_000;
