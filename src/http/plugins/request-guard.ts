// Request guard of a local service: refuses other sites, and other machines unless the user opened it to them. Runs first,
// for every path.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, MemError } from "../../core/errors.ts";
import {
  type DenialLog,
  denialError,
  denialOf,
  namesThisMachine,
  type RemoteAccess,
} from "./remote-guard.ts";

export interface GuardOptions {
  /** The bound address; known from the first request on. */
  address(): { host: string; port: number };
  /** True for a connection on the worker's own socket file or pipe. */
  isPipe(socket: Socket): boolean;
  /** Access of other machines; none without it. */
  remote?: RemoteAccess;
  /** Called with every refused request of another machine. */
  onDenied?: DenialLog;
}

/** Sets the security headers of the answer. Returns the error of a refused request. */
export type RequestGuard = (request: FastifyRequest, reply: FastifyReply) => MemError | undefined;

/** Headers of every answer. Without access-control-* headers, browsers keep other sites from reading answers. */
export const securityHeaders = {
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

const maxHeaders = 1_000;

/**
 * Keeps all headers of a request. Node silently drops headers past 1,000, and with them a second Host or a foreign
 * Origin. Its limit of 16 KB for all headers still applies.
 */
export function keepAllHeaders(server: Server): void {
  server.maxHeadersCount = 0;
}

/** The error of a request with more than 1,000 headers. */
export function tooManyHeaders({ rawHeaders }: IncomingMessage): MemError | undefined {
  return rawHeaders.length > 2 * maxHeaders ? new MemError("too_many_headers") : undefined;
}

/**
 * | what                    | must be                                                                  |
 * |-------------------------|--------------------------------------------------------------------------|
 * | headers                 | at most 1,000                                                            |
 * | peer                    | this machine, by its socket's address, never by a header; else `remote`  |
 * | Host                    | exactly one, byte for byte an address of the worker; `localhost` on the pipe |
 * | request target          | a path                                                                   |
 * | Origin, when sent       | the worker's own                                                         |
 * | Sec-Fetch-Site, if sent | `same-origin`, or `none` for GET                                         |
 *
 * Another machine, by the user's settings:
 *
 * | remote   | peer and Host                                                                          |
 * |----------|----------------------------------------------------------------------------------------|
 * | `closed` | refused                                                                                |
 * | `token`  | `denialOf` decides first; any Host, since the token protects                           |
 * | `open`   | Host is an IP address, this machine's or the configured name, with the worker's port   |
 */
export function createRequestGuard(options: GuardOptions): RequestGuard {
  const { address, isPipe, remote = { is: "closed" }, onDenied } = options;
  let bound: { port: number; hosts: ReadonlySet<string> } | undefined;

  function allowedHosts(): ReadonlySet<string> {
    const { host, port } = address();
    if (bound?.port !== port) bound = { port, hosts: hostsOf(host, port) };
    return bound.hosts;
  }

  function refuseRemote(raw: IncomingMessage, reply: FastifyReply): MemError | undefined {
    if (remote.is === "token") reply.header("cache-control", "no-store");
    const denial = denialOf(raw, remote);
    if (denial !== undefined) {
      onDenied?.(denial, raw.url);
      return denialError(denial);
    }
    const host = onlyHost(raw.rawHeaders);
    const isForeign = remote.is === "open" && (host === undefined || !namesThisMachine(host, address()));
    const code = isForeign ? "host_not_allowed" : browserRefusal(raw, host, false);
    if (code === undefined) return undefined;
    onDenied?.(code, raw.url);
    return isForeign ? otherName(address().port) : errorOf(code);
  }

  return (request, reply) => {
    reply.headers(securityHeaders);
    const { raw } = request;
    const crowded = tooManyHeaders(raw);
    if (crowded !== undefined) return crowded;
    const pipe = isPipe(raw.socket);
    if (!pipe && !isLoopback(raw.socket.remoteAddress)) return refuseRemote(raw, reply);
    const host = onlyHost(raw.rawHeaders);
    const hosts = pipe ? pipeHosts : allowedHosts();
    const code =
      host === undefined || !hosts.has(host) ? "host_not_allowed" : browserRefusal(raw, host, pipe);
    return code === undefined ? undefined : errorOf(code);
  };
}

type Refusal = Extract<ErrorCode, "host_not_allowed" | "origin_not_allowed" | "invalid_request">;

const pipeHosts: ReadonlySet<string> = new Set(["localhost"]);

// Headers of a browser's cross-site request, and a target that no browser sends.
function browserRefusal(raw: IncomingMessage, host: string | undefined, pipe: boolean): Refusal | undefined {
  if (!raw.url?.startsWith("/")) return "invalid_request";
  const { origin, "sec-fetch-site": site } = raw.headers;
  if (origin !== undefined && (pipe || host === undefined || origin !== `http://${host}`)) {
    return "origin_not_allowed";
  }
  if (site !== undefined && site !== "same-origin" && !(site === "none" && raw.method === "GET")) {
    return "origin_not_allowed";
  }
  return undefined;
}

function errorOf(code: ErrorCode): MemError {
  return new MemError(
    code,
    code === "invalid_request" ? { message: "The request target must be a path." } : {},
  );
}

function otherName(port: number): MemError {
  return new MemError("host_not_allowed", {
    hint: `Use the IP address of the worker's machine, with port ${port}.`,
  });
}

// Without an address the peer is gone. Refused, since a remote peer could hang up to pass.
function isLoopback(remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined) return false;
  return (
    remoteAddress.startsWith("127.") || remoteAddress === "::1" || remoteAddress.startsWith("::ffff:127.")
  );
}

// Node's parsed headers keep only the first of two Host headers, so the raw ones are read.
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
  // No client addresses a worker by a wildcard.
  if (configured !== "0.0.0.0" && configured !== "::") {
    names.push(configured.includes(":") ? `[${configured}]` : configured);
  }
  const hosts = names.map((name) => `${name}:${port}`);
  return new Set(port === 80 ? [...hosts, ...names] : hosts);
}
