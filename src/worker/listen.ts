// Binds the worker's port, on loopback in every case, and a socket in the data directory that no other user can take.
import { chmodSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer,
  type ListenOptions,
  type Socket,
  type Server as SocketServer,
} from "node:net";
import { dirname } from "node:path";
import { makePrivateDirectory } from "../core/directory.ts";
import { codeOf } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";

interface ListenRequest {
  /** Serves the port. */
  server: Server;
  /** Takes a connection of another listener of the port. */
  accept(connection: Socket): void;
  /** Takes a connection of the socket. */
  acceptPipe(connection: Socket): void;
  host: string;
  /** 0 takes any free port. */
  port: number;
  dataDir: string;
  /** In a directory of this user alone, which may be the working directory. */
  socket: string;
}

// Users whose ids differ by 100 share a default port, so the next ports are tried too.
const portsToTry = 20;

export interface Listening {
  port: number;
  /** Stops accepting on the socket and the loopback port; open connections belong to the HTTP server. */
  closeSocket(): Promise<void>;
}

/** Binds the port (or the next free one) and the socket. Throws `port_unusable` and `data_dir_unusable`. */
export async function listen(request: ListenRequest): Promise<Listening> {
  const { port, loopback } = await bindPort(request);
  const listeners = [await bindSocket(request), ...(loopback === undefined ? [] : [loopback])];
  return { port, closeSocket: async () => void (await Promise.all(listeners.map(closed))) };
}

/** True if a process accepts connections at the socket. The socket of a killed worker refuses them. */
export function somebodyListens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const finish = (isHeard: boolean) => {
      connection.destroy();
      resolve(isHeard);
    };
    connection.once("connect", () => finish(true)).once("error", () => finish(false));
  });
}

interface BoundPort {
  port: number;
  /** Listens on the same port of 127.0.0.1 where `host` does not cover it: this machine always has the whole API there. */
  loopback?: SocketServer;
}

async function bindPort({ server, accept, host, port }: ListenRequest): Promise<BoundPort> {
  let last: unknown;
  for (let attempt = 0; attempt < portsToTry; attempt++) {
    const candidate = port === 0 ? 0 : port + attempt;
    if (candidate > 65_535) break;
    try {
      await listening(server, { host, port: candidate, exclusive: true });
      // A name may stand for any address.
      const { address, port: bound } = server.address() as AddressInfo;
      if (isLoopbackHost(address) || address === "0.0.0.0" || address === "::") return { port: bound };
      const loopback = createServer({ allowHalfOpen: true }, accept);
      await listening(loopback, { host: "127.0.0.1", port: bound, exclusive: true });
      return { port: bound, loopback };
    } catch (cause) {
      last = cause;
      if (server.listening) await closed(server);
      if (codeOf(cause) !== "EADDRINUSE" && codeOf(cause) !== "EACCES") break;
    }
  }
  throw unbound(host, port, last);
}

function closed(server: SocketServer): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}

const noSuchAddress = ["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"];

function unbound(host: string, port: number, cause: unknown): MemError {
  if (!noSuchAddress.includes(String(codeOf(cause)))) {
    return new MemError("port_unusable", { message: `No port could be bound at ${host}:${port}.`, cause });
  }
  return new MemError("port_unusable", {
    message: `This machine has no address ${host}.`,
    hint: "Set MEM_WORKER_HOST to an address of this machine: `mem settings set MEM_WORKER_HOST 127.0.0.1`.",
    cause,
  });
}

async function bindSocket({ acceptPipe, dataDir, socket }: ListenRequest): Promise<SocketServer> {
  const listener = createServer({ allowHalfOpen: true }, acceptPipe);
  if (process.platform !== "win32") {
    // Outside the data directory it may belong to another user, or be a link.
    if (dirname(socket) !== dataDir) makePrivateDirectory(dirname(socket));
    // Left by a killed worker: this process owns the data directory, so no process listens there.
    rmSync(socket, { force: true });
  }
  await listening(listener, { path: socket });
  if (process.platform !== "win32") chmodSync(socket, 0o600);
  return listener;
}

function listening(server: SocketServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
