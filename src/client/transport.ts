// One connection to the worker: over its socket, else over its port after it has proved its identity.
import { existsSync, lstatSync, statSync } from "node:fs";
import { connect } from "node:net";
import { basename, dirname } from "node:path";
import { type buildConnector, Client, errors } from "undici";
import { demandOwn, insideOwn } from "../core/directory.ts";
import { type ErrorCode, errorCatalogue, MemError } from "../core/errors.ts";
import { newSecret } from "../core/ids.ts";
import { dataPaths } from "../core/paths.ts";
import { isJsonObject } from "../text/json.ts";
import { provesInstance, readWorkerAddress, type WorkerAddress, workerUrl } from "./worker-address.ts";

export type Method = "GET" | "POST" | "DELETE";

export type Transport = ReturnType<typeof transport>;

/** How long the worker may take to accept, to begin its answer, and between two parts of it. */
export interface Deadlines {
  connectMs: number;
  answerMs: number;
}

/**
 * Connects to the worker of a data directory; only a socket in that directory needs no proof. Ignores proxy variables.
 * Throws `worker_unreachable`, and `data_dir_unusable` where other users could impersonate the worker.
 */
export async function openTransport(dataDir: string, deadlines: Deadlines): Promise<Transport> {
  demandOwnDirectory(dataDir);
  const address = readWorkerAddress(dataDir);
  if (address === null) throw new MemError("worker_unreachable");
  if (hasSocket(address) && isInside(dataDir, address.socket)) {
    const ownSocket = { ...options(deadlines), connect: connectInside(address.socket, deadlines) };
    return transport(new Client("http://localhost", ownSocket), address);
  }
  const client = hasSocket(address)
    ? new Client("http://localhost", { ...options(deadlines), socketPath: address.socket })
    : new Client(workerUrl(address), options(deadlines));
  try {
    await demandProof(client, address);
  } catch (error) {
    await client.destroy();
    throw error;
  }
  return transport(client, address);
}

// A named pipe is not a file; elsewhere a missing socket leaves only the port.
function hasSocket(address: WorkerAddress): boolean {
  return address.socket !== "" && (process.platform === "win32" || existsSync(address.socket));
}

function demandOwnDirectory(dataDir: string): void {
  const { root } = dataPaths(dataDir);
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats !== undefined) demandOwn(root, stats);
}

// Connects from inside the directory by the name of the socket: its path may be too long for an address.
function connectInside(path: string, { connectMs }: Deadlines): buildConnector.connector {
  return (_options, done) => {
    try {
      const socket = insideOwn(dirname(path), () => {
        const name = basename(path);
        const stats = lstatSync(name);
        if (stats.isSocket()) demandOwn(path, stats);
        return connect(name);
      });
      const late = setTimeout(() => socket.destroy(new errors.ConnectTimeoutError()), connectMs);
      const failed = (cause: Error) => {
        clearTimeout(late);
        done(cause, null);
      };
      socket.once("error", failed);
      socket.once("connect", () => {
        clearTimeout(late);
        socket.off("error", failed);
        done(null, socket);
      });
    } catch (cause) {
      done(cause instanceof Error ? cause : new Error(String(cause)), null);
    }
  };
}

// Only this user can create a socket in the data directory. Any program can own one elsewhere, such as in the temporary
// directory that an earlier version used, and any program can take the name of a pipe.
function isInside(dataDir: string, socket: string): boolean {
  return process.platform !== "win32" && dirname(socket) === dataPaths(dataDir).root;
}

function options(deadlines: Deadlines): Client.Options {
  return {
    connect: { timeout: deadlines.connectMs },
    headersTimeout: deadlines.answerMs,
    bodyTimeout: deadlines.answerMs,
    maxResponseSize: 64 * 1024 * 1024,
  };
}

// Another program may have taken the port or the pipe after the worker died: it must not see any request.
async function demandProof(client: Client, address: WorkerAddress): Promise<void> {
  const nonce = newSecret();
  const headers = { "x-mem-nonce": nonce };
  const answer = await reach(address, () => client.request({ method: "GET", path: "/api/health", headers }));
  await answer.body.dump();
  const proof = answer.headers["x-mem-proof"];
  if (typeof proof === "string" && provesInstance(address.secret, nonce, proof)) return;
  throw new MemError("worker_unreachable", {
    message: `Another program answers at ${hasSocket(address) ? address.socket : workerUrl(address)}, not the worker of this data directory.`,
  });
}

function transport(client: Client, address: WorkerAddress) {
  return {
    /** The JSON object or the text of a 2xx answer. Throws the worker's own error, or `worker_unreachable`. */
    request: async (method: Method, path: string, body?: unknown): Promise<unknown> => {
      const { statusCode, headers, text } = await reach(address, async () => {
        const answer = await client.request({
          method,
          path,
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
        });
        return { ...answer, text: await answer.body.text() };
      });
      const value = String(headers["content-type"] ?? "").includes("json") ? parseJson(text) : text;
      if (statusCode >= 200 && statusCode < 300) return value;
      throw errorOf(statusCode, value);
    },
    close: () => client.close(),
  };
}

async function reach<T>(address: WorkerAddress, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof MemError) throw cause;
    throw new MemError("worker_unreachable", { ...(isTimeout(cause) ? silent(address) : {}), cause });
  }
}

function silent({ pid }: WorkerAddress): { message: string; hint: string } {
  return {
    message: `The worker (process ${pid}) does not answer in time.`,
    hint: "See `mem worker logs`. Restart it: `mem worker restart`. No acknowledged event is lost.",
  };
}

function isTimeout(cause: unknown): boolean {
  return (
    cause instanceof errors.ConnectTimeoutError ||
    cause instanceof errors.HeadersTimeoutError ||
    cause instanceof errors.BodyTimeoutError
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MemError("internal", { message: "The worker's answer is not valid JSON.", cause });
  }
}

// The error of the worker as it is; any other answer by its status.
function errorOf(status: number, body: unknown): MemError {
  const error = isJsonObject(body) ? body.error : undefined;
  if (!isJsonObject(error) || typeof error.code !== "string" || !isErrorCode(error.code)) {
    return new MemError("internal", { message: `The worker answered with status ${status}.` });
  }
  return new MemError(error.code, {
    ...(typeof error.message === "string" ? { message: error.message } : {}),
    ...(typeof error.hint === "string" ? { hint: error.hint } : {}),
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}
