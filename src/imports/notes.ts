// Records of other memories, as lines of `mem export`: the worker cleans them and finds them by their keys.
import { contentKey, derivedId } from "../core/ids.ts";
import { type ExportKind, exportedFields, foreignPrompt } from "../core/records/memory-export.ts";
import { summaryParts, summaryText } from "../core/records/summary-parts.ts";
import { cleanText } from "../privacy/clean.ts";
import { excerpt } from "../text/excerpt.ts";
import type { JsonObject } from "../text/json.ts";
import { clip, oneLine } from "../text/plain-text.ts";

/** Where notes come from: a session of the other memory. */
export interface NoteSession {
  /** The host's session id, where the other memory has it; else an id of the source's own. */
  id: string;
  project: string;
  /** The agent, or the product. */
  host: string;
  cwd: string | null;
  title: string | null;
  startedAt: number;
  endedAt: number;
}

export interface Note {
  /** The same for the same record in every import. */
  key: string;
  at: number;
  type: string;
  title: string;
  text: string;
  /** Who wrote it: a product, or a model's id. */
  generator: string;
  subtitle?: string | null;
  summary?: string;
  facts?: readonly string[];
  concepts?: readonly string[];
  filesRead?: readonly string[];
  filesModified?: readonly string[];
}

const titleChars = 300;
const summaryChars = 600;
const textChars = 60_000;

export function sessionLine(session: NoteSession): JsonObject {
  const { id, project, host, cwd, title, startedAt, endedAt } = session;
  return line("session", {
    ...{ claude_session_id: id, sdk_session_id: sdkIdOf(id), project, host, cwd, title },
    ...{ status: "completed", trusts_numbers: true, user_prompt: "" },
    ...{ created_at_epoch: startedAt, last_active_at_epoch: endedAt, completed_at_epoch: endedAt },
  });
}

export function observationLine(session: NoteSession, note: Note): JsonObject {
  const { filesRead = [], filesModified = [], facts = [], concepts = [] } = note;
  // Cut after cleaning: half a secret or half a private part is not recognized.
  const text = clip(cleanText(note.text).trim(), textChars);
  const summary = note.summary ?? excerpt(text || note.title, summaryChars);
  return line("observation", {
    ...owner(session),
    key: `import:${contentKey(note.key)}`,
    obs_type: note.type,
    title: oneLine(cleanText(note.title), titleChars) || "Untitled",
    subtitle: note.subtitle ?? null,
    summary,
    narrative: text === "" || text === summary ? null : text,
    facts: [...facts],
    concepts: [...concepts],
    files_read: [...filesRead],
    files_modified: [...filesModified],
    files_touched: [...new Set([...filesModified, ...filesRead])],
    generator: note.generator,
    provenance: "agent",
    created_at_epoch: note.at,
    status: "active",
    reach: "project",
  });
}

export function promptLine(
  session: NoteSession,
  { key, number, text, at }: { key: string; number: number; text: string; at: number },
): JsonObject {
  return line("prompt", {
    ...owner(session),
    ...{ prompt_number: number, prompt_text: text, created_at_epoch: at },
    event_key: `${foreignPrompt}${contentKey(key)}`,
  });
}

export function summaryLine(
  session: NoteSession,
  { key, at, generator, ...parts }: { key: string; at: number; generator: string } & Record<string, unknown>,
): JsonObject {
  const said = Object.fromEntries(
    summaryParts.flatMap((name) => (typeof parts[name] === "string" ? [[name, parts[name]]] : [])),
  );
  return line("summary", {
    ...owner(session),
    ...said,
    key: `import:${contentKey(key)}`,
    summary_text: summaryText(said),
    ...{ generator, created_at_epoch: at },
  });
}

function owner({ id, project }: NoteSession): JsonObject {
  return { claude_session_id: id, sdk_session_id: sdkIdOf(id), project };
}

function sdkIdOf(id: string): string {
  return derivedId("import", id);
}

const defaults: Record<string, JsonObject[string]> = {
  id: 0,
  count: 0,
  time: 0,
  flag: false,
  texts: [],
  blobs: [],
  name: "",
  text: "",
};

function line(type: ExportKind, fields: JsonObject): JsonObject {
  const all = Object.entries(exportedFields[type]).map(([name, field]) => [
    name,
    fields[name] ?? defaults[field] ?? null,
  ]);
  return { type, ...Object.fromEntries(all) };
}
