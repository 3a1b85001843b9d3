// A plugin's way to the worker: one connection for each request, found again after a restart of the worker.
import { statSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { exposureOf } from "../../core/directory.ts";
import { unlessMissing } from "../../core/error-code.ts";
import { failOpenSync } from "../../core/errors.ts";
import { announcedPort, openAnnounced } from "../hook/announced-worker.ts";
import {
  type Connection,
  DeliveryFailure,
  type Failure,
  failureOf,
  openConnection,
} from "../hook/connection.ts";
import { hungBelievedMs } from "../hook/deadlines.ts";
import { openWorker } from "../hook/deliver.ts";
import { readHungMark } from "../hook/hung-mark.ts";
import type { Response } from "../hook/response.ts";

export interface WorkerLink {
  /** Posts one event of the host; resolves with the worker's reply. Throws `DeliveryFailure`. */
  post(event: string, body: Buffer, deadlineMs: number): Promise<string>;
  /** Throws `DeliveryFailure`. */
  get(path: string, deadlineMs: number): Promise<Response>;
  /** Throws `DeliveryFailure`. */
  open(deadlineMs: number): Promise<Connection>;
}

interface LinkDeps {
  host: string;
  dataDir: string | null;
  /** Set by the user, for a worker elsewhere on this machine; else the worker of the data directory. */
  port: number | null;
  clock: Clock;
}

/** After a timeout the worker is not asked for 10 s: a turn waits for a hung worker once, not at every tool. */
export function createWorkerLink({ host, dataDir, port, clock }: LinkDeps): WorkerLink {
  let hungAtMs = Number.NEGATIVE_INFINITY;

  async function connect(deadlineMs: number): Promise<Connection> {
    if (port !== null) return openPort(port, dataDir, deadlineMs);
    if (dataDir === null) throw new DeliveryFailure("absent");
    demandOwnDirectory(dataDir);
    return openWorker(dataDir, deadlineMs);
  }

  async function ask(deadlineMs: number, request: (connection: Connection) => Promise<Response>) {
    if (isHung()) throw new DeliveryFailure("hung");
    let connection: Connection | undefined;
    try {
      connection = await connect(deadlineMs);
      const response = await request(connection);
      if (response.status !== 200) throw new DeliveryFailure(`status-${response.status}`);
      return response;
    } catch (failure) {
      if (failureOf(failure) === "timeout") hungAtMs = clock.monotonicMs();
      throw failure;
    } finally {
      connection?.close();
    }
  }

  // Hooks of other hosts leave a mark.
  function isHung(): boolean {
    if (clock.monotonicMs() - hungAtMs < hungBelievedMs) return true;
    if (dataDir === null || port !== null) return false;
    const mark = failOpenSync("read a mark", () => readHungMark(dataDir)) ?? null;
    return mark !== null && mark.lastMs < hungBelievedMs;
  }

  return {
    async post(event, body, deadlineMs) {
      const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`, lastRequest];
      const { body: reply } = await ask(deadlineMs, (connection) =>
        connection.request(`POST /api/hooks/${host}/${event}`, headers, body),
      );
      return reply.toString("utf8");
    },
    get: (path, deadlineMs) =>
      ask(deadlineMs, (connection) => connection.request(`GET ${path}`, [lastRequest])),
    open: connect,
  };
}

const lastRequest = "Connection: close";

// A worker that announces this port proves itself; another one has to be trusted, since the user named it.
function openPort(port: number, dataDir: string | null, deadlineMs: number): Promise<Connection> {
  return dataDir !== null && announcedPort(dataDir) === port
    ? openAnnounced(dataDir, deadlineMs)
    : openConnection({ host: "127.0.0.1", port }, deadlineMs);
}

function demandOwnDirectory(dataDir: string): void {
  const stats = unlessMissing(() => statSync(dataDir));
  if (stats === undefined) throw new DeliveryFailure("absent");
  if (exposureOf(stats) !== null) throw new DeliveryFailure("exposed");
}

/** Why the worker was not reached, in words for a person. */
export function reasonOf(failure: Failure): string {
  switch (failure) {
    case "absent":
    case "unreachable":
      return "no worker runs";
    case "hung":
    case "timeout":
      return "the worker does not answer";
    case "stranger":
      return "another process has the worker's address";
    case "exposed":
      return "other users can write to the data directory";
    case "broken":
      return "the worker's answer was unreadable";
    default:
      return `the worker answered ${failure.replace("status-", "")}`;
  }
}
