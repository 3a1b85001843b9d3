// The local door: what only browsers of other sites and strangers fail. It runs before everything else, for every path.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, MemError } from "../../core/errors.ts";

/** What the door must know of the worker. */
export interface DoorOptions {
  /** The address the worker is bound to; asked for at the first request. */
  address(): { host: string; port: number };
  /** True for a connection that came in over the worker's own socket file or pipe. */
  isPipe(socket: Socket): boolean;
}

/** Sets the headers every answer carries, and says why a request is refused, or undefined when it may pass. */
export type Door = (request: FastifyRequest, reply: FastifyReply) => MemError | undefined;

/**
 * The guards of every answer. No access-control-* header, ever: the browser itself then keeps other sites from reading
 * one.
 */
export const securityHeaders = {
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

const maxHeaders = 1_000;

/**
 * Keeps every header of a request in view. Node drops headers past 1,000 without a word: a second Host or a foreign
 * Origin behind them would pass. Its limit of 16 KB for all headers still holds.
 */
export function keepAllHeaders(server: Server): void {
  server.maxHeadersCount = 0;
}

/** Refuses a request with more headers than any client sends; undefined when it may pass. */
export function tooManyHeaders({ rawHeaders }: IncomingMessage): MemError | undefined {
  return rawHeaders.length > 2 * maxHeaders ? new MemError("too_many_headers") : undefined;
}

/**
 * | what                    | must be                                                                  |
 * |-------------------------|--------------------------------------------------------------------------|
 * | headers                 | at most 1,000                                                            |
 * | peer                    | this machine, by its socket's address, never by a header                 |
 * | Host                    | exactly one, byte for byte an address of the worker; `localhost` on the pipe |
 * | request target          | a path                                                                   |
 * | Origin, when sent       | the worker's own                                                         |
 * | Sec-Fetch-Site, if sent | `same-origin`, or `none` for GET                                         |
 */
export function createDoor({ address, isPipe }: DoorOptions): Door {
  let bound: { port: number; hosts: ReadonlySet<string> } | undefined;

  function allowedHosts(): ReadonlySet<string> {
    const { host, port } = address();
    if (bound?.port !== port) bound = { port, hosts: hostsOf(host, port) };
    return bound.hosts;
  }

  return (request, reply) => {
    reply.headers(securityHeaders);
    const crowded = tooManyHeaders(request.raw);
    if (crowded !== undefined) return crowded;
    const pipe = isPipe(request.raw.socket);
    const code = refusal(request.raw, pipe ? pipeHosts : allowedHosts(), pipe);
    return code === undefined ? undefined : new MemError(code, explain[code]);
  };
}

type Refusal = Extract<
  ErrorCode,
  "remote_not_allowed" | "host_not_allowed" | "origin_not_allowed" | "invalid_request"
>;

const explain: Record<Refusal, { message?: string }> = {
  remote_not_allowed: {},
  host_not_allowed: {},
  origin_not_allowed: {},
  invalid_request: { message: "The request target must be a path." },
};

const pipeHosts: ReadonlySet<string> = new Set(["localhost"]);

function refusal(raw: IncomingMessage, hosts: ReadonlySet<string>, pipe: boolean): Refusal | undefined {
  if (!pipe && !isLoopback(raw.socket.remoteAddress)) return "remote_not_allowed";
  const host = onlyHost(raw.rawHeaders);
  if (host === undefined || !hosts.has(host)) return "host_not_allowed";
  if (!raw.url?.startsWith("/")) return "invalid_request";
  const { origin, "sec-fetch-site": site } = raw.headers;
  if (origin !== undefined && (pipe || origin !== `http://${host}`)) return "origin_not_allowed";
  if (site !== undefined && site !== "same-origin" && !(site === "none" && raw.method === "GET")) {
    return "origin_not_allowed";
  }
  return undefined;
}

// An address that is not known any more (the peer is gone) is not ours: a remote peer could hang up at once to pass.
function isLoopback(remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined) return false;
  return (
    remoteAddress.startsWith("127.") || remoteAddress === "::1" || remoteAddress.startsWith("::ffff:127.")
  );
}

// Node keeps the first of two Host headers, so the parsed headers do not tell; the raw ones do.
function onlyHost(rawHeaders: readonly string[]): string | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== 4 || name.toLowerCase() !== "host") continue;
    if (host !== undefined) return undefined;
    host = rawHeaders[at + 1];
  }
  return host;
}

function hostsOf(configured: string, port: number): ReadonlySet<string> {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  // A wildcard address is what the worker listens on, not what anyone calls it by.
  if (configured !== "0.0.0.0" && configured !== "::") {
    names.push(configured.includes(":") ? `[${configured}]` : configured);
  }
  const hosts = names.map((name) => `${name}:${port}`);
  return new Set(port === 80 ? [...hosts, ...names] : hosts);
}
