// Sends parts of a source to the worker: waits while it is away, and leaves out an event that it refuses.
import { setTimeout as delay } from "node:timers/promises";
import { MemError } from "../core/errors.ts";
import { addCounts, type ImportBatch, type ImportCounts, noImports } from "../core/records/imports.ts";

/** Where imports go: the worker's routes. */
export interface ImportPort {
  importBatch(batch: ImportBatch): Promise<ImportCounts>;
}

interface SendOptions {
  signal: AbortSignal;
  /** Between two tries; for tests. */
  pauseMs?: number;
}

const mostTries = 5;

/** Resolves with the counts after the worker stored the batch. Throws the worker's error when it stays away. */
export async function sendBatch(
  port: ImportPort,
  batch: ImportBatch,
  { signal, pauseMs = 1_000 }: SendOptions,
): Promise<ImportCounts> {
  for (let tries = 1; ; tries++) {
    try {
      return await port.importBatch(batch);
    } catch (error) {
      if (!(error instanceof MemError)) throw error;
      if (isRefusal(error)) return sendParts(port, batch, { signal, pauseMs });
      // A repeated event is known: the keys are the same.
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

async function sendParts(
  port: ImportPort,
  batch: ImportBatch,
  options: Required<SendOptions>,
): Promise<ImportCounts> {
  const { events, position, ...rest } = batch;
  if (events.length <= 1) {
    if (position !== undefined) await sendBatch(port, { ...rest, events: [], position }, options);
    return { ...noImports, skipped: events.length };
  }
  const middle = Math.ceil(events.length / 2);
  const first = await sendBatch(port, { ...rest, events: events.slice(0, middle) }, options);
  return addCounts(first, await sendBatch(port, { ...batch, events: events.slice(middle) }, options));
}
