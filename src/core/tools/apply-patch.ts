// Reads the texts of the `apply_patch` tool.
import type { JsonObject } from "../../text/json.ts";
import { pathField, textField } from "../../text/json-fields.ts";
import type { ToolCall } from "./tool-kind.ts";

export interface FileChange {
  path: string;
  kind: "add" | "update" | "delete";
  movedTo: string | null;
  added: string[];
  removed: string[];
}

/** The files that an edit tool names: by its path argument, or in a patch. Empty when it names none. */
export function editedPaths({ input, inputText }: Pick<ToolCall, "input" | "inputText">): string[] {
  const path = pathField(input);
  return path === "" ? patchedPaths(patchArgument(input) || inputText) : [path];
}

/** The files of an `apply_patch` text, old and new names. */
export function patchedPaths(text: string): string[] {
  const changes = parseApplyPatch(text);
  return [...new Set(changes.flatMap(({ path, movedTo }) => (movedTo === null ? [path] : [path, movedTo])))];
}

/** The argument that may contain a patch: Codex names it `command`. */
export function patchArgument(input: JsonObject): string {
  return textField(input, "patch", "patchText", "input", "diff", "command");
}

/** The files of an `apply_patch` text: `*** Add File:`, `*** Update File:`, `*** Delete File:`, `*** Move to:`. */
export function parseApplyPatch(text: string): FileChange[] {
  const changes: FileChange[] = [];
  let current: FileChange | undefined;
  for (const line of text.split("\n", maxLines)) {
    const header = patchHeader.exec(line);
    if (header !== null) {
      const [, verb = "", path = ""] = header;
      if (verb === "Move to") {
        if (current !== undefined) current.movedTo = path.trim();
        continue;
      }
      current = emptyChange(
        path.trim(),
        verb.startsWith("Add") ? "add" : verb.startsWith("Delete") ? "delete" : "update",
      );
      changes.push(current);
    } else if (line.startsWith("***")) {
      if (line.startsWith("*** End Patch")) break;
    } else if (current !== undefined) {
      takeLine(current, line);
    }
  }
  return changes.slice(0, maxFiles);
}

export function emptyChange(path: string, kind: FileChange["kind"]): FileChange {
  return { path, kind, movedTo: null, added: [], removed: [] };
}

/** Adds one line of a hunk. */
export function takeLine(change: FileChange, line: string): void {
  if (line.startsWith("+")) change.added.push(line.slice(1));
  else if (line.startsWith("-")) change.removed.push(line.slice(1));
}

/** Longer edits are described by their beginning. Intake cuts most files below 3,000 lines. */
export const maxLines = 3_000;
export const maxFiles = 50;

const patchHeader = /^\*\*\* (Add File|Update File|Delete File|Move to):\s*(.+)$/;
