// The parts of a file that a record is about, as hashes, and whether today's file still has them.
import type { EditedPart, TouchedLines } from "../../core/tools/touched-lines.ts";
import type { Json } from "../../text/json.ts";
import { parseObject } from "../../text/json-fields.ts";
import { blockOf, countRun, type FileParts, type LineRange, type Run, runOf } from "./file-parts.ts";
import { isSameFile, type Named, namedIn } from "./named-parts.ts";

/** Edits and reads of this one file. */
export type TouchedHere = { edited: readonly Omit<EditedPart, "path">[]; read: readonly LineRange[] };

/** The edits and reads of a file that its path in a tool use names. */
export function touchedIn(
  all: readonly TouchedLines[],
  isThisFile: (written: string) => boolean,
): TouchedHere {
  return {
    edited: all.flatMap(({ edited }) => edited.filter(({ path }) => isThisFile(path))),
    read: all.flatMap(({ read }) => read.filter(({ path }) => isThisFile(path))),
  };
}

/** As JSON; null when the record names no part of the file. */
export function spansText(
  file: FileParts,
  { named, place, touched }: { named: Named; place: string; touched: TouchedHere },
): string | null {
  const referred = named.lines.filter(({ path }) => isSameFile(path, place)).map(({ range }) => range);
  const byNumber = [...referred, ...(touched.edited.length > 0 ? [] : touched.read)].map(({ from, to }) => ({
    from: file.positionOf(from),
    to: file.positionOf(to),
  }));
  const lines = [...touched.edited.flatMap((part) => placesOf(file, part)), ...byNumber];
  const runs = [
    ...namedIn(file, named).map((from) => blockOf(file, from)),
    ...lines.flatMap((range) => tellingRun(file, range) ?? []),
  ];
  if (runs.length === 0) return null;
  return JSON.stringify({
    runs: runs.slice(0, mostRuns).map((run) => [run.lines, run.first, run.all, run.blocks]),
  });
}

const mostRuns = 16;
// A shorter text stands in too many places.
const leastChars = 16;
const mostPlaces = 8;
const mostGrown = 5;

/** Where the file has the changed lines; with the lines around them where they are nothing by themselves. */
function placesOf({ bare }: FileParts, { lines, from, to }: Omit<EditedPart, "path">): LineRange[] {
  const bareOf = (part: readonly string[]) =>
    part.map((line) => line.replace(/\s+/g, "")).filter((line) => line !== "");
  const changed = bareOf(lines.slice(from, to));
  const wanted = (changed.length > 0 ? changed : bareOf(lines)).join("\n");
  const text = bare.join("\n");
  const places: LineRange[] = [];
  for (let at = text.indexOf(wanted); wanted !== "" && at >= 0; at = text.indexOf(wanted, at + 1)) {
    const first = text.slice(0, at).split("\n").length - 1;
    places.push({ from: first, to: first + wanted.split("\n").length });
    if (places.length > mostPlaces) return [];
  }
  return places;
}

/** The lines, or more around them until the file has them once; null for all of the file. */
function tellingRun(file: FileParts, range: LineRange): Run | null {
  const { length } = file.bare;
  for (let by = 0; by <= mostGrown; by += 1) {
    const grown = { from: Math.max(0, range.from - by), to: Math.min(length, range.to + by) };
    if (grown.from >= grown.to || grown.to - grown.from === length) return null;
    const run = runOf(file, grown);
    const chars = file.bare.slice(grown.from, grown.to).join("").length;
    if (chars >= leastChars && countRun(file, run) === 1) return run;
  }
  return null;
}

/** True when the file has all of them unchanged, at any place. */
export function keepsSpans(file: FileParts, runs: readonly Run[]): boolean {
  return runs.every((run) => countRun(file, run) >= Math.max(1, run.blocks));
}

/** Undefined for null, and for what no `spansText` of this form made: then the whole file counts. */
export function parseSpans(text: string | null): Run[] | undefined {
  const parsed = text === null ? null : parseObject(text);
  if (!Array.isArray(parsed?.runs)) return undefined;
  const runs = parsed.runs.flatMap((value) => readRun(value) ?? []);
  return runs.length === 0 || runs.length < parsed.runs.length ? undefined : runs;
}

function readRun(value: Json): Run | undefined {
  const [lines, first, all, blocks] = Array.isArray(value) ? value : [];
  const isRun = typeof lines === "number" && typeof first === "string" && typeof all === "string";
  return isRun && typeof blocks === "number" ? { lines, first, all, blocks } : undefined;
}
