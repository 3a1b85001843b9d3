// Reads a transcript as the events that the hooks of its host would have sent.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { contentKey } from "../core/ids.ts";
import type { ImportedEvent } from "../core/records/imports.ts";
import { flattened, spoolablePayload } from "../hosts/hook/spoolable-payload.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { isPacked, linesOf, objectsIn, wholeFile } from "./lines.ts";
import type { SourceStep } from "./source.ts";

/** What a host's reader makes of one line, in the order of the file. */
export interface TranscriptReader {
  /** `start`: offset of the line. */
  read(entry: JsonObject, start: number): ImportedEvent[];
  /** At the end of the file. `idleMs`: since it was last written. */
  end(idleMs: number): ImportedEvent[];
  /** Whether it knows no session yet: a host's file in a form that is not read. */
  isForeign?(): boolean;
  /** Whether the last turn has an answer whose end was not read: it may still be running. */
  isTurnOpen(): boolean;
  /** Where the present turn begins: reading goes on there the next time. */
  turnStart(): number;
  /** What a reader that begins at `turnStart` has to know. */
  state(): JsonObject;
}

export interface TranscriptFile {
  path: string;
  createReader(state: JsonObject, path: string): TranscriptReader;
  /** True for a file that another one starts, such as the transcript of a sub-agent. */
  isPart?(path: string): boolean;
  /** Offsets of lines that are left out: of turns that the user rewound. */
  rewoundIn(path: string): Promise<ReadonlySet<number>>;
}

/** How far a file was read. */
interface Position {
  offset: number;
  /** Behind the last line that was read, which can be behind the offset. */
  end: number;
  /** Size of the file when it was read to the end and its session was over; else 0. */
  size: number;
  /** Hash of the beginning and of the bytes before the offset, or the end of a packed file: another content is read again. */
  hash: string;
  state: JsonObject;
}

interface ReadOptions {
  /** As stored by an earlier import, or null. */
  position: Json;
  now: number;
}

const stepEvents = 200;
const stepChars = 400_000;
// At least this often a step is made, so that progress shows.
const stepLines = 5_000;

/** Reads from the stored position; yields nothing for a file that was read to its end. */
export async function* readTranscript(
  { path, createReader, rewoundIn, isPart }: TranscriptFile,
  { position, now }: ReadOptions,
): AsyncGenerator<SourceStep> {
  const { size, mtimeMs } = statOf(path);
  const last = validPosition(path, position, size);
  if (last !== null && last.size === size) return;
  const { offset: from, end: knownUntil } = last ?? { offset: 0, end: 0 };
  const reader = createReader(last?.state ?? {}, path);
  const rewound = await rewoundIn(path);
  let step = emptyStep();
  let chars = 0;
  let at = from;
  let line = 0;
  // A part of a session has the prompts of another file, and so has one that goes on after a compaction.
  let [hasPrompt, hasUse] = [from > 0 || isPart?.(path) === true, false];
  const take = (events: readonly ImportedEvent[]): void => {
    for (const event of events.map(bounded)) {
      step.events.push(event);
      hasPrompt ||= event.payload.prompt !== undefined;
      hasUse ||= event.payload.tool_name !== undefined;
      chars += JSON.stringify(event.payload).length;
    }
  };
  const finish = (isEnd: boolean): SourceStep => {
    const offset = reader.turnStart();
    const done = {
      ...step,
      position: {
        offset,
        end: at,
        size: isEnd ? size : 0,
        hash: hashOf(path, isPacked(path) ? size : offset),
        state: reader.state(),
      },
    };
    step = emptyStep();
    chars = 0;
    return done;
  };
  const idleMs = now - mtimeMs;
  // The last line of a session that is over may lack its line feed.
  const withRest = idleMs > sessionIdleMs;
  const lines = path.endsWith(".json") ? wholeFile(path) : linesOf(path, from, { withRest });
  for await (const { text, start, end } of lines) {
    // What the host appends meanwhile is read the next time.
    if (end > size && !isPacked(path)) break;
    step.read += isPacked(path) ? 0 : end - at;
    step.lines += 1;
    line += 1;
    at = end;
    hasPrompt ||= text?.includes('"isCompactSummary":true') === true;
    const entries = text === null ? null : objectsIn(text);
    if (entries === null) {
      step.malformed += 1;
      step.malformedAt ??= line;
    } else if (!rewound.has(start)) for (const entry of entries) take(reader.read(entry, start));
    if (start < knownUntil) step.known = step.events.length;
    if (step.events.length >= stepEvents || chars >= stepChars || step.lines >= stepLines)
      yield finish(false);
  }
  take(reader.end(idleMs));
  const isForeign = line > 0 && reader.isForeign?.() === true;
  yield {
    ...finish(idleMs > sessionIdleMs && !isForeign),
    unfinished: reader.isTurnOpen() ? 1 : 0,
    unreadable: [
      ...(isForeign ? [`${path} cannot be read: this version does not know its form.`] : []),
      ...(hasUse && !hasPrompt
        ? [`${path} has tool uses and no prompt: this version may not know its form.`]
        : []),
    ],
  };
}

/** A session without an event for this long is over, as in the worker. */
export const sessionIdleMs = 30 * 60_000;

function emptyStep(): Omit<SourceStep, "position"> {
  return { events: [], read: 0, lines: 0, malformed: 0, malformedAt: null };
}

const largeChars = 262_144;

// As in the spool: a body of the worker has at most 2 MB.
function bounded(event: ImportedEvent): ImportedEvent {
  // Before it is written as JSON, which overflows the stack where a value is nested thousands of levels deep.
  const payload = flattened(event.payload, maxDepth);
  const json = JSON.stringify(payload);
  return { ...event, payload: json.length <= largeChars ? payload : (spoolablePayload(json) ?? {}) };
}

const maxDepth = 56;

/** The position, if the file still begins as it did when the position was stored; otherwise null. */
function validPosition(path: string, position: Json, size: number): Position | null {
  if (!isJsonObject(position)) return null;
  const { offset, end, size: readSize, hash, state } = position;
  if (typeof offset !== "number" || typeof readSize !== "number" || !isJsonObject(state)) return null;
  // An offset in unpacked text says nothing about a packed file, which is written once: all of it has to be the same.
  const told = isPacked(path) ? size : offset;
  if (told > size || hash !== hashOf(path, told)) return null;
  return { offset, end: typeof end === "number" ? end : offset, size: readSize, hash, state };
}

const hashedBytes = 4_096;

function hashOf(path: string, offset: number): string {
  const descriptor = openSync(path, "r");
  try {
    const piece = (from: number, length: number): string => {
      const bytes = Buffer.alloc(length);
      return bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, length, from));
    };
    const length = Math.min(hashedBytes, offset);
    return contentKey(String(offset), piece(0, length), piece(offset - length, length));
  } finally {
    closeSync(descriptor);
  }
}

function statOf(path: string): { size: number; mtimeMs: number } {
  const descriptor = openSync(path, "r");
  try {
    return fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
