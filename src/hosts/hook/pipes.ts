// Reads the host's payload from stdin and writes the worker's reply.
import { fstatSync, readSync, writeSync } from "node:fs";
import type { Socket, SocketConstructorOpts } from "node:net";
import { codeOf } from "../../core/error-code.ts";

const stdin = 0;
/** For the host's envelope. */
export const standardOutput = 1;
/** For text that the host shows to the user. */
export const standardError = 2;
const chunkBytes = 65_536;

/** All of stdin; empty without input, or when stdin is a terminal. */
export async function readPayload(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    if (fstatSync(stdin).isCharacterDevice()) return Buffer.alloc(0);
    // Without a stream, which costs 2 ms.
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const count = readSync(stdin, chunk, 0, chunkBytes, null);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
    }
  } catch (cause) {
    // The pipe may be non-blocking; on Windows the end of a pipe is an error.
    if (codeOf(cause) === "EAGAIN") chunks.push(...(await streamedChunks()));
  }
  return Buffer.concat(chunks);
}

/** Writes the reply to the descriptor in one write. A closed reader is not an error. */
export async function printAnswer(answer: string, to: number): Promise<void> {
  if (answer === "") return;
  const bytes = Buffer.from(answer);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(to, bytes, written);
  } catch (cause) {
    if (codeOf(cause) === "EAGAIN") await streamed(bytes.subarray(written), to);
  }
}

function streamedChunks(): Promise<Buffer[]> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = () => resolve(chunks);
    const stream = socketOf({ fd: stdin, readable: true, writable: false });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", done).on("close", done).on("error", done);
  });
}

function streamed(bytes: Buffer, fd: number): Promise<void> {
  return new Promise((resolve) => {
    const stream = socketOf({ fd, readable: false, writable: true });
    stream.on("error", () => resolve());
    stream.end(bytes, () => resolve());
  });
}

// Loaded late: a hook that only spools does not need node:net.
function socketOf(options: SocketConstructorOpts): Socket {
  const net = process.getBuiltinModule("node:net");
  return new net.Socket(options);
}
