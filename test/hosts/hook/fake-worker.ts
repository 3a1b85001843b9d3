// What a hook may find where the worker should be: a worker that answers, one with a fault, or a stranger.
import { createHmac } from "node:crypto";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { eventually } from "../../helpers/eventually.ts";

const secret = "the-secret-of-this-instance";

/** What it does with a request for a hook. */
export type Behaviour =
  | "answer"
  | "late"
  | "hang"
  | "reset"
  | "drip"
  | "silent-end"
  | "garbage"
  | "cut"
  | number;

export interface FakeWorker {
  /** Every byte that came in. */
  received(): string;
  /** Bodies of hook requests, with their paths. */
  requests: { path: string; body: string }[];
  port: number;
}

interface FakeOptions {
  /** Where: the socket of this data directory, or a loopback port that its worker.json names. */
  dataDir: string;
  over: "socket" | "port";
  does: Behaviour;
  answer?: string;
  /** A late answer waits for this file, instead of 1.5 s. */
  until?: string;
  /** Over a port: answers a nonce with the proof of `secret`; a stranger cannot. */
  proves?: boolean;
}

/** Listens until the running test ends. */
export async function fakeWorker(options: FakeOptions): Promise<FakeWorker> {
  const { dataDir, over } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fake: FakeWorker = { received: () => chunks.join(""), requests: [], port: 0 };
  const chunks: string[] = [];
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    let waiting: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk.toString("latin1"));
      waiting = serve(Buffer.concat([waiting, chunk]), socket, options, fake);
    });
  });
  const socketPath = join(dataDir, "worker.sock");
  await listening(server, over === "socket" ? { path: socketPath } : { host: "127.0.0.1", port: 0 });
  const address = server.address();
  if (typeof address === "object" && address !== null) {
    fake.port = address.port;
    announce(dataDir, { port: address.port });
  } else chmodSync(socketPath, 0o600);
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return fake;
}

/** Writes worker.json. */
export function announce(dataDir: string, given: { port: number; socket?: string }): void {
  const { port, socket = "" } = given;
  const file = { pid: process.pid, host: "127.0.0.1", port, version: "0.1.0", secret, socket };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, "worker.json"), JSON.stringify(file), { mode: 0o600 });
}

function listening(server: Server, where: Parameters<Server["listen"]>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, resolve);
  });
}

// Takes whole requests off the front; what is left waits for more.
function serve(bytes: Buffer, socket: Socket, options: FakeOptions, fake: FakeWorker): Buffer {
  // Closing with bytes unread resets a connection, over a unix socket too.
  if (options.does === "reset") socket.destroy();
  const at = bytes.indexOf("\r\n\r\n");
  if (at < 0) return bytes;
  const head = bytes.toString("latin1", 0, at);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < at + 4 + length) return bytes;
  const body = bytes.toString("utf8", at + 4, at + 4 + length);
  const nonce = /x-mem-nonce: (\S+)/i.exec(head)?.[1];
  if (nonce !== undefined) socket.write(health(nonce, options.proves === true));
  else {
    fake.requests.push({ path: head.split(" ")[1] ?? "", body });
    respond(socket, options);
  }
  return bytes.subarray(at + 4 + length);
}

function health(nonce: string, proves: boolean): string {
  const proof = createHmac("sha256", proves ? secret : "a guess")
    .update(nonce)
    .digest("hex");
  return `HTTP/1.1 200 OK\r\nx-mem-proof: ${proof}\r\ncontent-length: 2\r\n\r\n{}`;
}

function respond(socket: Socket, options: FakeOptions): void {
  const { does, answer = "", until } = options;
  const head = `HTTP/1.1 ${typeof does === "number" ? does : 200} X\r\ncontent-type: text/plain\r\n`;
  const length = Buffer.byteLength(answer);
  if (does === "hang" || does === "reset") return;
  if (does === "late") {
    const due = until === undefined ? delay(1_500) : eventually(() => statSync(until));
    void due.then(() => respond(socket, { ...options, does: "answer" }));
    return;
  }
  if (does === "drip") socket.write(`${head}content-length: 1000\r\n\r\n{`);
  else if (does === "silent-end") socket.end();
  else if (does === "garbage") socket.end("\0\0\0not a response at all\r\n\r\n");
  else if (does === "cut") socket.end(`${head}content-length: ${length + 9}\r\n\r\n${answer}`);
  else socket.end(`${head}content-length: ${length}\r\nconnection: close\r\n\r\n${answer}`);
}
