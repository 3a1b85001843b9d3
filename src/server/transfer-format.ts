// The form of an export: a header, then one record a line. What a line says is checked and cleaned before it is stored.
import * as z from "zod";
import { failOpenSync, MemError } from "../core/errors.ts";
import { derivedId } from "../core/ids.ts";
import { reaches, speakers } from "../core/records/statement.ts";
import { isId } from "../core/records/tenancy.ts";
import { cleanText } from "../privacy/clean.ts";
import { nestingExceeds } from "../privacy/nesting.ts";
import type { TransferCounts } from "../store/postgres/transfer-read.ts";
import type {
  TransferEvent,
  TransferObservation,
  TransferSession,
} from "../store/postgres/transfer-write.ts";
import { isJsonObject, type Json } from "../text/json.ts";
import { storableText } from "../text/storable.ts";
import { cleanObject, cleanValue, keyOf } from "./new-event.ts";

/** The first line. */
export interface TransferHeader {
  mem: "project-export";
  formatVersion: number;
  /** The version of mem that wrote it. */
  product: string;
  exportedAt: string;
  team: string;
  project: string;
  projectId: string;
  counts: TransferCounts;
}

export const transferFormatVersion = 1;

/** A record of a line, under the ids that it gets in the project. */
export type TransferRecord =
  | { is: "session"; record: TransferSession }
  | { is: "event"; record: TransferEvent }
  | { is: "observation"; record: TransferObservation };

/** Throws `export_invalid`. */
export function parseHeader(text: string): TransferHeader {
  const value = failOpenSync("reading a header", () => parseJson(text));
  if (value === undefined || !isJsonObject(value) || value.mem !== "project-export") {
    throw new MemError("export_invalid", {
      message: "The first line is not that of an export of a project, so nothing was imported.",
    });
  }
  if (value.formatVersion !== transferFormatVersion) {
    throw new MemError("export_invalid", {
      message: `The export has the format version ${JSON.stringify(value.formatVersion)}; this mem reads ${transferFormatVersion}.`,
      hint: "Update mem, or export it again with this version.",
    });
  }
  const { success, data } = header.safeParse(value);
  if (success) return data;
  throw new MemError("export_invalid", {
    message: "The first line, the header of the export, is damaged, so nothing was imported.",
    hint: "Export the project again.",
  });
}

/**
 * The record of a line. An id of another project becomes one that follows from it and the project, the same each time,
 * so that a project can be copied beside itself; in its own project every record keeps its id. Throws `export_invalid`.
 */
export function parseRecord(text: string, { from, to }: { from: string; to: string }): TransferRecord {
  const line = parseJson(text);
  const idOf = (id: string): string => (from === to ? id : derivedId(to, id));
  const [[kind, value] = ["", null], ...more] = isJsonObject(line) ? Object.entries(line) : [];
  if (more.length === 0) {
    if (kind === "session") return { is: kind, record: sessionOf(checked(session, value), idOf) };
    if (kind === "event") return { is: kind, record: eventOf(checked(event, value), idOf) };
    if (kind === "observation") return { is: kind, record: observationOf(checked(observation, value), idOf) };
  }
  throw new MemError("export_invalid", { message: "It is neither a session, an event nor an observation." });
}

// A payload nests 64 levels at most, and stands two deep.
const maxNesting = 66;

function parseJson(text: string): Json {
  if (nestingExceeds(text, maxNesting))
    throw new MemError("export_invalid", { message: "It nests too deep." });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MemError("export_invalid", { message: "It is not valid JSON.", cause });
  }
}

function checked<T>(schema: z.ZodType<T>, value: Json): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "It" : `\`${issue.path.join(".")}\``;
  throw new MemError("export_invalid", { message: `${where}: ${issue?.message ?? "is not valid"}.` });
}

const total = z.int().min(0);
const header = z.object({
  mem: z.literal("project-export"),
  formatVersion: z.int(),
  product: z.string(),
  exportedAt: z.string(),
  team: z.string(),
  project: z.string(),
  projectId: z.string().refine(isId, "must be an id"),
  counts: z.object({ sessions: total, events: total, observations: total }),
});

const id = z.string().refine(isId, "must be an id");
const name = z.string().min(1);
const text = z.string();
const texts = z.array(z.string());
const object = z.custom<{ [key: string]: Json }>((value) => isJsonObject(value), "must be an object");
const json = z.custom<Json>((value) => value !== undefined, "must be there");
// What the database can hold as a moment; what is null was not known.
const moment = z.int().min(-62_135_596_800_000).max(253_402_300_799_999);
const whole = z.int().min(0).max(2_147_483_647);

const session = z.object({
  id,
  contentSessionId: name,
  platformSource: text,
  agentId: text.nullable(),
  agentType: text.nullable(),
  title: text.nullable(),
  status: z.enum(["active", "completed"]),
  promptCount: whole,
  metadata: object,
  startedAtEpoch: moment,
  lastActiveAtEpoch: moment,
  endedAtEpoch: moment.nullable(),
  lastGeneratedAtEpoch: moment.nullable(),
});

const event = z.object({
  id,
  contentSessionId: name.nullable(),
  sourceType: name,
  sourceEventId: text.nullable(),
  eventType: name,
  platformSource: text,
  payload: json,
  metadata: object,
  occurredAtEpoch: moment,
  receivedAtEpoch: moment,
});

const observation = z.object({
  id,
  contentSessionId: name.nullable(),
  kind: name,
  type: name,
  title: text,
  subtitle: text.nullable(),
  summary: text,
  narrative: text.nullable(),
  facts: texts,
  concepts: texts,
  filesRead: texts,
  filesModified: texts,
  content: text,
  metadata: object,
  generator: text,
  provenance: text,
  promptNumber: whole.nullable(),
  discoveryTokens: whole,
  generationKey: text.nullable(),
  createdAtEpoch: moment,
  // Exports of older versions have none of these.
  routine: z.boolean().default(false),
  ended: z.boolean().default(false),
  statement: z
    .object({
      saidBy: z.enum(speakers),
      standing: z.boolean(),
      reach: z.enum(reaches),
      salience: z.number(),
      families: texts,
    })
    .nullable()
    .default(null),
  sources: z.array(z.object({ type: z.enum(["agent_event", "session_summary", "manual"]), id })),
});

type IdOf = (id: string) => string;

function sessionOf(given: z.output<typeof session>, idOf: IdOf): TransferSession {
  return {
    id: idOf(given.id),
    content_session_id: nameOf(given.contentSessionId),
    platform_source: cleaned(given.platformSource),
    agent_id: cleanedOrNull(given.agentId),
    agent_type: cleanedOrNull(given.agentType),
    title: cleanedOrNull(given.title),
    status: given.status,
    prompt_count: given.promptCount,
    metadata: cleanObject(given.metadata),
    started_at_epoch: given.startedAtEpoch,
    last_active_at_epoch: given.lastActiveAtEpoch,
    ended_at_epoch: given.endedAtEpoch,
    last_generated_at_epoch: given.lastGeneratedAtEpoch,
  };
}

function eventOf(given: z.output<typeof event>, idOf: IdOf): TransferEvent {
  return {
    id: idOf(given.id),
    content_session_id: given.contentSessionId === null ? null : nameOf(given.contentSessionId),
    source_type: cleaned(given.sourceType),
    source_event_id: given.sourceEventId === null ? null : keyOf(given.sourceEventId),
    event_type: cleaned(given.eventType),
    platform_source: cleaned(given.platformSource),
    payload: cleanValue(given.payload),
    metadata: cleanObject(given.metadata),
    occurred_at_epoch: given.occurredAtEpoch,
    received_at_epoch: given.receivedAtEpoch,
  };
}

function observationOf(given: z.output<typeof observation>, idOf: IdOf): TransferObservation {
  const own = idOf(given.id);
  return {
    id: own,
    content_session_id: given.contentSessionId === null ? null : nameOf(given.contentSessionId),
    kind: cleaned(given.kind),
    obs_type: cleaned(given.type),
    title: cleaned(given.title),
    subtitle: cleanedOrNull(given.subtitle),
    summary: cleaned(given.summary),
    narrative: cleanedOrNull(given.narrative),
    facts: given.facts.map(cleaned),
    concepts: given.concepts.map(cleaned),
    files_read: given.filesRead.map(cleaned),
    files_modified: given.filesModified.map(cleaned),
    content: cleaned(given.content),
    metadata: cleanObject(given.metadata),
    generator: cleaned(given.generator),
    provenance: cleaned(given.provenance),
    prompt_number: given.promptNumber,
    discovery_tokens: given.discoveryTokens,
    generation_key: given.generationKey === null ? null : keyOf(given.generationKey),
    created_at_epoch: given.createdAtEpoch,
    routine: given.routine,
    ended: given.ended,
    ...(given.statement === null ? {} : { statement: marksOf(given.statement) }),
    sources: given.sources.map(({ type, id: source }) => ({
      id: derivedId(own, type, source),
      source_type: type,
      source_id: idOf(source),
      generation_job_id: null,
    })),
  };
}

function marksOf({ saidBy, families, ...marks }: NonNullable<z.output<typeof observation>["statement"]>) {
  return { ...marks, said_by: saidBy, families: families.map(cleaned) };
}

function nameOf(given: string): string {
  const found = keyOf(given);
  if (found !== null) return found;
  throw new MemError("export_invalid", { message: "A session has no name that may be stored." });
}

function cleaned(given: string): string {
  return cleanText(storableText(given));
}

function cleanedOrNull(given: string | null): string | null {
  return given === null ? null : cleaned(given);
}
