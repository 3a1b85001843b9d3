import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { fakeWorld, listenOnLoopback, local } from "./support.ts";

test("cuts a request that drips headers or body, and serves others meanwhile", async () => {
  const world = fakeWorld({
    override: { timeouts: { requestMs: 300, headersMs: 200, checkMs: 50 } },
  });
  const port = await listenOnLoopback(world);
  const open = new Set<number>();
  for (let n = 0; n < 40; n++) {
    const socket = connect(port, "127.0.0.1");
    open.add(n);
    socket.on("error", () => undefined).resume();
    socket.on("close", () => open.delete(n));
    const length = n % 2 === 0 ? "" : "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    socket.write(`POST /api/settings HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${length}`);
    const drip = setInterval(() => socket.writable && socket.write(n % 2 === 0 ? "a" : " "), 100);
    socket.on("close", () => clearInterval(drip));
  }
  const health = await fetch(`http://127.0.0.1:${port}/api/version`);
  expect(health.status).toBe(200);
  await health.text();
  await eventually(() => expect(open.size).toBe(0));
  expect(world.calls).toEqual([]);
  await world.app.close();
});

test("limits on time and connections are set", () => {
  const { app } = fakeWorld();
  const { requestTimeout, headersTimeout, keepAliveTimeout, maxConnections } = app.server;
  expect({ requestTimeout, headersTimeout, keepAliveTimeout, maxConnections }).toEqual({
    requestTimeout: 15_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 5_000,
    maxConnections: 4096,
  });
});

test("closing waits for the reply that is being made", async () => {
  let finish: () => void = () => undefined;
  let arrived: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const world = fakeWorld({
    override: {
      receiveHook: () =>
        new Promise((resolve) => {
          finish = () => resolve("done");
          arrived();
        }),
    },
  });
  const port = await listenOnLoopback(world);
  const head = `POST /api/hooks/h/e HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  const reply = sendRaw(port, `${head}Content-Length: 2\r\n\r\n{}`);
  await asked;
  const closing = world.app.close();
  setImmediate(() => finish());
  expect((await reply).body).toBe("done");
  await closing;
  expect((await sendRaw(port, head)).status).toBe(0);
});

test("closing ends pipe connections: idle ones immediately, busy ones after a timeout", async () => {
  const world = fakeWorld({ override: { timeouts: { closeMs: 200 } } });
  // As the worker listens: fastify itself would cut what it listens for, and knows nothing of this server.
  await world.app.ready();
  world.app.server.listen(0, "127.0.0.1");
  const door = createServer({ allowHalfOpen: true }, (connection) => world.acceptPipe(connection));
  const socket = join(tempDir(), "s");
  door.listen(socket);
  await once(door, "listening");
  const silent = connect(socket);
  const unfinished = connect(socket);
  const idle = connect(socket);
  for (const each of [silent, unfinished, idle]) each.on("error", () => undefined).resume();
  unfinished.write("POST /api/settings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{");
  idle.write("GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(idle, "data");
  await world.app.close();
  await new Promise((resolve) => void door.close(resolve));
  expect(door.listening).toBe(false);
});

test("logs the path of every answer at debug, nothing at info, never a query string", async () => {
  const url = "/api/observations?project=canary-4c2a&limit=500";
  const quiet = fakeWorld({ logLevel: "info" });
  await quiet.app.inject({ url, headers: local });
  expect(quiet.log).toEqual([]);
  const loud = fakeWorld({ logLevel: "trace" });
  await loud.app.inject({ url, headers: local });
  const log = loud.log.join("");
  expect(log).toContain('"path":"/api/observations","status":400');
  expect(log).not.toContain("canary");
  await Promise.all([quiet.app.close(), loud.app.close()]);
});
