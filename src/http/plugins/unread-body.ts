// Reads the rest of a request body, within bounds, before an answer closes the connection.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { App } from "./zod.ts";

// A connection that is closed with unread bytes is reset, and a client that is still sending loses the answer with it.
const mostBytes = 64 * 1024 * 1024;
const longestMs = 10_000;
const quietMs = 2_000;

/** Sends the whole answer immediately, and ends it when the body has arrived, or is too long, too late or stalled. */
export function installUnreadBody(app: App): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const closes = reply.getHeader("connection") === "close" || !reply.raw.shouldKeepAlive;
    if (!closes || typeof payload !== "string" || !hasUnreadBody(request.raw)) return done(null, payload);
    reply.header("content-length", String(Buffer.byteLength(payload)));
    done(null, Readable.from(thenRest(payload, request.raw)));
  });
}

function hasUnreadBody({ complete, readableEnded, destroyed, headers }: IncomingMessage): boolean {
  if (complete || readableEnded || destroyed) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

async function* thenRest(answer: string, body: IncomingMessage): AsyncGenerator<string> {
  yield answer;
  await readToEnd(body);
}

function readToEnd(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = (): void => {
      clearTimeout(deadline);
      clearTimeout(quiet);
      body.off("data", count);
      resolve();
    };
    const deadline = setTimeout(end, longestMs);
    const quiet = setTimeout(end, quietMs);
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      quiet.refresh();
      if (bytes > mostBytes) end();
    };
    body.on("data", count);
    for (const event of ["end", "error", "close"]) body.once(event, end);
    body.resume();
  });
}
