// Sends parts of a source to the worker: waits while it is away, and leaves out an event or a record that it refuses.
import { setTimeout as delay } from "node:timers/promises";
import { MemError } from "../core/errors.ts";
import { addCounts, type ImportBatch, type ImportCounts, noImports } from "../core/records/imports.ts";
import type { Json, JsonObject } from "../text/json.ts";

/** Where parts go: the worker's routes. */
export interface SendPort {
  importBatch(batch: ImportBatch): Promise<ImportCounts>;
  /** Lines of an export, 200 and 8 MB at most. */
  importRecords(records: readonly Json[]): Promise<{ outcomes: readonly string[] }>;
}

interface SendOptions {
  signal: AbortSignal;
  /** Between two tries; for tests. */
  pauseMs?: number;
}

/** Resolves with the counts after the worker stored the batch. Throws the worker's error when it stays away. */
export async function sendBatch(
  port: Pick<SendPort, "importBatch">,
  batch: ImportBatch,
  options: SendOptions,
): Promise<ImportCounts> {
  const counts = await accepted(() => port.importBatch(batch), options);
  if (counts !== null) return counts;
  const { events, position, ...rest } = batch;
  if (events.length <= 1) {
    if (position !== undefined) await sendBatch(port, { ...rest, events: [], position }, options);
    return { ...noImports, skipped: events.length };
  }
  const middle = Math.ceil(events.length / 2);
  const first = await sendBatch(port, { ...rest, events: events.slice(0, middle) }, options);
  return addCounts(first, await sendBatch(port, { ...batch, events: events.slice(middle) }, options));
}

/** Resolves with the outcomes of the records, in their order. Throws the worker's error when it stays away. */
export async function sendRecords(
  port: Pick<SendPort, "importRecords">,
  records: readonly JsonObject[],
  options: SendOptions,
): Promise<string[]> {
  const outcomes: string[] = [];
  for (const part of recordParts(records)) outcomes.push(...(await sendPart(port, part, options)));
  return outcomes;
}

async function sendPart(
  port: Pick<SendPort, "importRecords">,
  part: readonly JsonObject[],
  options: SendOptions,
): Promise<readonly string[]> {
  const answer = await accepted(() => port.importRecords(part), options);
  if (answer !== null) return answer.outcomes;
  if (part.length <= 1) return part.map(() => "refused");
  const middle = Math.ceil(part.length / 2);
  const first = await sendPart(port, part.slice(0, middle), options);
  return [...first, ...(await sendPart(port, part.slice(middle), options))];
}

const partRecords = 100;
const partBytes = 2 * 1024 * 1024;

function* recordParts(records: readonly JsonObject[]): Generator<JsonObject[]> {
  let part: JsonObject[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record));
    if (part.length > 0 && (part.length >= partRecords || bytes + size > partBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

const mostTries = 5;

/** The worker's answer; null when it refuses the content. Waits while the worker is away. */
async function accepted<T>(
  send: () => Promise<T>,
  { signal, pauseMs = 1_000 }: SendOptions,
): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof MemError)) throw error;
      if (isRefusal(error)) return null;
      // A repeated event or record is known: the keys are the same.
      if (!error.retryable || tries === mostTries) throw error;
      await delay(pauseMs * tries, undefined, { signal });
    }
  }
}

function isRefusal({ code }: MemError): boolean {
  return (
    code === "invalid_json" ||
    code === "invalid_request" ||
    code === "nesting_too_deep" ||
    code === "payload_too_large"
  );
}
