// One connection to an address: one request and response at a time, all within one deadline.
import type { Socket } from "node:net";
import { codeOf } from "../../core/error-code.ts";
import { parseResponse, type Response } from "./response.ts";

/** A unix socket or named pipe, or a port of the loopback. */
export type Address = { path: string } | { host: string; port: number };

export interface Connection {
  /** Sends one request and resolves with its response. Throws `DeliveryFailure`. */
  request(line: string, headers: readonly string[], body?: Buffer): Promise<Response>;
  /** Hands the open socket over, without a deadline, and with the Host header for its address. */
  release(): { socket: Socket; host: string };
  close(): void;
}

/**
 * Why nothing was delivered. `absent`: no such address; `unreachable`: connection refused; `hung`: not tried, because
 * another hook just timed out; `stranger`: another process listens there; `exposed`: other users can write to the data
 * directory.
 */
export type Failure =
  | "absent"
  | "unreachable"
  | "hung"
  | "timeout"
  | "broken"
  | "stranger"
  | "exposed"
  | `status-${number}`;

export class DeliveryFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

/** Why it failed. Each hook bundle has its own class, so the field is checked instead of `instanceof`. */
export function failureOf(cause: unknown): Failure {
  return cause instanceof Error && "failure" in cause ? (cause as DeliveryFailure).failure : "broken";
}

/** Connects; `deadlineMs` counts from now to the end of the last response. Throws `DeliveryFailure`. */
export function openConnection(address: Address, deadlineMs: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    let ended = false;
    let connected = false;
    let failed: DeliveryFailure | undefined;
    let waiting: { resolve(response: Response): void; reject(failure: DeliveryFailure): void } | undefined;

    // Loaded here: it costs 4 ms, which a hook that only spools saves.
    const socket = process.getBuiltinModule("node:net").connect(address);
    const timer = setTimeout(() => fail(new DeliveryFailure("timeout")), deadlineMs);

    function fail(failure: DeliveryFailure): void {
      failed ??= failure;
      clearTimeout(timer);
      socket.destroy();
      reject(failed);
      waiting?.reject(failed);
    }

    function advance(): void {
      if (waiting === undefined) return;
      try {
        const response = parseResponse(received, ended);
        if (response === null) return;
        received = Buffer.alloc(0);
        waiting.resolve(response);
        waiting = undefined;
      } catch (cause) {
        fail(new DeliveryFailure("broken", cause));
      }
    }

    socket.on("error", (cause) => fail(new DeliveryFailure(connected ? "broken" : reachOf(cause), cause)));
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      advance();
    });
    socket.on("close", () => {
      ended = true;
      advance();
    });
    socket.on("connect", () => {
      connected = true;
      resolve({ request, release, close });
    });

    function request(line: string, headers: readonly string[], body?: Buffer): Promise<Response> {
      return new Promise((done, refuse) => {
        if (failed !== undefined) return refuse(failed);
        waiting = { resolve: done, reject: refuse };
        socket.write([`${line} HTTP/1.1`, `Host: ${hostHeader(address)}`, ...headers, "", ""].join("\r\n"));
        if (body !== undefined) socket.write(body);
      });
    }

    function release(): { socket: Socket; host: string } {
      clearTimeout(timer);
      for (const event of ["error", "data", "close", "connect"]) socket.removeAllListeners(event);
      return { socket, host: hostHeader(address) };
    }

    function close(): void {
      clearTimeout(timer);
      socket.destroy();
    }
  });
}

// Each is the one value that the worker's request guard accepts there.
function hostHeader(address: Address): string {
  return "path" in address ? "localhost" : `${address.host}:${address.port}`;
}

// No such file, a path too long for a socket, or not a socket.
const absentCodes: ReadonlySet<unknown> = new Set([
  "ENOENT",
  "EINVAL",
  "ENOTDIR",
  "ENOTSOCK",
  "ENAMETOOLONG",
]);

function reachOf(cause: Error): Failure {
  return absentCodes.has(codeOf(cause)) ? "absent" : "unreachable";
}
