// Whole records: reading one of any kind, and the events that concern it.
import type { StreamEvent } from "../core/records/events.ts";
import type { Api, Reads } from "./api.ts";
import { type Kind, type Line, observationLine, promptLine, summaryLine } from "./lines.ts";

export type ObservationRecord = Reads["/api/observation/1"];
export type SummaryRecord = Reads["/api/summary/1"];
export type PromptRecord = Reads["/api/prompt/1"];

/** A record of any kind. */
export type AnyRecord =
  | { kind: "observation"; record: ObservationRecord }
  | { kind: "summary"; record: SummaryRecord }
  | { kind: "prompt"; record: PromptRecord };

export async function readRecord(api: Api, kind: Kind, id: number, signal: AbortSignal): Promise<AnyRecord> {
  switch (kind) {
    case "observation":
      return { kind, record: await api.get(`/api/observation/${id}`, {}, signal) };
    case "summary":
      return { kind, record: await api.get(`/api/summary/${id}`, {}, signal) };
    case "prompt":
      return { kind, record: await api.get(`/api/prompt/${id}`, {}, signal) };
  }
}

/** The record as a line of a list. */
export function lineOf(found: AnyRecord): Line {
  switch (found.kind) {
    case "observation":
      return observationLine(found.record);
    case "summary":
      return summaryLine(found.record);
    case "prompt":
      return promptLine(found.record);
  }
}

/** True for an event that changed, deleted or restored this record. */
export function concerns(event: StreamEvent, kind: Kind, id: number): boolean {
  switch (event.type) {
    case "observation_changed":
      return kind === "observation" && event.observation.id === id;
    case "summary_changed":
      return kind === "summary" && event.summary.id === id;
    case "prompt_changed":
      return kind === "prompt" && event.id === id;
    case "record_deleted":
    case "record_restored":
      return event.kind === kind && event.id === id;
    default:
      return false;
  }
}
