// What an edit tool changed, file by file, as lines taken away and lines added: from the arguments of any host's tool.
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
import { type FileChange, lineChange, parseApplyPatch, parseUnifiedDiff } from "./patch.ts";

/** The changes of one use of an edit or write tool; empty when neither arguments nor response show any. */
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
  const text = textField(input, "patch", "patchText", "input", "diff") || inputText;
  return patchStart.test(text.slice(0, 400)) ? text : "";
}

// A list of edits that name their own file.
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

// The host's own diff knows the lines around a change; Claude Code's is a list of hunks, others have one text.
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
    const before = inserted ? "" : textField(edit, ...oldNames);
    return lineChange(path, "update", before, textField(edit, ...newNames));
  });
  return {
    path,
    kind: "update",
    movedTo: null,
    added: parts.flatMap((part) => part.added),
    removed: parts.flatMap((part) => part.removed),
  };
}

const oldNames = "old_string oldString old_str oldText old_text old search".split(" ");
const newNames = "new_string newString new_str newText new_text insert_text new replace new_source".split(
  " ",
);
const patchStart = /^\s*(?:\*\*\* Begin Patch|diff --git |--- |Index: )/m;
const diffHunk = /^@@ /m;
const overwritten = /overwr|has been updated|\bupdated\b/i;
