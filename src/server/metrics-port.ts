// Serves /metrics on its own port, so that clients of the API cannot read it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../core/clock.ts";
import { failOpen, MemError } from "../core/errors.ts";
import { countJobs } from "../store/postgres/job-counts.ts";
import type { Database } from "../store/postgres/open.ts";
import { keptFor } from "./kept-for.ts";
import { createServerMetrics, type ServerMetrics } from "./metrics.ts";

interface MetricsPortDeps {
  database: Pick<Database, "system" | "pools">;
  clock: Clock;
  version: string;
  role: string;
}

export interface OpenMetrics extends ServerMetrics {
  /** Where it listens. */
  listen(at: { host: string; port: number }): Promise<AddressInfo>;
  /** Resolves when all connections are closed. */
  close(): Promise<void>;
}

// Several scrapers share one query.
const jobsKeptMs = 5_000;
const jobsTimeoutMs = 2_000;

export function createMetricsPort({ database, clock, version, role }: MetricsPortDeps): OpenMetrics {
  const metrics = createServerMetrics({
    version,
    role,
    pools: database.pools,
    jobs: keptFor(clock, jobsKeptMs, () =>
      failOpen("counting jobs for /metrics", () =>
        within(jobsTimeoutMs, countJobs(database.system, jobsTimeoutMs)),
      ),
    ),
  });
  const server = createServer((request, response) => {
    answer(metrics, request, response).catch(() => response.destroy());
  });
  server.requestTimeout = 10_000;
  return {
    ...metrics,
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        // Stays installed: a later accept error must not end the process.
        server.on("error", (cause) => reject(portUnusable(port, cause)));
        server.listen({ host, port }, () => {
          const address = server.address();
          if (address === null || typeof address === "string") reject(new MemError("internal"));
          else resolve(address);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  metrics: ServerMetrics,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("x-content-type-options", "nosniff").setHeader("cache-control", "no-store");
  if (url?.split("?", 1)[0] !== "/metrics") {
    response.writeHead(404, plain).end("Not found. Use /metrics.\n");
  } else if (method !== "GET" && method !== "HEAD") {
    response.writeHead(405, { ...plain, allow: "GET, HEAD" }).end("Method not allowed. Use GET.\n");
  } else {
    const text = await metrics.text();
    response.writeHead(200, { "content-type": metrics.contentType }).end(text);
  }
}

const plain = { "content-type": "text/plain; charset=utf-8" };

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new MemError("storage_busy")), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function portUnusable(port: number, cause: Error): MemError {
  return new MemError("port_unusable", {
    message: `/metrics cannot listen on port ${port} (${cause.message}).`,
    hint: "Set MEM_METRICS_PORT to a free port, and MEM_METRICS_HOST to an address of this machine.",
    cause,
  });
}
