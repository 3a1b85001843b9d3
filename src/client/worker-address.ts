// worker.json as the command line reads it: where the worker of a data directory listens, and what proves that it is it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { isJsonObject } from "../domain/json.ts";
import { failOpenSync } from "../errors.ts";
import { dataPaths } from "../paths.ts";

export interface WorkerAddress {
  pid: number;
  host: string;
  port: number;
  /** Unix socket or named pipe; empty when the worker has none. */
  socket: string;
  version: string;
  /** Names this run of the worker. */
  instance: string;
  secret: string;
}

/** Where the worker says it listens; null when there is no worker.json, or one that is not whole. */
export function readWorkerAddress(dataDir: string): WorkerAddress | null {
  const parsed = failOpenSync("read worker.json", (): unknown =>
    JSON.parse(readFileSync(dataPaths(dataDir).workerFile, "utf8")),
  );
  if (!isJsonObject(parsed)) return null;
  const { pid, port } = parsed;
  if (!isWhole(pid, 1) || !isWhole(port, 0)) return null;
  return {
    pid,
    port,
    host: text(parsed.host) || "127.0.0.1",
    socket: text(parsed.socket),
    version: text(parsed.version),
    instance: text(parsed.instance),
    secret: text(parsed.secret),
  };
}

/** The worker's address for people: `http://127.0.0.1:37700`. */
export function workerUrl(address: Pick<WorkerAddress, "host" | "port">): string {
  const loopback = address.host === "0.0.0.0" || address.host === "::" ? "127.0.0.1" : address.host;
  return `http://${loopback.includes(":") ? `[${loopback}]` : loopback}:${address.port}`;
}

/** True when `proof` is what only the holder of the secret in worker.json can answer to `nonce`. */
export function provesInstance(secret: string, nonce: string, proof: string): boolean {
  const expected = createHmac("sha256", secret).update(nonce).digest();
  const given = Buffer.from(proof, "hex");
  return secret !== "" && given.length === expected.length && timingSafeEqual(given, expected);
}

function isWhole(value: unknown, least: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
