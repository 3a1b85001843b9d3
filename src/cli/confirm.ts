// Asks for confirmation before something that cannot be undone.
import { createInterface } from "node:readline/promises";
import { MemError } from "../core/errors.ts";

/** Where the question goes and the answer comes from. */
export interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** True when both streams are a terminal. */
export function canAsk({ input, output }: Terminal = ofProcess()): boolean {
  return input.isTTY && output.isTTY;
}

/** What a command asks before it changes something, and what it says where there is no terminal. */
interface Question {
  /** `--json`: a script is not asked. */
  json?: boolean | undefined;
  question: string;
  refusal: string;
  /** The usage error without a terminal. */
  unasked: { message: string; hint: string };
  /** Lines above the question. */
  above?(): void;
}

/** Returns after a yes. Throws `usage` where there is no terminal to ask on, and `cancelled` after a no. */
export async function demandYes({ json, question, refusal, unasked, above }: Question): Promise<void> {
  if (!canAsk() || json === true) throw new MemError("usage", unasked);
  above?.();
  await confirm(question, refusal);
}

/** Asks on stderr; anything but `y` or `yes`, Ctrl-C and Ctrl-D included, throws `cancelled` with `refusal`. */
export async function confirm(
  question: string,
  refusal: string,
  terminal: Terminal = ofProcess(),
): Promise<void> {
  const lines = createInterface(terminal);
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: ended.signal });
    if (/^y(es)?$/i.test(answer.trim())) return;
  } catch (cause) {
    if (!ended.signal.aborted) throw cause;
    terminal.output.write("\n");
  } finally {
    lines.close();
  }
  throw new MemError("cancelled", { message: refusal });
}

function ofProcess(): Terminal {
  return { input: process.stdin, output: process.stderr };
}
