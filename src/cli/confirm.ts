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
