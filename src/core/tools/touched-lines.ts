// The lines of a file that a tool use edited or read.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import {
  numberField,
  objectsField,
  parseObject,
  pathField,
  textField,
  textsField,
} from "../../text/json-fields.ts";
import { maxFiles, patchArgument } from "./apply-patch.ts";
import { readCall, type ToolUse } from "./tool-kind.ts";

/** One place in a file as it is after the edit. */
export interface EditedPart {
  path: string;
  /** With the unchanged lines around the change that the tool names. */
  lines: readonly string[];
  /** The changed ones of `lines`: `from` to `to`, the second excluded. Empty where lines were only removed. */
  from: number;
  to: number;
}

/** Lines by number; the first is 0, `to` is excluded. */
export interface ReadRange {
  path: string;
  from: number;
  to: number;
}

export interface TouchedLines {
  edited: EditedPart[];
  /** Empty for a file that was read whole. */
  read: ReadRange[];
}

export function touchedLines(use: ToolUse): TouchedLines {
  const call = readCall(use);
  if (use.tool_failed === true) return { edited: [], read: [] };
  if (call.kind === "read") return { edited: [], read: readRanges(call.input) };
  const patch = patchArgument(call.input) || call.inputText;
  if (call.kind !== "edit" && !patch.includes("*** Begin Patch")) return { edited: [], read: [] };
  if (isPatch.test(patch)) return { edited: hunksOf(patch), read: [] };
  return { edited: editsOf(call.input, use.tool_response), read: [] };
}

export const oldTextNames = "old_string oldString old_str oldText old_text old search".split(" ");
export const newTextNames =
  "new_string newString new_str newText new_text insert_text new replace new_source".split(" ");

const isPatch = /^(?:\*\*\* Begin Patch|diff --git |--- |Index: )/m;

function readRanges(input: JsonObject): ReadRange[] {
  const path = pathField(input);
  const view = Array.isArray(input.view_range) ? input.view_range.map(Number) : [];
  const first = view[0] ?? numberField(input, "offset", "start_line", "startLine", "line_start");
  const count = numberField(input, "limit", "num_lines");
  const last =
    view[1] ?? numberField(input, "end_line", "endLine", "line_end", "end_line_one_indexed_inclusive");
  if (path === "" || (first === null && count === null && last === null)) return [];
  const from = Math.max(0, (first ?? 1) - 1);
  const to = last !== null && last > 0 ? last : count === null ? from + wholeRead : from + count;
  return Number.isInteger(from) && Number.isInteger(to) && to > from ? [{ path, from, to }] : [];
}

// What hosts read without a limit.
const wholeRead = 2_000;

function editsOf(input: JsonObject, response: Json | undefined): EditedPart[] {
  const path = pathField(input);
  // The host's diff has whole lines and the lines around them.
  const fields = typeof response === "string" ? parseObject(response) : response;
  const hunks = isJsonObject(fields) ? objectsField(fields, "structuredPatch") : [];
  const parts = hunks.flatMap((hunk) => partOf(path, textsField(hunk, "lines")));
  if (path !== "" && parts.length > 0 && textField(input, "content", "file_text") === "") return parts;
  const edits = objectsField(input, "edits");
  return (edits.length > 0 ? edits : [input]).flatMap((edit) => {
    const of = pathField(edit) || path;
    const [before, after] = [textField(edit, ...oldTextNames), textField(edit, ...newTextNames)];
    return of === "" || after === "" ? [] : [changedPart(of, before.split("\n"), after.split("\n"))];
  });
}

function changedPart(path: string, before: readonly string[], lines: readonly string[]): EditedPart {
  let from = 0;
  while (from < before.length && from < lines.length && before[from] === lines[from]) from += 1;
  let same = 0;
  while (
    same < before.length - from &&
    same < lines.length - from &&
    before.at(-1 - same) === lines.at(-1 - same)
  )
    same += 1;
  return { path, lines, from, to: lines.length - same };
}

/** The hunks of an `apply_patch` text or of a unified diff. */
function hunksOf(patch: string): EditedPart[] {
  const parts: EditedPart[] = [];
  let path = "";
  let hunk: string[] = [];
  const close = () => {
    if (path !== "") parts.push(...partOf(path, hunk));
    hunk = [];
  };
  for (const line of patch.split("\n")) {
    const header = fileHeader.exec(line);
    if (header === null && !/^(?:@@|\*\*\* |--- |diff --git )/.test(line)) {
      if (/^[ +-]/.test(line)) hunk.push(line);
      continue;
    }
    close();
    if (header !== null) path = (header[1] ?? header[2] ?? "").trim();
    else if (/^(?:\*\*\* (?:Add|Delete|End)|diff --git )/.test(line)) path = "";
    if (parts.length > maxParts) break;
  }
  close();
  return parts.slice(0, maxParts);
}

const maxParts = 4 * maxFiles;
// An added file is whole. The new path of a moved one follows its old one.
const fileHeader = /^\*\*\* (?:Update File|Move to):\s*(.+)$|^\+\+\+ (?:[ab]\/)?(?!\/dev\/null)([^\t]+)/;

function partOf(path: string, hunk: readonly string[]): EditedPart[] {
  const after = hunk.filter((line) => /^[ +]/.test(line));
  const first = after.findIndex((line) => line.startsWith("+"));
  const last = after.findLastIndex((line) => line.startsWith("+"));
  if (after.length === 0) return [];
  const lines = after.map((line) => line.slice(1));
  return [{ path, lines, from: Math.max(0, first), to: last + 1 }];
}
