// Stores a batch of events in one statement, grouped by project.
import { MemError } from "../../core/errors.ts";
import type { HostedEvent } from "../../core/records/hosted-event.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Queryable } from "./open.ts";

/** An event to store, with cleaned texts. */
export interface NewEvent extends Omit<HostedEvent, "received_at_epoch"> {
  /** A later event with one of these keys and the same `body_hash` is a repeat. */
  keys: string[];
  /** SHA-256 in hex; null without keys. */
  body_hash: string | null;
  /** The sender's name of the session, if `session_id` is null; a new one gets the id `new_session_id`. */
  content_session_id: string | null;
  new_session_id: string;
  /** Null when nothing is generated from it. */
  job_id: string | null;
}

/** Result of one event. `event_id` of a repeated one is the event that was stored first. */
export type Written =
  | { outcome: "created"; event_id: string; session_id: string | null; stored_at_epoch: number }
  | { outcome: "repeated"; event_id: string }
  | { outcome: "conflict" | "no_session" | "no_project" }
  /** The project is being purged; never with `patient`. */
  | { outcome: "busy" };

/** The event as JSON. Field by field: copying and omitting fields costs more than everything else. */
function eventText(event: NewEvent): string {
  return JSON.stringify({
    id: event.id,
    session_id: event.session_id,
    content_session_id: event.content_session_id,
    source_type: event.source_type,
    source_event_id: event.source_event_id,
    event_type: event.event_type,
    platform_source: event.platform_source,
    payload: event.payload,
    metadata: event.metadata,
    occurred_at_epoch: event.occurred_at_epoch,
  });
}

export interface BatchItem {
  event: NewEvent;
  text: string;
}

/** Largest event, as stored JSON. */
const maxEventChars = 2 * 1024 * 1024;

/** The event as an item of a batch. Throws `payload_too_large`. */
export function batchItem(event: NewEvent): BatchItem {
  const text = eventText(event);
  if (text.length <= maxEventChars) return { event, text };
  throw new MemError("payload_too_large", {
    message: "The event is larger than 2 MB.",
    hint: "Shorten the tool output: its beginning and end are enough.",
  });
}

/**
 * Stores the events, all or none; returns one outcome per item, in order. `patient` waits for a purge to end. Inside a
 * transaction, the tenant of the last item is set afterwards.
 */
export async function storeEvents(
  app: Queryable,
  items: readonly BatchItem[],
  patient: boolean,
): Promise<Written[]> {
  const { rows } = await app.query<OutcomeRow>({
    name: "ingest",
    text: "select item, outcome, event, session, at from ingest_events($1::jsonb, $2)",
    values: [`[${partsOf(items).join(",")}]`, patient],
  });
  const outcomes = new Map(rows.map((row) => [row.item, row]));
  return items.map(({ event }) => writtenOf(outcomes.get(event.id)));
}

interface OutcomeRow {
  item: string;
  outcome: Written["outcome"];
  event: string | null;
  session: string | null;
  at: number;
}

// Sorted, so that two batches that lock the same projects cannot deadlock.
function partsOf(items: readonly BatchItem[]): string[] {
  const parts = new Map<string, BatchItem[]>();
  for (const item of items) {
    const name = `${item.event.team_id}/${item.event.project_id}`;
    const part = parts.get(name);
    if (part === undefined) parts.set(name, [item]);
    else part.push(item);
  }
  return [...parts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => partText(part));
}

function partText(items: readonly BatchItem[]): string {
  const sessions = new Map<string, object>();
  const named = new Set<string>();
  const keys: object[] = [];
  const jobs: object[] = [];
  let scope: ProjectScope | undefined;
  for (const { event } of items) {
    scope ??= { team_id: event.team_id, project_id: event.project_id };
    if (event.job_id !== null) jobs.push({ id: event.job_id, event_id: event.id });
    const { content_session_id, platform_source } = event;
    if (event.session_id !== null) named.add(event.session_id);
    else if (content_session_id !== null && !sessions.has(content_session_id)) {
      sessions.set(content_session_id, { id: event.new_session_id, content_session_id, platform_source });
    }
    for (const key of event.keys) keys.push({ key, body_hash: event.body_hash, event_id: event.id });
  }
  const head = JSON.stringify({
    ...scope,
    ...(named.size > 0 ? { named: [...named] } : {}),
    ...(sessions.size > 0 ? { sessions: [...sessions.values()], session_names: [...sessions.keys()] } : {}),
    ...(keys.length > 0 ? { keys } : {}),
    ...(jobs.length > 0 ? { jobs } : {}),
  });
  return `${head.slice(0, -1)},"events":[${items.map(({ text }) => text).join(",")}]}`;
}

function writtenOf(row: OutcomeRow | undefined): Written {
  if (row === undefined) throw new MemError("internal", { message: "An event of a batch has no outcome." });
  const { outcome, event, session, at } = row;
  if (outcome === "created") {
    return { outcome, event_id: row.item, session_id: session, stored_at_epoch: at };
  }
  if (outcome !== "repeated") return { outcome };
  if (event === null) throw new MemError("internal", { message: "A repeated event has no id." });
  return { outcome, event_id: event };
}
