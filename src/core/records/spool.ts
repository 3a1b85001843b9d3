// One line of the spool: an event that a hook could not deliver, cleaned, with the time it happened.
import { isJsonObject, type JsonObject } from "../../text/json.ts";

export interface SpoolLine {
  v: 1;
  /** Host agent and event, as they stand in the worker's route. */
  host: string;
  event: string;
  received_at_epoch: number;
  /** Null when it was no JSON object: such an event is only counted. */
  payload: JsonObject | null;
}

/** The line as JSON, without a line feed. */
export function renderSpoolLine(line: SpoolLine): string {
  return JSON.stringify(line);
}

/** The event of a line, or null when the line is torn or not one of ours. */
export function parseSpoolLine(text: string): SpoolLine | null {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(line) || line.v !== 1) return null;
  const { host, event, received_at_epoch, payload } = line;
  if (typeof host !== "string" || typeof event !== "string") return null;
  if (typeof received_at_epoch !== "number" || !Number.isFinite(received_at_epoch)) return null;
  if (payload !== null && !isJsonObject(payload)) return null;
  return { v: 1, host, event, received_at_epoch, payload };
}
