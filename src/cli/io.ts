// The streams of the command line: results on stdout, notes and errors on stderr, color for people only.
import { isoTime } from "../core/clock.ts";
import { type Paint, paintFor } from "./paint.ts";

/** What a command writes to. */
export interface Io {
  /** A line of the result, on stdout. */
  out(line: string): void;
  /** Text of the result, without a line end added. */
  raw(text: string): void;
  /** A line for people, on stderr. */
  err(line: string): void;
  /** The result as JSON, for `--json`: keys in snake_case; times are ISO 8601 unless their key ends in `_epoch`. */
  json(value: object): void;
  /** Colors of stdout: none when it is not a terminal. */
  readonly paint: Paint;
  /** Colors of stderr. */
  readonly errPaint: Paint;
  /** True once the reader of stdout has gone away. */
  readonly isClosed: boolean;
  /** True when stdout shows color. */
  readonly color: boolean;
  /** True when stderr is a terminal. */
  readonly talksToTerminal: boolean;
  /** True when stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Columns of the terminal. Without one lines are whole, for grep. */
  readonly columns: number;
}

export interface OwnedIo extends Io {
  /** Runs `work`; what it writes goes through the pager when it is longer than the terminal. */
  paged<T>(work: () => Promise<T>): Promise<T>;
}

interface OutputStream {
  write(text: string): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  isTTY?: boolean;
  rows?: number;
  columns?: number;
}

/** Where the output goes: the process, by default. */
export interface Streams {
  stdout: OutputStream;
  stderr: OutputStream;
}

interface IoOptions {
  streams?: Streams;
  color: boolean;
  errColor: boolean;
  /** Shows text in the user's pager; null without one. */
  page?: ((text: string) => Promise<void>) | null;
  /** Called when stdout fails for another reason than a closed pipe. */
  onOutputFailure?(cause: Error): void;
}

interface HeldText {
  to: "stdout" | "stderr";
  text: string;
}

/** The output of one command. A reader that goes away (`mem search x | head -1`) is not an error. */
export function createIo(options: IoOptions): OwnedIo {
  const { stdout, stderr } = options.streams ?? process;
  const page = options.page ?? null;
  let isClosed = false;
  let held: HeldText[] | null = null;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    isClosed = true;
    if (error.code !== "EPIPE") options.onOutputFailure?.(error);
  });
  stderr.on("error", () => undefined);

  function write(to: HeldText["to"], text: string): void {
    if (held === null) (to === "stdout" ? stdout : stderr).write(text);
    else held.push({ to, text });
  }

  async function release(texts: readonly HeldText[]): Promise<void> {
    const result = texts.filter(({ to }) => to === "stdout").map(({ text }) => text);
    const isLong = result.join("").split("\n").length > (stdout.rows ?? Number.POSITIVE_INFINITY);
    if (isLong && page !== null) await page(result.join(""));
    for (const { to, text } of texts) if (!isLong || page === null || to === "stderr") write(to, text);
  }

  return {
    get isClosed() {
      return isClosed;
    },
    out: (line) => write("stdout", `${line}\n`),
    raw: (text) => write("stdout", text),
    err: (line) => write("stderr", `${line}\n`),
    json: (value) =>
      write("stdout", `${JSON.stringify(snakeCased(value), null, stdout.isTTY ? 2 : undefined)}\n`),
    paint: paintFor(options.color),
    errPaint: paintFor(options.errColor),
    color: options.color,
    talksToTerminal: stderr.isTTY === true,
    isTerminal: stdout.isTTY === true,
    columns: stdout.isTTY ? Math.max(40, stdout.columns ?? 80) : Infinity,
    async paged(work) {
      if (page === null || !stdout.isTTY) return work();
      const texts: HeldText[] = [];
      held = texts;
      try {
        return await work();
      } finally {
        held = null;
        await release(texts);
      }
    },
  };
}

/** The value with camelCase keys in snake_case and times as ISO 8601. Other keys are data, such as names of hook events. */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      snakeKey(key),
      typeof inner === "number" && isTimeKey.test(key) ? isoTime(inner) : snakeCased(inner),
    ]),
  );
}

const isTimeKey = /^(since|until)$|(At|_at|Until|_until)$/;

function snakeKey(key: string): string {
  if (!/^[a-z][a-z0-9]*([A-Z][a-z0-9]*)+$/.test(key)) return key;
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Options for less: the options of the user, and -R, without which it shows color codes as text. */
export function lessOptions(own = ""): string {
  // Quit when it fits, keep colors, leave the text on the screen: git's defaults.
  if (own.trim() === "") return "FRX";
  return /(^|[\s-])-?[A-Za-z]*R|--RAW-CONTROL-CHARS/.test(own) ? own : `-R ${own}`;
}
