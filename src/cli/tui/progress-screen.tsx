// A progress bar with a line of text below it.
import { setTimeout } from "node:timers/promises";
import { Box, render, Text } from "ink";

/** How far it is. */
export interface Progress {
  total: number;
  done: number;
  failed: number;
}

export interface ProgressScreen<P extends Progress> {
  show(progress: P): void;
  /** Removes the bar and releases the terminal. */
  close(): Promise<void>;
}

interface ScreenOptions<P extends Progress> {
  color: boolean;
  columns: number;
  /** The line below the bar, safe for a terminal. */
  words(progress: P): string;
  /** Default: this process's terminal. */
  stdout?: NodeJS.WriteStream;
}

/** Takes the terminal over until it is closed. */
export function openProgressScreen<P extends Progress>({
  color,
  columns,
  words,
  stdout = process.stdout,
}: ScreenOptions<P>): ProgressScreen<P> {
  const app = render(<Box />, { stdout, exitOnCtrlC: false, patchConsole: false });
  return {
    show(progress) {
      app.rerender(<Bar progress={progress} words={words(progress)} color={color} columns={columns} />);
    },
    async close() {
      app.rerender(<Box />);
      // React draws in a later turn.
      await setTimeout(drawnWithinMs);
      app.unmount();
      await app.waitUntilExit();
    },
  };
}

const drawnWithinMs = 50;
const widestBar = 60;

interface BarProps {
  progress: Progress;
  words: string;
  color: boolean;
  columns: number;
}

function Bar({ progress: { total, done, failed }, words, color, columns }: BarProps) {
  const room = Math.min(widestBar, columns - percentColumns);
  const share = total === 0 ? 1 : (done + failed) / total;
  const filled = Math.floor(share * room);
  return (
    <Box flexDirection="column" width={columns}>
      <Box>
        <Text {...(color ? { color: "green" } : {})}>{"━".repeat(filled)}</Text>
        <Text dimColor={color}>{"─".repeat(room - filled)}</Text>
        <Text>{`${String(Math.floor(share * 100)).padStart(4)} %`}</Text>
      </Box>
      <Text wrap="truncate-end">{words}</Text>
    </Box>
  );
}

const percentColumns = 7;
