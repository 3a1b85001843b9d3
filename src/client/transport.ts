// One connection to the worker: over its socket, else over its port after it has proved its identity.
import { existsSync, lstatSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import { demandOwn, insideOwn } from "../core/directory.ts";
import { unlessMissing } from "../core/error-code.ts";
import { type ErrorCode, errorCatalogue, MemError } from "../core/errors.ts";
import { newSecret } from "../core/ids.ts";
import { dataPaths } from "../core/paths.ts";
import { isJsonObject } from "../text/json.ts";
import { type Connection, createConnection, isTimeout, textOf } from "./connection.ts";
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
    const open = () => openInside(address.socket);
    return transport(createConnection({ ...deadlines, open, host: "localhost" }), address);
  }
  const { hostname, port } = new URL(workerUrl(address));
  const open = hasSocket(address)
    ? () => connect(address.socket)
    : () => connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
  const host = hasSocket(address) ? "localhost" : `${hostname}:${port}`;
  const connection = createConnection({ ...deadlines, open, host });
  try {
    await demandProof(connection, address);
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return transport(connection, address);
}

// A named pipe is not a file; elsewhere a missing socket leaves only the port.
function hasSocket(address: WorkerAddress): boolean {
  return address.socket !== "" && (process.platform === "win32" || existsSync(address.socket));
}

function demandOwnDirectory(dataDir: string): void {
  const { root } = dataPaths(dataDir);
  const stats = unlessMissing(() => statSync(root));
  if (stats !== undefined) demandOwn(root, stats);
}

// Connects from inside the directory by the name of the socket: its path may be too long for an address.
function openInside(path: string): Socket {
  return insideOwn(dirname(path), () => {
    const name = basename(path);
    const stats = lstatSync(name);
    if (stats.isSocket()) demandOwn(path, stats);
    return connect(name);
  });
}

// Only this user can create a socket in the data directory. Any program can own one elsewhere, such as in the temporary
// directory that an earlier version used, and any program can take the name of a pipe.
function isInside(dataDir: string, socket: string): boolean {
  return process.platform !== "win32" && dirname(socket) === dataPaths(dataDir).root;
}

// Another program may have taken the port or the pipe after the worker died: it must not see any request.
async function demandProof(connection: Connection, address: WorkerAddress): Promise<void> {
  const nonce = newSecret();
  const headers = { "x-mem-nonce": nonce };
  const answer = await reach({ address }, async () => {
    const health = await connection.request({ method: "GET", path: "/api/health", headers });
    await textOf(health);
    return health;
  });
  const proof = answer.headers["x-mem-proof"];
  if (typeof proof === "string" && provesInstance(address.secret, nonce, proof)) return;
  throw new MemError("worker_unreachable", {
    message: `Another program answers at ${hasSocket(address) ? address.socket : workerUrl(address)}, not the worker of this data directory.`,
  });
}

function transport(connection: Connection, address: WorkerAddress) {
  return {
    /** The JSON object or the text of a 2xx answer. Throws the worker's own error, or `worker_unreachable`. */
    request: async (method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> => {
      const { status, isJson, text } = await reach({ address, signal }, async () => {
        const json = body === undefined ? undefined : JSON.stringify(body);
        const answer = await connection.request({ method, path, ...(signal && { signal }) }, json);
        const type = String(answer.headers["content-type"] ?? "");
        return { status: answer.statusCode ?? 0, isJson: type.includes("json"), text: await textOf(answer) };
      });
      const value = isJson ? parseJson(text) : text;
      if (status >= 200 && status < 300) return value;
      throw errorOf(status, value);
    },
    /** The body of a 200 answer, as it comes. It ends with an error after `silentMs` without a byte. */
    stream: async (
      path: string,
      { signal, silentMs }: { signal: AbortSignal; silentMs: number },
    ): Promise<AsyncIterable<unknown>> => {
      const answer = await reach({ address, signal }, () =>
        connection.request({ method: "GET", path, signal, silentMs }),
      );
      if (answer.statusCode === 200) return answer;
      throw errorOf(answer.statusCode ?? 0, parseJson(await textOf(answer)));
    },
    close: () => connection.close(),
    /** Ends requests that run, too. */
    destroy: () => connection.destroy(),
  };
}

interface Reached {
  address: WorkerAddress;
  signal?: AbortSignal | undefined;
}

async function reach<T>({ address, signal }: Reached, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    // Node says ECONNRESET where the caller aborts within an answer, as if the worker were gone.
    signal?.throwIfAborted();
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
