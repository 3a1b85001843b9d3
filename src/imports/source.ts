// A source of an import: one file or database, read in steps from where the last import ended.

import { codeOf } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import type { ImportedEvent } from "../core/records/imports.ts";
import type { Json, JsonObject } from "../text/json.ts";

export interface Source {
  /** As the command names it, for example `claude-code`. */
  kind: string;
  /** For people: a path. */
  name: string;
  /** Hash of kind and place. */
  key: string;
  /** Host agent of the events. */
  host: string;
  /** The host's folder of settings that it is in. */
  folder?: string;
  /** Bytes, for the progress. */
  size: number;
  /** Files of a folder that is one source. */
  files?: number;
  /** Reads from where an import stopped; `null`: from the beginning. */
  steps(position: Json): AsyncGenerator<SourceStep>;
}

export interface SourceStep {
  events: ImportedEvent[];
  /** How many of the events, the first ones, are of lines that the import before has read: its last turn begins again. */
  known?: number;
  /** Lines of an export, for sources that are no transcripts. */
  records?: JsonObject[];
  /** Of the size, read since the last step; and lines. */
  read: number;
  lines: number;
  /** Lines that cannot be read, and the first of them. */
  malformed: number;
  malformedAt: number | null;
  /** Files of the source that cannot be read, with the reasons. */
  unreadable?: string[];
  /** Last turns that may still be running: a later import takes their ends. */
  unfinished?: number;
  /** Where the next import continues. */
  position: Json;
}

/** A step of a source that has records instead of events. */
export function recordStep(
  records: JsonObject[],
  { read, lines, position }: Pick<SourceStep, "read" | "lines" | "position">,
): SourceStep {
  return { events: [], records, read, lines, malformed: 0, malformedAt: null, position };
}

/** The steps of a source. Whatever ends its reading is `import_unreadable`. */
export async function* stepsOf(source: Source, position: Json): AsyncGenerator<SourceStep> {
  try {
    yield* source.steps(position);
  } catch (thrown) {
    throw unreadable(source, thrown);
  }
}

/** `import_unreadable` with a next step, for what a source threw; an error with a code stays. */
export function unreadable({ kind, name }: Pick<Source, "kind" | "name">, thrown: unknown): MemError {
  if (thrown instanceof MemError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // `EACCES: permission denied, open '/path'`: the path stands before.
  const [, why] = codeOf(thrown) === "" ? [] : (/^[A-Z0-9]+: (.+?), \w+( '.*')?$/.exec(message) ?? []);
  return new MemError("import_unreadable", {
    message: `${name} cannot be read: ${why === undefined ? message : `${why} (${codeOf(thrown)})`}.`,
    hint: `What it reads: \`mem import ${kind} --help\`.`,
    cause: thrown,
  });
}

/** Why one of `count` sources cannot be read; the others are imported. Throws what is no fault of a source. */
export function whyUnreadable(thrown: unknown, count: number): string {
  if (count === 1 || !(thrown instanceof MemError) || thrown.code !== "import_unreadable") throw thrown;
  return [thrown.message, thrown.hint].filter((part) => part !== undefined).join(" ");
}

/** A place that cannot be read, as a source that says so when it is read. */
export function unreadableSource({ kind, name }: Pick<Source, "kind" | "name">, thrown: MemError): Source {
  // biome-ignore lint/correctness/useYield: it has no steps
  const steps: Source["steps"] = async function* () {
    throw thrown;
  };
  const key = contentKey(kind, name, "unreadable");
  return { kind, name, key, host: kind, size: 0, steps };
}
