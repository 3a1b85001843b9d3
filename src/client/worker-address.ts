// Reads worker.json: the address of the worker and the secret that proves its identity.
import { createHmac, timingSafeEqual } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { demandOwn } from "../core/directory.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { dataPaths } from "../core/paths.ts";
import { isJsonObject } from "../text/json.ts";

export interface WorkerAddress {
  pid: number;
  /** When the process started; null when unknown. */
  processStart: string | null;
  host: string;
  port: number;
  /** Unix socket or named pipe; empty when the worker has none. */
  socket: string;
  version: string;
  /** Names this run of the worker. */
  instance: string;
  secret: string;
}

/**
 * The address of the worker; null when worker.json is missing or incomplete. Throws `data_dir_unusable` when another
 * user wrote it or can write to it.
 */
export function readWorkerAddress(dataDir: string): WorkerAddress | null {
  const path = dataPaths(dataDir).workerFile;
  const contents = readOwn(path);
  const parsed = failOpenSync("read worker.json", (): unknown => JSON.parse(contents));
  if (!isJsonObject(parsed)) return null;
  const { pid, port } = parsed;
  if (!isWhole(pid, 1) || !isWhole(port, 0)) return null;
  return {
    pid,
    processStart: text(parsed.process_start) || null,
    port,
    host: text(parsed.host) || "127.0.0.1",
    socket: text(parsed.socket),
    version: text(parsed.version),
    instance: text(parsed.instance),
    secret: text(parsed.secret),
  };
}

/** The worker's address on this machine: `http://127.0.0.1:37700`. Another host is served there too, without a token. */
export function workerUrl({ host, port }: Pick<WorkerAddress, "host" | "port">): string {
  if (host === "::1") return `http://[::1]:${port}`;
  const isLoopback = host.toLowerCase() === "localhost" || /^127(\.\d{1,3}){3}$/.test(host);
  return `http://${isLoopback ? host : "127.0.0.1"}:${port}`;
}

/** True when `proof` is the HMAC of `nonce` with the secret in worker.json. */
export function provesInstance(secret: string, nonce: string, proof: string): boolean {
  const expected = createHmac("sha256", secret).update(nonce).digest();
  const given = Buffer.from(proof, "hex");
  return secret !== "" && given.length === expected.length && timingSafeEqual(given, expected);
}

// Checks and reads one open file, which cannot be replaced in between.
function readOwn(path: string): string {
  try {
    const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      demandOwn(path, fstatSync(descriptor));
      return readFileSync(descriptor, "utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    if (cause instanceof MemError) throw cause;
    return "";
  }
}

function isWhole(value: unknown, least: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
