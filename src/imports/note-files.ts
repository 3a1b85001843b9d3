// Notes in files: the JSON lines of the MCP memory server, and the Markdown of basic-memory. They are read whole each time;
// a position lists the notes of the import before by their keys.
import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { basename, relative } from "node:path";
import { contentKey } from "../core/ids.ts";
import { cleanText } from "../privacy/clean.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { parseObject, textField } from "../text/json-fields.ts";
import { type FoundFile, filesBelow } from "./files-below.ts";
import { linesOf } from "./lines.ts";
import { type Note, type NoteSession, observationLine, sessionLine } from "./notes.ts";
import { recordStep, type Source, type SourceStep, unreadable } from "./source.ts";

const stepRecords = 100;

/**
 * The file of `@modelcontextprotocol/server-memory`: each observation and relation of an entity becomes a
 * record. Null for an empty file.
 */
export function mcpMemorySource(path: string, project: string): Source | null {
  const { size, mtimeMs } = statSync(path);
  if (size === 0) return null;
  // Its lines have no times.
  const at = Math.trunc(mtimeMs);
  const session = notesSession("mcp-memory", { project, part: "", startedAt: at });
  return {
    ...{ kind: "mcp-memory", name: path, key: contentKey("mcp-memory", path), host: "mcp-memory" },
    size,
    steps: (position) => graph(path, session, position),
  };
}

async function* graph(path: string, session: NoteSession, position: Json): AsyncGenerator<SourceStep> {
  const known = createKnownNotes(position);
  let step = { ...emptyStep(), records: [sessionLine(session)] };
  let [line, from] = [0, 0];
  for await (const { text, end } of linesOf(path, 0, { withRest: true })) {
    line += 1;
    step.lines += 1;
    step.read += end - from;
    from = end;
    const entry = text === null ? null : parseObject(text);
    if (entry === null) {
      step.malformed += 1;
      step.malformedAt ??= line;
    } else
      for (const note of notesOf(entry, session.startedAt))
        if (known.isNew(note)) step.records.push(observationLine(session, note));
    if (step.records.length <= stepRecords) continue;
    yield { ...step, position };
    step = { ...emptyStep(), records: [sessionLine(session)] };
  }
  yield { ...step, position: known.position() };
}

interface KnownNotes {
  isNew(note: Note): boolean;
  /** The notes of earlier imports and of this one, for the last step: an import that ended before it finds them by their keys. */
  position(): Json;
}

function createKnownNotes(position: Json): KnownNotes {
  const keys = isJsonObject(position) && Array.isArray(position.notes) ? position.notes : [];
  const before: ReadonlySet<Json> = new Set(keys);
  const seen = new Set(before);
  return {
    isNew({ key }) {
      const short = contentKey(key).slice(0, keyChars);
      seen.add(short);
      return !before.has(short);
    },
    // A request has at most 2 MB. More notes are read again each time, and found by their keys.
    position: () => (seen.size > mostNotes ? null : { notes: [...seen] }),
  };
}

const keyChars = 16;
const mostNotes = 50_000;

function notesOf(entry: JsonObject, at: number): Note[] {
  const of = { at, type: "discovery", generator: "mcp-memory" };
  if (entry.type === "relation") {
    const title = ["from", "relationType", "to"].map((name) => textField(entry, name)).join(" ");
    return [{ ...of, key: `mcp-memory:${title}`, title, text: title }];
  }
  if (entry.type !== "entity" || !Array.isArray(entry.observations)) return [];
  const name = textField(entry, "name");
  const kind = textField(entry, "entityType");
  const subtitle = kind === "" ? name : `${name} (${kind})`;
  return entry.observations.flatMap((one) => {
    const text = typeof one === "string" ? one : isJsonObject(one) ? textField(one, "content") : "";
    if (text.trim() === "") return [];
    return [{ ...of, key: `mcp-memory:${name}:${text}`, title: `${name}: ${text}`, subtitle, text }];
  });
}

/** A folder of basic-memory: each note becomes a record, and its observations are the facts. Null without notes. */
export function basicMemorySource(folder: string, project: string): Source | null {
  // Without hidden files and folders, such as the settings of an editor.
  const isShown = (name: string) => !name.startsWith(".");
  const { files, failed } = filesBelow(folder, {
    file: (name) => isShown(name) && name.endsWith(".md"),
    folder: isShown,
  });
  if (files.length + failed.length === 0) return null;
  const notes = files.toSorted((a, b) => a.changedAt - b.changedAt || (a.path < b.path ? -1 : 1));
  return {
    ...{ kind: "basic-memory", name: folder, key: contentKey("basic-memory", folder), host: "basic-memory" },
    size: notes.reduce((sum, { bytes }) => sum + bytes, 0),
    files: notes.length,
    async *steps(position) {
      const known = createKnownNotes(position);
      if (failed.length > 0) yield { ...emptyStep(), position, unreadable: failed.map(whyNot) };
      for (let from = 0; from < notes.length; from += stepRecords) {
        const step = markdown(notes.slice(from, from + stepRecords), { folder, project, known });
        yield from + stepRecords < notes.length ? { ...step, position } : step;
      }
    },
  };
}

function emptyStep(): SourceStep {
  return recordStep([], { read: 0, lines: 0, position: null });
}

function whyNot({ path, thrown }: { path: string; thrown: unknown }): string {
  return unreadable({ kind: "basic-memory", name: path }, thrown).message;
}

/** The records of notes that are new; one that cannot be read is named. */
function markdown(
  notes: readonly FoundFile[],
  { folder, project, known }: { folder: string; project: string; known: KnownNotes },
): SourceStep {
  const failed: string[] = [];
  const records = notes.flatMap((one) => {
    try {
      const note = noteIn(folder, one);
      if (!known.isNew(note)) return [];
      const month = new Date(note.at).toISOString().slice(0, 7);
      const startedAt = Date.parse(`${month}-01T00:00:00Z`);
      const session = notesSession("basic-memory", { project, part: month, startedAt });
      return [sessionLine(session), observationLine(session, note)];
    } catch (thrown) {
      failed.push(whyNot({ path: one.path, thrown }));
      return [];
    }
  });
  const read = notes.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    ...recordStep(records, { read, lines: notes.length, position: known.position() }),
    unreadable: failed,
  };
}

const maxNoteBytes = 4 * 1024 * 1024;

function noteIn(folder: string, { path, bytes, changedAt }: FoundFile): Note {
  if (bytes > maxNoteBytes) throw new RangeError("it has more than 4 MB");
  const whole = cleanText(textOf(readFileSync(path)));
  const { head, body } = headOf(whole);
  const field = (name: string) => fieldIn(head, name);
  const said = [...body.matchAll(/^[ \t]*- \[([^\]\n[]{2,40})\] (.+)$/gm)];
  const isDecision = said.some(([, category]) => category === "decision") || field("type") === "decision";
  const place = relative(folder, path);
  const created = Date.parse(field("created") || field("date"));
  return {
    // A changed note is another record.
    key: `basic-memory:${field("permalink") || place}:${contentKey(body)}`,
    at: Number.isFinite(created) ? created : Math.trunc(changedAt),
    type: isDecision ? "decision" : "discovery",
    title: field("title") || basename(path, ".md"),
    subtitle: place,
    text: body,
    facts: said.map(([, category = "", text = ""]) => `${category}: ${text}`),
    generator: "basic-memory",
  };
}

/** The fields before the text. Text between two rulers that is no list of fields stays text. */
function headOf(whole: string): { head: string; body: string } {
  let [head, body] = ["", whole];
  for (let block = headBlock.exec(body); block !== null; block = headBlock.exec(body)) {
    const [all, fields = ""] = block;
    const isHead = fields.trim() === "" || knownField.test(fields);
    if (!isHead || !fields.split("\n").every((line) => headLine.test(line))) break;
    head += fields;
    body = body.slice(all.length);
  }
  return { head, body };
}

const headBlock =
  /^\s*---[ \t]*\r?\n((?:(?!(?:---|\.{3})[ \t\r]*(?:\n|$))[^\n]*\n)*)(?:---|\.{3})[ \t\r]*(?:\n|$)/;
const headLine = /^(?:\s*(?:#.*)?|[\w .-]{1,40}:(?:\s.*)?|\s+\S.*|- .*)\r?$/;
const knownField = /^(?:title|type|permalink|tags|created|date|updated|modified|aliases|id):/m;

/** A value may go on in indented lines; `>` and `|` announce it. */
function fieldIn(head: string, name: string): string {
  const found =
    new RegExp(`^${name}:[ \\t]*([^\\n]*(?:\\n[ \\t]+(?!- )[^\\n]+)*)`, "m").exec(head)?.[1] ?? "";
  return found
    .replace(/^[>|][+-]?\d?[ \t]*\r?\n/, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^["']|["']$/g, "");
}

// Characters that take the place of other bytes would be stored as the note's text.
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new TypeError("it is not UTF-8 text");
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

// The notes of a month are a session: a context takes the newest sessions.
function notesSession(
  kind: string,
  { project, part, startedAt }: { project: string; part: string; startedAt: number },
): NoteSession {
  const id = `${kind}:${contentKey(project, part).slice(0, 32)}`;
  return { id, project, host: kind, cwd: null, title: `Notes of ${kind}`, startedAt, endedAt: startedAt };
}
