// Splits a file or pipe into lines, with a limit on their length.
import { MemError } from "./errors.ts";

export interface NumberedLine {
  number: number;
  text: string;
}

/** Largest line: an event of 2 MB in which every character is escaped. */
const maxLineBytes = 16 * 1024 * 1024;

/** Lines that are not empty; the first line is 1. Throws `export_invalid` for one that is too long or not UTF-8. */
export async function* numberedLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = maxLineBytes,
): AsyncGenerator<NumberedLine> {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const line = lineOf([...begun, chunk.subarray(from, end)], { number, maxBytes });
      if (line !== undefined) yield line;
      begun = [];
      begunBytes = 0;
      number += 1;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    if (begunBytes > maxBytes) throw tooLong(number, maxBytes);
  }
  const last = lineOf(begun, { number, maxBytes });
  if (last !== undefined) yield last;
}

const newline = 0x0a;

function lineOf(
  parts: readonly Uint8Array[],
  { number, maxBytes }: { number: number; maxBytes: number },
): NumberedLine | undefined {
  const bytes = Buffer.concat(parts);
  if (bytes.length > maxBytes) throw tooLong(number, maxBytes);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    return text === "" ? undefined : { number, text };
  } catch (cause) {
    throw new MemError("export_invalid", { message: `Line ${number} is not valid UTF-8.`, cause });
  }
}

function tooLong(number: number, maxBytes: number): MemError {
  return new MemError("export_invalid", {
    message: `Line ${number} is longer than ${Math.floor(maxBytes / 1024 / 1024)} MB.`,
  });
}
