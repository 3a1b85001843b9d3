// A worker as far as its client can see: a server on a port or a socket, and a worker.json that names it.
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";

interface FakeWorker {
  dataDir: string;
  /** Method and target of every request, health checks included. */
  seen: string[];
  bodies: string[];
}

interface FakeOptions {
  /** Where it listens; `dead socket` puts a socket in worker.json that no process listens on. */
  on: "socket" | "port" | "socket elsewhere";
  /** What it signs its nonce with; another than worker.json's is a stranger. */
  secret?: string;
  answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

const fileSecret = "the-secret-of-worker-json";

/** Starts a fake worker that answers `{}` with JSON, or as told. It ends with the test. */
export async function fakeWorker({ on, secret = fileSecret, answer }: FakeOptions): Promise<FakeWorker> {
  const dataDir = tempDir();
  const fake: FakeWorker = { dataDir, seen: [], bodies: [] };
  const server = createServer((request, response) => {
    fake.seen.push(`${request.method} ${request.url}`);
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      fake.bodies.push(body);
      const nonce = request.headers["x-mem-nonce"];
      if (typeof nonce === "string") {
        response.setHeader("x-mem-proof", createHmac("sha256", secret).update(nonce).digest("hex"));
      }
      if (answer !== undefined && nonce === undefined) answer(request, response);
      else json(response, 200, {});
    });
  });
  const socket = join(on === "socket elsewhere" ? tempDir() : dataDir, "worker.sock");
  await new Promise<void>((resolve) => {
    if (on === "port") server.listen(0, "127.0.0.1", resolve);
    else server.listen(socket, resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = on === "port" ? (server.address() as AddressInfo).port : 1;
  const file = {
    pid: process.pid,
    port,
    host: "127.0.0.1",
    socket,
    secret: fileSecret,
    instance: "i",
    version: "0",
  };
  writeFileSync(dataPaths(dataDir).workerFile, JSON.stringify(file));
  return fake;
}

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
