// The terminal while the program has it: alternate screen, raw keys, and everything restored on any exit.
import type { Size } from "./layout.ts";

export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
}

export type OwnedTerminal = ReturnType<typeof createOwnedTerminal>;

// Alternate screen, hidden cursor, no automatic wrapping, pasted text marked as such.
const enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J\x1b[H";
const leaveScreen = "\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l";

/** Enters and leaves the screen of the program; both may be called again. */
export function createOwnedTerminal({ stdin, stdout }: Terminal) {
  let isOwned = false;
  return {
    enter(): void {
      if (isOwned) return;
      isOwned = true;
      stdout.write(enterScreen);
    },
    leave(): void {
      if (!isOwned) return;
      isOwned = false;
      if (stdin.isTTY) stdin.setRawMode(false);
      stdout.write(leaveScreen);
    },
    size: (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
  };
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof signals)[number];

/** Calls `onSignal` and `onFault` instead of ending the process; returns what takes that back. */
export function interceptEnds(onEnd: (end: { signal: Signal } | { fault: unknown }) => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    const known = signals.find((each) => each === signal);
    if (known !== undefined) onEnd({ signal: known });
  };
  const onFault = (fault: unknown) => onEnd({ fault });
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
    process.off("uncaughtException", onFault);
    process.off("unhandledRejection", onFault);
  };
}
