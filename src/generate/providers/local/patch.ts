// Reads patches (apply_patch, unified diff) and compares two texts by lines.
import {
  emptyChange,
  type FileChange,
  maxFiles,
  maxLines,
  parseApplyPatch,
  patchArgument,
  takeLine,
} from "../../../core/tools/apply-patch.ts";
import { newTextNames, oldTextNames } from "../../../core/tools/touched-lines.ts";
import type { JsonObject } from "../../../text/json.ts";
import {
  numberField,
  objectField,
  objectsField,
  pathField,
  textField,
  textsField,
} from "../../../text/json-fields.ts";
import type { ToolUse } from "./finding.ts";

/** The files of a unified diff. */
function parseUnifiedDiff(text: string): FileChange[] {
  const changes: FileChange[] = [];
  let current: FileChange | undefined;
  let before = "";
  for (const line of text.split("\n", maxLines)) {
    if (line.startsWith("--- ")) {
      before = diffPath(line);
      current = undefined;
    } else if (line.startsWith("+++ ") && current === undefined) {
      const after = diffPath(line);
      const kind = before === "/dev/null" ? "add" : after === "/dev/null" ? "delete" : "update";
      current = emptyChange(kind === "delete" ? before : after, kind);
      changes.push(current);
    } else if (current !== undefined && !diffNoise.test(line)) {
      takeLine(current, line);
    }
  }
  return changes.slice(0, maxFiles);
}

/** The lines removed and added from `before` to `after`. */
function lineChange(path: string, kind: FileChange["kind"], before: string, after: string): FileChange {
  const change = emptyChange(path, kind);
  const old = before === "" ? [] : before.split("\n", maxLines);
  const now = after === "" ? [] : after.split("\n", maxLines);
  if (old.at(-1) === "") old.pop();
  if (now.at(-1) === "") now.pop();
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  change.removed = without(old.slice(start, old.length - end), now.slice(start, now.length - end));
  change.added = without(now.slice(start, now.length - end), old.slice(start, old.length - end));
  return change;
}

function diffPath(line: string): string {
  const path = line.slice(4).split("\t", 1)[0] ?? "";
  return path.trim().replace(sidePrefix, "");
}

// Multiset difference.
function without(lines: readonly string[], others: readonly string[]): string[] {
  if (others.length === 0) return [...lines];
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}

const diffNoise =
  /^(?:diff --git|index [0-9a-f]|new file mode|deleted file mode|similarity|rename |\\ No newline)/;
const sidePrefix = /^[ab]\//;

/** The changes of an edit or write tool; empty when neither arguments nor response show any. */
export function fileChanges(use: ToolUse): FileChange[] {
  const patch = patchText(use);
  if (patch !== "") {
    const changes = patch.includes("*** Begin Patch") ? parseApplyPatch(patch) : parseUnifiedDiff(patch);
    if (changes.length > 0) return changes;
  }
  const { input, result } = use;
  const path = pathField(input) || pathField(result.fields);
  if (path === "") return changesByFile(input);
  const command = textField(input, "command");
  const whole = textField(input, "content", "file_text", "contents", "code_edit", "new_source");
  if (whole !== "" && command !== "insert") return [wholeFile(use, path, whole)];
  return [hostDiff(result.fields, path) ?? editedLines(input, path)];
}

function patchText({ input, inputText }: ToolUse): string {
  const text = patchArgument(input) || inputText;
  return patchStart.test(text.slice(0, 400)) ? text : "";
}

// Edits with a path each.
function changesByFile(input: JsonObject): FileChange[] {
  return objectsField(input, "edits")
    .filter((edit) => pathField(edit) !== "")
    .map((edit) => editedLines(edit, pathField(edit)));
}

function wholeFile({ input, result }: ToolUse, path: string, content: string): FileChange {
  const existed =
    textField(result.fields, "type") === "update" ||
    (textField(result.fields, "originalFile") !== "" && textField(input, "edit_mode") === "") ||
    overwritten.test(result.text.slice(0, 300));
  const isCell = textField(input, "new_source") !== "";
  if (existed || isCell) {
    const diff = hostDiff(result.fields, path);
    if (diff !== null) return diff;
    return lineChange(path, "update", textField(result.fields, "originalFile", "old_source"), content);
  }
  return lineChange(path, "add", "", content);
}

// Prefers the host's diff, which has context. Claude Code sends hunks, others one text.
function hostDiff(fields: JsonObject, path: string): FileChange | null {
  const hunks = objectsField(fields, "structuredPatch");
  if (hunks.length > 0) {
    const lines = hunks.flatMap((hunk) => textsField(hunk, "lines"));
    return parseUnifiedDiff(`--- a\n+++ ${path}\n@@ @@\n${lines.join("\n")}`)[0] ?? null;
  }
  const text =
    textField(fields, "diff") ||
    textField(objectField(fields, "metadata"), "diff") ||
    textField(objectField(fields, "returnDisplay"), "fileDiff") ||
    textField(objectField(fields, "details"), "diff", "patch");
  const change = diffHunk.test(text) ? parseUnifiedDiff(text)[0] : undefined;
  return change === undefined ? null : { ...change, path };
}

function editedLines(input: JsonObject, path: string): FileChange {
  const edits = objectsField(input, "edits");
  const parts = (edits.length > 0 ? edits : [input]).map((edit) => {
    const inserted = numberField(edit, "insert_line") !== null;
    const before = inserted ? "" : textField(edit, ...oldTextNames);
    return lineChange(path, "update", before, textField(edit, ...newTextNames));
  });
  return {
    path,
    kind: "update",
    movedTo: null,
    added: parts.flatMap((part) => part.added),
    removed: parts.flatMap((part) => part.removed),
  };
}

const patchStart = /^\s*(?:\*\*\* Begin Patch|diff --git |--- |Index: )/m;
const diffHunk = /^@@ /m;
const overwritten = /overwr|has been updated|\bupdated\b/i;
