import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, request, type Server } from "node:http";
import { createServer, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listen } from "../../src/worker/listen.ts";

let directory: string;
let server: Server;
let pipe: Server;
let accept: (connection: Socket) => void;
let acceptPipe: (connection: Socket) => void;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-listen-"));
  server = createHttpServer((_request, response) => response.end("here"));
  pipe = createHttpServer((_request, response) => response.end("piped"));
  accept = (connection) => void server.emit("connection", connection);
  acceptPipe = (connection) => void pipe.emit("connection", connection);
});

afterEach(() => {
  for (const open of [server, pipe]) open.close();
  rmSync(directory, { recursive: true, force: true });
});

const socket = () => join(directory, "worker.sock");

function get(options: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, agent: false }, (answer: IncomingMessage) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve(text));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

describe("listening", () => {
  test("the port answers, and so does a socket that only its owner may open", async () => {
    const { port, closeSocket } = await listen({
      server,
      accept,
      acceptPipe,
      host: "127.0.0.1",
      port: 0,
      dataDir: directory,
      socket: socket(),
    });
    expect(await get({ port, host: "127.0.0.1" })).toBe("here");
    expect(await get({ socketPath: socket() })).toBe("piped");
    expect(statSync(socket()).mode & 0o777).toBe(0o600);
    await closeSocket();
    await expect(get({ socketPath: socket() })).rejects.toThrow();
  });

  test("another spelling of 127.0.0.1 is bound once", async () => {
    const at = { server, accept, acceptPipe, dataDir: directory, socket: socket() };
    const { port, closeSocket } = await listen({ ...at, host: "127.1", port: 0 });
    expect(await get({ port, host: "127.0.0.1" })).toBe("here");
    await closeSocket();
  });
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;

  test.runIf(own !== undefined)("at another address, 127.0.0.1 answers on the same port", async () => {
    const at = { server, accept, acceptPipe, dataDir: directory, socket: socket() };
    const { port, closeSocket } = await listen({ ...at, host: own ?? "", port: 0 });
    expect(await get({ port, host: own })).toBe("here");
    expect(await get({ port, host: "127.0.0.1" })).toBe("here");
    await closeSocket();
    await expect(get({ port, host: "127.0.0.1" })).rejects.toThrow();
    expect(await get({ port, host: own })).toBe("here");
  });

  test.runIf(own !== undefined)("a port that is free at one of two addresses is not taken", async () => {
    const stranger = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => stranger.once("listening", resolve));
    const address = stranger.address();
    const taken = typeof address === "object" && address !== null ? address.port : 0;
    const at = { server, accept, acceptPipe, dataDir: directory, socket: socket() };
    const { port, closeSocket } = await listen({ ...at, host: own ?? "", port: taken });
    expect(port).toBeGreaterThan(taken);
    expect(await get({ port, host: "127.0.0.1" })).toBe("here");
    await closeSocket();
    await new Promise((resolve) => stranger.close(resolve));
  });

  test("an address that this machine has not is blamed on the address", async () => {
    const request = { server, accept, acceptPipe, port: 0, dataDir: directory, socket: socket() };
    await expect(listen({ ...request, host: "192.0.2.1" })).rejects.toMatchObject({
      code: "port_unusable",
      message: "This machine has no address 192.0.2.1.",
      hint: expect.stringContaining("MEM_WORKER_HOST"),
    });
  });

  test("the next free port is taken when a stranger holds the one asked for", async () => {
    const stranger = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => stranger.once("listening", resolve));
    const address = stranger.address();
    const taken = typeof address === "object" && address !== null ? address.port : 0;
    const { port, closeSocket } = await listen({
      server,
      accept,
      acceptPipe,
      host: "127.0.0.1",
      port: taken,
      dataDir: directory,
      socket: socket(),
    });
    expect(port).toBeGreaterThan(taken);
    await closeSocket();
    await new Promise((resolve) => stranger.close(resolve));
  });

  test("a socket file that a killed worker left is replaced", async () => {
    const other = createHttpServer();
    const at = { host: "127.0.0.1", port: 0, dataDir: directory, socket: socket() };
    const killed = await listen({
      ...at,
      accept,
      server: other,
      acceptPipe: (connection) => void connection.destroy(),
    });
    const next = await listen({ ...at, server, accept, acceptPipe });
    expect(await get({ socketPath: socket() })).toBe("piped");
    other.close();
    await Promise.all([killed.closeSocket(), next.closeSocket()]);
  });

  test("a socket outside the data directory needs a directory of this user alone", async () => {
    const at = { server, accept, acceptPipe, host: "127.0.0.1", port: 0, dataDir: join(directory, "data") };
    const open = join(directory, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    const { closeSocket } = await listen({ ...at, socket: join(open, "worker.sock") });
    expect(statSync(open).mode & 0o777).toBe(0o700);
    await closeSocket();
    await new Promise((resolve) => server.close(resolve));
    const theirs = join(directory, "theirs");
    mkdirSync(theirs);
    symlinkSync(theirs, join(directory, "planted"));
    await expect(listen({ ...at, socket: join(directory, "planted", "worker.sock") })).rejects.toMatchObject({
      code: "data_dir_unusable",
    });
    expect(readdirSync(theirs)).toEqual([]);
  });
});
