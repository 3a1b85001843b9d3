// Binds the worker's loopback port, and a socket in the data directory that no other user can take.
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
import { MemError } from "../core/errors.ts";

interface ListenRequest {
  /** Serves the port. */
  server: Server;
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
  /** Stops accepting on the socket; open connections belong to the HTTP server. */
  closeSocket(): Promise<void>;
}

/** Binds the port (or the next free one) and the socket. Throws `port_unusable` and `data_dir_unusable`. */
export async function listen(request: ListenRequest): Promise<Listening> {
  const port = await bindPort(request);
  const socket = await bindSocket(request);
  return { port, closeSocket: () => new Promise((resolve) => void socket.close(() => resolve())) };
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

async function bindPort({ server, host, port }: ListenRequest): Promise<number> {
  let last: unknown;
  for (let candidate = port; candidate < port + portsToTry && candidate <= 65_535; candidate++) {
    try {
      await listening(server, { host, port: candidate, exclusive: true });
      return (server.address() as AddressInfo).port;
    } catch (cause) {
      last = cause;
      if (codeOf(cause) !== "EADDRINUSE" && codeOf(cause) !== "EACCES") break;
    }
  }
  throw unbound(host, port, last);
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

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
