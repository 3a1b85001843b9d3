// Where the worker listens: its loopback port, and a socket in the data directory that no stranger can take.
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

// Users whose ids lie 100 apart share a default port, so the next ones are tried too.
const portsToTry = 20;

export interface Listening {
  port: number;
  /** Takes no more connections on the socket; those that are open belong to the HTTP server. */
  closeSocket(): Promise<void>;
}

/** Binds the port (or the next free one) and the socket. Throws `port_unusable` and `data_dir_unusable`. */
export async function listen(request: ListenRequest): Promise<Listening> {
  const port = await bindPort(request);
  const door = await bindSocket(request);
  return { port, closeSocket: () => new Promise((resolve) => void door.close(() => resolve())) };
}

/** True when a process accepts connections at the socket. One that was left by a worker that was killed refuses them. */
export function somebodyListens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const knocking = connect(socket);
    const say = (heard: boolean) => {
      knocking.destroy();
      resolve(heard);
    };
    knocking.once("connect", () => say(true)).once("error", () => say(false));
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
    hint: "Set MEM_WORKER_HOST to one that it has, such as 127.0.0.1: in the environment, or with `mem settings set`.",
    cause,
  });
}

async function bindSocket({ acceptPipe, dataDir, socket }: ListenRequest): Promise<SocketServer> {
  const door = createServer({ allowHalfOpen: true }, acceptPipe);
  if (process.platform !== "win32") {
    // Everybody may make directories where temporary ones lie, so it may be another user's, or a link.
    if (dirname(socket) !== dataDir) makePrivateDirectory(dirname(socket));
    // Left by a worker that was killed: this process owns the data directory, so nobody listens there.
    rmSync(socket, { force: true });
  }
  await listening(door, { path: socket });
  if (process.platform !== "win32") chmodSync(socket, 0o600);
  return door;
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
