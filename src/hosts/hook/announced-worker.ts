// Connects to the address in worker.json: a named pipe, a socket outside the data directory, or a port. Any process can
// hold those, so the listener first proves that it knows the secret of worker.json.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { exposureOf } from "../../core/directory.ts";
import { failOpenSync } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";
import { type Address, type Connection, DeliveryFailure, failureOf, openConnection } from "./connection.ts";

/** Connects to the worker of worker.json; sends no payload before the worker has proved itself. */
export async function openAnnounced(place: string, deadlineMs: number): Promise<Connection> {
  const worker = readAnnounced(place);
  if (worker === null) throw new DeliveryFailure("absent");
  const connection = await openFirst(worker.addresses, deadlineMs);
  try {
    await demandProof(connection, worker.secret);
    return connection;
  } catch (failure) {
    connection.close();
    throw failure;
  }
}

/** The port in worker.json, or null. */
export function announcedPort(place: string): number | null {
  const port = readWorkerFile(place)?.port;
  return typeof port === "number" ? port : null;
}

interface Announced {
  addresses: Address[];
  secret: string;
}

/** The process that wrote worker.json; `start` is null if the file has no start time. */
export function announcedProcess(place: string): { pid: number; start: string | null } | null {
  const { pid, process_start: start } = readWorkerFile(place) ?? {};
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 1) return null;
  return { pid, start: typeof start === "string" ? start : null };
}

function readAnnounced(place: string): Announced | null {
  const file = readWorkerFile(place);
  if (typeof file?.secret !== "string" || file.secret === "") return null;
  const { socket, port, host } = file;
  const addresses: Address[] = [];
  if (typeof socket === "string" && socket !== "") addresses.push({ path: socket });
  // A worker bound to all addresses, or to a network address, is reached over loopback too.
  const loopback = host === "::1" ? "::1" : "127.0.0.1";
  if (typeof port === "number" && port > 0 && port < 65_536) addresses.push({ host: loopback, port });
  return { addresses, secret: file.secret };
}

// A file that other users wrote, or can write to, is ignored.
function readWorkerFile(place: string): JsonObject | undefined {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
  const file = failOpenSync("read worker.json", (): unknown => {
    const descriptor = openSync(`${place}/worker.json`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return exposureOf(fstatSync(descriptor)) === null && JSON.parse(readFileSync(descriptor, "utf8"));
    } finally {
      closeSync(descriptor);
    }
  });
  return isJsonObject(file) ? file : undefined;
}

async function openFirst(addresses: readonly Address[], deadlineMs: number): Promise<Connection> {
  for (const address of addresses) {
    try {
      return await openConnection(address, deadlineMs);
    } catch (failure) {
      if (failureOf(failure) !== "absent") throw failure;
    }
  }
  throw new DeliveryFailure("absent");
}

async function demandProof(connection: Connection, secret: string): Promise<void> {
  // Loaded after connecting: node:crypto costs 4 ms.
  const { createHmac, timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const { newSecret } = await import("../../core/ids.ts");
  const nonce = newSecret();
  const { headers } = await connection.request("GET /api/health", [`x-mem-nonce: ${nonce}`]);
  const proof = Buffer.from(headers.get("x-mem-proof") ?? "", "hex");
  const expected = createHmac("sha256", secret).update(nonce).digest();
  if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) {
    throw new DeliveryFailure("stranger");
  }
}
