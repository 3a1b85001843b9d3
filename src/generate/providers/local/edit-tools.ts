// Edits and writes: which files changed, by how much, and what in them.

import { pathField } from "../../../domain/json-fields.ts";
import { counted, firstLine, listed, shownPath } from "../../../domain/plain-text.ts";
import { changeConcepts, changeType } from "./change-type.ts";
import { commentOf, type Edit, essence, lineCounts, tellingLines, titleOfOne } from "./change-words.ts";
import { type ChangedSymbols, changedSymbols } from "./changed-symbols.ts";
import { fileKind } from "./declarations.ts";
import { fileChanges } from "./file-changes.ts";
import type { Finding, ToolUse } from "./finding.ts";
import type { FileChange } from "./patch.ts";

/** What an edit or write tool did. */
export function describeEdit(use: ToolUse): Finding {
  const changes = fileChanges(use);
  return changes.length === 0 || use.result.failed
    ? describeNoChange(use, changes)
    : describeChanges(use, changes);
}

/** The finding for changes however they were made: by an edit tool, or by a patch in a command. */
export function describeChanges(use: ToolUse, changes: readonly FileChange[]): Finding {
  const edits = changes.map((change) => ({
    change,
    symbols: changedSymbols(change),
    shown: shownPath(change.path, use.cwd),
  }));
  const type = changeType(
    changes,
    edits.map((edit) => edit.symbols),
    use.userPrompt,
  );
  const [only] = edits;
  const title = only !== undefined && edits.length === 1 ? titleOfOne(only) : titleOfMany(edits);
  const size = lineCounts(changes);
  const reason = reasonLine(changes);
  const touched = edits.flatMap((edit) => namesOf(edit.symbols));
  return {
    obs_type: type,
    title,
    subtitle: [title.includes(size) ? "" : size, title.includes(reason.slice(0, 30)) ? "" : reason]
      .filter((part) => part !== "")
      .join("; "),
    summary: title.includes(size) ? title : `${title} (${size})`,
    narrative: [
      title,
      capitalized(
        [
          title.includes(size) ? "" : size,
          touched.length > 0 ? `touching ${listed([...new Set(touched)], 8)}` : "",
        ]
          .filter((part) => part !== "")
          .join(", "),
      ),
      ...evidence(edits).filter((line) => !title.includes(line.slice(0, 30))),
    ],
    facts: edits.length === 1 ? edits.flatMap(factsOf) : edits.map(factOfOneAmongMany),
    concepts: changeConcepts(type),
    filesModified: changes.flatMap(({ path, movedTo }) => (movedTo === null ? [path] : [path, movedTo])),
    provenance: "file",
  };
}

function describeNoChange(use: ToolUse, changes: readonly FileChange[]): Finding {
  const path = changes[0]?.path ?? (pathField(use.input) || pathField(use.result.fields));
  const shown = path === "" ? "a file" : shownPath(path, use.cwd);
  const reason = firstLine(use.result.text);
  const { failed } = use.result;
  const title = failed ? `Edit of ${shown} failed${reason === "" ? "" : `: ${reason}`}` : `Edited ${shown}`;
  return {
    obs_type: failed ? "discovery" : "change",
    title,
    subtitle: failed ? reason : "",
    summary: title,
    narrative: [title, failed ? "The file was left as it was" : reason],
    facts: failed ? [reason] : [],
    concepts: [failed ? "problem-solution" : "what-changed"],
    ...(path === "" ? {} : failed ? { filesRead: [path] } : { filesModified: [path] }),
    provenance: "file",
  };
}

function titleOfMany(edits: readonly Edit[]): string {
  const kinds = new Set(edits.map(({ change }) => change.kind));
  const verb =
    kinds.size > 1 ? "Changed" : kinds.has("add") ? "Created" : kinds.has("delete") ? "Deleted" : "Edited";
  return `${verb} ${counted(edits.length, "file")}: ${listed(
    edits.map((edit) => edit.shown),
    3,
  )}`;
}

function namesOf({ added, changed, removed, renamed, within }: ChangedSymbols): string[] {
  const names = renamed === null ? [...added, ...changed, ...removed] : [renamed.from, renamed.to];
  return within === null ? names : [...names, within];
}

function factsOf({ change, symbols, shown }: Edit): string[] {
  const { added, removed, changed, renamed, replaced, tests } = symbols;
  return [
    renamed === null ? "" : `${renamed.from} is now ${renamed.to} in ${shown}`,
    replaced === null ? "" : `${shown}: \`${replaced.from}\` became \`${replaced.to}\``,
    added.length > 0 && renamed === null ? `${shown} now ${declares(change)} ${listed(added, 10)}` : "",
    removed.length > 0 && renamed === null ? `Gone from ${shown}: ${listed(removed, 10)}` : "",
    changed.length > 0 && replaced === null ? `Changed ${listed(changed, 10)} in ${shown}` : "",
    ...tests.map((test) => `New test: ${test}`),
    commentOf(change.added),
    change.movedTo === null ? "" : `${shown} moved to ${change.movedTo}`,
    `${shown}: ${lineCounts([change])}`,
  ];
}

function declares({ path }: FileChange): string {
  const kind = fileKind(path);
  return kind === "docs" ? "has the sections" : kind === "config" ? "sets" : "declares";
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function factOfOneAmongMany(edit: Edit): string {
  const { change, symbols, shown } = edit;
  if (change.kind !== "update") return titleOfOne(edit);
  return `${shown}: ${essence(change, symbols)}`;
}

function evidence(edits: readonly Edit[]): string[] {
  for (const { change } of edits) {
    const comment = commentOf(change.added);
    const lines = tellingLines(change.added, 3).map((line) => `\`${line}\``);
    if (comment === "" && lines.length === 0) continue;
    return [comment, lines.length === 0 ? "" : `New lines: ${lines.join(" ")}`];
  }
  const gone = edits.flatMap(({ change }) => tellingLines(change.removed, 2)).slice(0, 3);
  return [gone.length === 0 ? "" : `Gone: ${gone.map((line) => `\`${line}\``).join(" ")}`];
}

function reasonLine(changes: readonly FileChange[]): string {
  return changes.map(({ added }) => commentOf(added)).find((comment) => comment !== "") ?? "";
}
