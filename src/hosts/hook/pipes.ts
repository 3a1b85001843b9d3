// The hook's two ends: the host's payload in, the worker's answer out.
import { fstatSync, readSync, writeSync } from "node:fs";
import type { Socket, SocketConstructorOpts } from "node:net";

const stdin = 0;
/** Where a host reads its envelope. */
export const standardOutput = 1;
/** Where a host reads what is for the user. */
export const standardError = 2;
const chunkBytes = 65_536;

/** Everything on standard input; empty when there is none, or when a person's terminal is attached. */
export async function readPayload(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    if (fstatSync(stdin).isCharacterDevice()) return Buffer.alloc(0);
    // Read without a stream: that alone is 2 ms less.
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const count = readSync(stdin, chunk, 0, chunkBytes, null);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
    }
  } catch (cause) {
    // A host may hand over a pipe that does not block; on Windows the end of a pipe is an error.
    if (codeOf(cause) === "EAGAIN") chunks.push(...(await streamedChunks()));
  }
  return Buffer.concat(chunks);
}

/** Prints the answer to the descriptor in one write. A reader that went away is not an error. */
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

// node:net is loaded late: a hook that only spools does not need it.
function socketOf(options: SocketConstructorOpts): Socket {
  const net = process.getBuiltinModule("node:net");
  return new net.Socket(options);
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
