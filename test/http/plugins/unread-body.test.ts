import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { fakeWorld } from "../support.ts";

const world = fakeWorld();
afterAll(() => world.app.close());
await world.app.listen({ host: "127.0.0.1", port: 0 });
const hosted = await openTestServer();
const { apiKey } = await hosted.addKey({ project: "one" });
await hosted.app.listen({ host: "127.0.0.1", port: 0 });

const worker = { app: world.app, path: "/api/sessions/observations" };
const server = { app: hosted.app, path: "/v1/events" };
const mb = 1024 * 1024;

interface Opened {
  socket: Socket;
  port: number;
  received(): string;
  closed: Promise<void>;
}

function open({ app }: typeof worker): Opened {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.1", port });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  // Written into what the other side closed: the answer may have come all the same.
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  return { socket, port, received: () => text, closed };
}

function head(path: string, port: number, more: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;
}

/** Waits until the system has taken it, or the connection has ended. */
async function write(socket: Socket, text: string | Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    if (socket.destroyed) return void setImmediate(resolve);
    socket.once("close", resolve);
    socket.write(text, () => {
      socket.off("close", resolve);
      resolve();
    });
  });
}

/** Sends the whole body before anything of the answer is read, as clients without an event loop do. */
async function sendThenRead(to: typeof worker, bytes: number, chunked: boolean): Promise<string> {
  const { socket, port, received, closed } = open(to);
  socket.pause();
  await write(
    socket,
    head(to.path, port, chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes}`),
  );
  const part = Buffer.alloc(mb / 4, 0x20);
  for (let sent = 0; sent < bytes; sent += part.length) {
    if (chunked) await write(socket, `${part.length.toString(16)}\r\n`);
    await write(socket, part);
    if (chunked) await write(socket, "\r\n");
  }
  if (chunked) await write(socket, "0\r\n\r\n");
  socket.resume();
  await closed;
  return received();
}

test.each([
  ["the worker", worker],
  ["the hosted server", server],
])("%s answers 413 to a client that sends its whole body first", async (_name, to) => {
  for (const [size, chunked] of [
    [6, false],
    [6, true],
    [12, false],
    [40, true],
  ] as const) {
    const answer = await sendThenRead(to, size * mb, chunked);
    expect(answer.slice(0, 12), `${size} MB, chunked: ${chunked}`).toBe("HTTP/1.1 413");
    expect(answer).toContain('"payload_too_large"');
  }
});

test("a 401 reaches a client that sent Connection: close", async () => {
  const { socket, port, received, closed } = open(server);
  socket.pause();
  const anonymous = head(server.path, port, `Content-Length: ${12 * mb}\r\nConnection: close`);
  await write(socket, anonymous.replace(apiKey, "mem_wrong"));
  for (let sent = 0; sent < 48; sent += 1) await write(socket, Buffer.alloc(mb / 4, 0x20));
  socket.resume();
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 401 /);
});

test("a body without an end is cut after its answer", async () => {
  const { socket, port, received, closed } = open(worker);
  await write(socket, head(worker.path, port, "Transfer-Encoding: chunked"));
  while (!socket.destroyed) {
    await write(socket, `40000\r\n`);
    await write(socket, Buffer.alloc(mb / 4, 0x20));
    await write(socket, "\r\n");
  }
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 413 /);
});

test("a body that stops arriving is cut after its answer", async () => {
  const { socket, port, received, closed } = open(worker);
  await write(socket, head(worker.path, port, `Content-Length: ${12 * mb}`));
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 413 [\s\S]*"payload_too_large"/);
});
