// Format of an export: a header line, then one record a line. Fields are checked and cleaned before they are stored.
import * as z from "zod";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { derivedId } from "../../core/ids.ts";
import {
  columnName,
  type ExportKind,
  type ExportRow,
  exportedFields,
  type FieldType,
} from "../../core/records/project-export.ts";
import { reaches, speakers, statementKinds } from "../../core/records/statement.ts";
import { isId } from "../../core/records/tenancy.ts";
import { cleanText } from "../../privacy/clean.ts";
import { nestingExceeds } from "../../privacy/nesting.ts";
import type { ImportedObservation } from "../../store/postgres/project-import.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { storableText } from "../../text/storable.ts";
import { cleanObject, cleanValue, keyOf } from "../intake/new-event.ts";

/** The first line. */
export type ExportHeader = z.output<typeof header>;

export const exportFormatVersion = 1;

/** Throws `export_invalid`. */
export function parseHeader(text: string): ExportHeader {
  const value = failOpenSync("reading the header of an export", () => parseJson(text));
  if (value === undefined || !isJsonObject(value) || value.mem !== "project-export") {
    throw new MemError("export_invalid", {
      message: "The first line is not the header of a project export, so nothing was imported.",
    });
  }
  if (value.formatVersion !== exportFormatVersion) {
    throw new MemError("export_invalid", {
      message: `The export has format version ${JSON.stringify(value.formatVersion)}; this mem reads ${exportFormatVersion}.`,
      hint: "Update mem, or export the project again with this version.",
    });
  }
  const { success, data } = header.safeParse(value);
  if (success) return data;
  throw new MemError("export_invalid", {
    message: "The header of the export is damaged, so nothing was imported.",
    hint: "Export the project again.",
  });
}

/** A record with the ids that it gets in the project. */
export type ExportRecord =
  | { kind: "session"; row: ExportRow<"session"> }
  | { kind: "event"; row: ExportRow<"event"> }
  | { kind: "observation"; row: ImportedObservation };

/**
 * Parses a line. In another project than its own, a record gets an id derived from its own and the project's, so that a
 * repeated import finds it. Throws `export_invalid`.
 */
export function parseRecord(text: string, { from, to }: { from: string; to: string }): ExportRecord {
  const line = parseJson(text);
  const idOf = (id: string): string => (from === to ? id : derivedId(to, id));
  const [[kind, value] = ["", null], ...more] = isJsonObject(line) ? Object.entries(line) : [];
  if (more.length === 0) {
    if (kind === "session") return { kind, row: rowOf(kind, value, idOf) };
    if (kind === "event") return { kind, row: rowOf(kind, value, idOf) };
    if (kind === "observation") return { kind, row: observationOf(value, idOf) };
  }
  throw new MemError("export_invalid", { message: "It is not a session, an event or an observation." });
}

type IdOf = (id: string) => string;

function observationOf(value: Json, idOf: IdOf): ImportedObservation {
  const { type: obs_type, ...row } = rowOf("observation", value, idOf);
  const { statement, sources } = checked(observationParts, value);
  return {
    ...row,
    obs_type,
    ...(statement === null ? {} : { statement }),
    sources: sources.map((source) => ({
      id: derivedId(row.id, source.type, source.id),
      source_type: source.type,
      source_id: idOf(source.id),
      generation_job_id: null,
    })),
  };
}

function rowOf<K extends ExportKind>(kind: K, value: Json, idOf: IdOf): ExportRow<K> {
  const fields = Object.entries(checked(schemas[kind], value));
  const row = Object.fromEntries(fields.map(([field, given]) => [columnName(field), given]));
  // The schema is made of the same table as the type.
  return { ...row, id: idOf(String(row.id)) } as ExportRow<K>;
}

// A payload nests at most 64 levels, two levels deep in its line.
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

const id = z.string().refine(isId, "must be an id");
const total = z.int().min(0);
const header = z.object({
  mem: z.literal("project-export"),
  formatVersion: z.int(),
  /** The version of mem that wrote it. */
  product: z.string(),
  exportedAt: z.string(),
  team: z.string(),
  project: z.string(),
  projectId: id,
  counts: z.object({ sessions: total, events: total, observations: total }),
});

const name = z.string().min(1).transform(cleaned);
const text = z.string().transform(cleaned);
// The range of a timestamp that Date can hold, and of an integer column.
const time = z.int().min(-62_135_596_800_000).max(253_402_300_799_999);
const count = z.int().min(0).max(2_147_483_647);
const session = z.string().min(1).transform(sessionName);

const fieldSchemas: Readonly<Record<FieldType, z.ZodType>> = {
  id,
  name,
  text,
  "text?": text.nullable(),
  "key?": z
    .string()
    .nullable()
    .transform((given) => keyOf(given ?? undefined)),
  session,
  "session?": session.nullable(),
  texts: z.array(text),
  object: z.custom<JsonObject>((value) => isJsonObject(value), "must be an object").transform(cleanObject),
  json: z.custom<Json>((value) => value !== undefined, "must be there").transform(cleanValue),
  time,
  "time?": time.nullable(),
  count,
  "count?": count.nullable(),
  flag: z.boolean().default(false),
  status: z.enum(["active", "completed"]),
};

const schemas = {
  session: schemaOf("session"),
  event: schemaOf("event"),
  observation: schemaOf("observation"),
};

function schemaOf(kind: ExportKind): z.ZodObject {
  const fields = Object.entries<FieldType>(exportedFields[kind]);
  return z.object(Object.fromEntries(fields.map(([field, type]) => [field, fieldSchemas[type]])));
}

const observationParts = z.object({
  // Older exports have none.
  statement: z
    .object({
      saidBy: z.enum(speakers),
      kind: z.enum(statementKinds).nullable().default(null),
      standing: z.boolean(),
      reach: z.enum(reaches),
      salience: z.number(),
      families: z.array(text),
    })
    .transform(({ saidBy, ...marks }) => ({ ...marks, said_by: saidBy }))
    .nullable()
    .default(null),
  sources: z.array(z.object({ type: z.enum(["agent_event", "session_summary", "manual"]), id })),
});

function sessionName(given: string): string {
  const found = keyOf(given);
  if (found !== null) return found;
  throw new MemError("export_invalid", { message: "The name of a session is empty." });
}

function cleaned(given: string): string {
  return cleanText(storableText(given));
}
