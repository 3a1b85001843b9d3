// The streams of the command line: stdout is the answer, stderr is the talk, colour is for people.
import { type Paint, paintFor } from "./paint.ts";

/** What a command writes to. */
export interface Io {
  /** A line of the answer, on stdout. */
  out(line: string): void;
  /** Text of the answer as it is, without a line end added. */
  raw(text: string): void;
  /** A line of talk, on stderr. */
  err(line: string): void;
  /** The answer as JSON, for `--json`. */
  json(value: unknown): void;
  /** Colours of the answer: none when stdout is no terminal. */
  readonly paint: Paint;
  /** Colours of the talk. */
  readonly errPaint: Paint;
  /** True once the reader of stdout has gone away: what goes on for ever may end. */
  readonly isClosed: boolean;
  /** True when stdout shows colour. */
  readonly color: boolean;
  /** True when a person sees stderr. */
  readonly talksToTerminal: boolean;
  /** True when a person sees stdout. */
  readonly isTerminal: boolean;
  /** Columns of the terminal, 80 without one. */
  readonly columns: number;
}

interface IoOptions {
  color: boolean;
  errColor: boolean;
  /** Hears that stdout takes nothing any more, other than because its reader went away. */
  onOutputFailure?(cause: Error): void;
}

/** The streams of this process. A reader that went away (`mem search x | head -1`) ends the writing, not in an error. */
export function createIo(options: IoOptions): Io {
  const { stdout, stderr } = process;
  let isClosed = false;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    isClosed = true;
    if (error.code !== "EPIPE") options.onOutputFailure?.(error);
  });
  // There is nobody left to tell.
  stderr.on("error", () => undefined);
  return {
    get isClosed() {
      return isClosed;
    },
    out: (line) => void stdout.write(`${line}\n`),
    raw: (text) => void stdout.write(text),
    err: (line) => void stderr.write(`${line}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, stdout.isTTY ? 2 : undefined)}\n`),
    paint: paintFor(options.color),
    errPaint: paintFor(options.errColor),
    color: options.color,
    talksToTerminal: stderr.isTTY === true,
    isTerminal: stdout.isTTY === true,
    columns: stdout.isTTY ? Math.max(40, stdout.columns) : 80,
  };
}
