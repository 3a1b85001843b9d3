// Describes edits and writes: the files, the number of lines, the most telling line.
import type { ObservationConcept, ObservationType } from "../../../core/records/records.ts";
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
import { objectField, objectsField, pathField, textField, textsField } from "../../../text/json-fields.ts";
import { clip, counted, firstLine, listed, shownPath } from "../../../text/plain-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

export function describeEdit(use: ToolUse): Finding {
  const changes = fileChanges(use);
  return changes.length === 0 || use.result.failed
    ? describeNoChange(use, changes)
    : describeChanges(use, changes);
}

/** The finding for changes by an edit tool, or by a patch in a command. */
export function describeChanges({ cwd }: ToolUse, changes: readonly FileChange[]): Finding {
  const obs_type = changeType(changes);
  const titles = changes.map((change) => titleOf(change, shownPath(change.path, cwd)));
  const shown = changes.map(({ path }) => shownPath(path, cwd));
  const [only = ""] = titles;
  const title =
    titles.length === 1 ? only : `Changed ${counted(changes.length, "file")}: ${listed(shown, 3)}`;
  const size = lineCounts(changes);
  const come = changes
    .flatMap(({ added }) => tellingLines(added, 3))
    .map((line) => `\`${line}\``)
    .slice(0, 3);
  return {
    obs_type,
    title,
    subtitle: title.includes(size) ? "" : size,
    facts: [...(titles.length === 1 ? [] : titles), come.length === 0 ? "" : `New lines: ${come.join(" ")}`],
    concepts: changeConcepts(obs_type),
    filesModified: changes.flatMap(({ path, movedTo }) => (movedTo === null ? [path] : [path, movedTo])),
    provenance: "file",
  };
}

function describeNoChange(use: ToolUse, changes: readonly FileChange[]): Finding {
  const path = changes[0]?.path ?? (pathField(use.input) || pathField(use.result.fields));
  const shown = path === "" ? "a file" : shownPath(path, use.cwd);
  const files = path === "" ? [] : [path];
  const { failed, text } = use.result;
  const reason = failed ? firstLine(text) : "";
  return {
    obs_type: failed ? "discovery" : "change",
    title: failed ? `Edit of ${shown} failed${reason === "" ? "" : `: ${reason}`}` : `Edited ${shown}`,
    facts: [reason],
    concepts: [failed ? "problem-solution" : "what-changed"],
    ...(failed ? { filesRead: files } : { filesModified: files }),
    provenance: "file",
  };
}

function titleOf(change: FileChange, shown: string): string {
  const { kind, movedTo, added, removed } = change;
  if (kind === "delete") return `Deleted ${shown}`;
  if (movedTo !== null && added.length + removed.length === 0) return `Moved ${shown} to ${movedTo}`;
  const essence = essenceOf(change);
  return `${kind === "add" ? "Created" : "Edited"} ${shown}${essence === "" ? ` (${lineCounts([change])})` : `: ${essence}`}`;
}

/** The most telling part of an edit: a replaced, an added or a removed line. */
function essenceOf({ kind, added, removed }: FileChange): string {
  const [from = "", to = ""] = [removed[0]?.trim(), added[0]?.trim()];
  if (added.length === 1 && removed.length === 1 && from.length + to.length <= 80)
    return `\`${from}\` is now \`${to}\``;
  const comment = commentOf(added);
  if (comment !== "") return clip(comment, 100);
  const [come] = tellingLines(added, 1);
  const verb = kind === "add" ? "" : removed.length === 0 ? "added " : "now has ";
  if (come !== undefined) return `${verb}\`${clip(come, 70)}\``;
  const [gone] = tellingLines(removed, 1);
  return gone === undefined ? "" : `removed \`${clip(gone, 70)}\``;
}

function lineCounts(changes: readonly FileChange[]): string {
  const added = changes.reduce((sum, change) => sum + change.added.length, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed.length, 0);
  if (added + removed === 0) return "no lines changed";
  if (added === 0) return `${counted(removed, "line")} removed`;
  return `${counted(added, "line")} added${removed === 0 ? "" : `, ${removed} removed`}`;
}

/** The first comment in prose: it says why. */
function commentOf(lines: readonly string[]): string {
  const texts = lines.slice(0, 60).map((line) => commentLine.exec(line.slice(0, 400))?.[1] ?? "");
  return texts.find((text) => prose.test(text)) ?? "";
}

const commentLine = /^\s*(?:\/\/+|#(?![!a-z#])|\*(?!\/)|\/\*\*?|--|""")\s*(\S.{2,300}?)\s*(?:\*\/|""")?$/;
const prose = /^(?!@|eslint|biome|prettier|ts-|type:|noqa|pylint|copyright|SPDX)\p{L}.*\s.*\s/iu;

/** Up to `max` lines that are not comments, brackets or imports. */
function tellingLines(lines: readonly string[], max: number): string[] {
  return lines
    .slice(0, 60)
    .map((line) => line.slice(0, 200).trim())
    .filter((text) => /\p{L}{3}/u.test(text) && !dull.test(text))
    .slice(0, max);
}

const dull =
  /^(?:#(?!\[)|\/\/|\/?\*|--\s|;;|"""|<!--|package\b|import\b|from\b|use\b|using\b|require\b|const \w+ = require\b)/;

// The session's request says nothing of one edit: it is a fix when a commit or the agent says so.
function changeType(changes: readonly FileChange[]): ObservationType {
  if (changes.every(({ movedTo, added, removed }) => movedTo !== null && added.length + removed.length === 0))
    return "refactor";
  const isNewCode = ({ kind, path }: FileChange) =>
    kind === "add" && !textFile.test(path) && !testFile.test(path);
  return changes.some(isNewCode) ? "feature" : "change";
}

export function commitType(message: string): ObservationType {
  if (/^(?:fix|bugfix|hotfix)\b|\bfix(?:e[sd])?\b|\bbug\b/i.test(message)) return "bugfix";
  if (/^feat\b|^(?:add|implement|introduce|support)\b/i.test(message)) return "feature";
  if (/^refactor\b|^(?:rename|move|extract|split|clean ?up|simplify)\b/i.test(message)) return "refactor";
  return "change";
}

export function changeConcepts(type: ObservationType): ObservationConcept[] {
  return type === "bugfix" ? ["what-changed", "problem-solution"] : ["what-changed"];
}

const textFile =
  /(?:^|[/\\])(?:dockerfile|makefile|license|\.[\w.-]+)$|\.(?:mdx?|markdown|rst|adoc|txt|jsonc?|json5|ya?ml|toml|ini|cfg|conf|env|properties|lock|css|scss|sass|less)$|\.config\.[cm]?[jt]s$/i;
const testFile =
  /(?:^|[/\\])(?:tests?|__tests__|specs?)[/\\]|[._-](?:test|spec)\.\w+$|(?:^|[/\\])test_[^/\\]*$|_test\.\w+$/i;

/** The changes of an edit or write tool; empty when its arguments name no file. */
function fileChanges({ input, inputText, result }: ToolUse): FileChange[] {
  const text = patchArgument(input) || inputText;
  const patch = patchStart.test(text.slice(0, 400)) ? text : "";
  const patched = patch.includes("*** Begin Patch") ? parseApplyPatch(patch) : parseUnifiedDiff(patch);
  if (patched.length > 0) return patched;
  const path = pathField(input) || pathField(result.fields);
  const edits = objectsField(input, "edits");
  if (path === "") return edits.filter((edit) => pathField(edit) !== "").map((edit) => editedLines(edit));
  const whole = textField(input, "content", "file_text", "contents", "code_edit");
  if (whole === "" || textField(input, "command") === "insert") {
    const parts = (edits.length > 0 ? edits : [input]).map((edit) => editedLines(edit));
    const lines = (side: "added" | "removed") => parts.flatMap((part) => part[side]);
    return [{ ...emptyChange(path, "update"), added: lines("added"), removed: lines("removed") }];
  }
  const before = textField(result.fields, "originalFile");
  const existed =
    before !== "" || textField(result.fields, "type") === "update" || overwritten.test(result.text);
  const diff = existed ? hostDiff(result.fields) : [];
  if (diff.length === 0) return [changeBetween(path, before, whole, existed ? "update" : "add")];
  const host = emptyChange(path, "update");
  for (const line of diff) takeLine(host, line);
  return [host];
}

/** Claude Code sends hunks, OpenCode and Gemini one text. */
function hostDiff(fields: JsonObject): string[] {
  const text =
    textField(objectField(fields, "metadata"), "diff") ||
    textField(objectField(fields, "returnDisplay"), "fileDiff");
  const hunks = objectsField(fields, "structuredPatch").flatMap((hunk) => textsField(hunk, "lines"));
  return [...hunks, ...text.split("\n").filter((line) => /^[-+](?!\+\+ |-- )/.test(line))];
}

function editedLines(edit: JsonObject): FileChange {
  return changeBetween(pathField(edit), textField(edit, ...oldTextNames), textField(edit, ...newTextNames));
}

/** The files of a unified diff. */
function parseUnifiedDiff(text: string): FileChange[] {
  const changes: FileChange[] = [];
  let before = "";
  for (const line of text.split("\n", maxLines)) {
    const [, side, path = ""] = diffHeader.exec(line) ?? [];
    const current = changes.at(-1);
    if (side === "---") before = path;
    else if (side === "+++" && path === "/dev/null") changes.push(emptyChange(before, "delete"));
    else if (side === "+++") changes.push(emptyChange(path, before === "/dev/null" ? "add" : "update"));
    else if (current !== undefined) takeLine(current, line);
  }
  return changes.slice(0, maxFiles);
}

const diffHeader = /^(---|\+\+\+) (?:[ab]\/)?([^\t]+)/;

/** What differs between two texts: the lines between those that both begin and end with. */
function changeBetween(
  path: string,
  before: string,
  after: string,
  kind: FileChange["kind"] = "update",
): FileChange {
  const old = before === "" ? [] : before.replace(/\n$/, "").split("\n", maxLines);
  const now = after === "" ? [] : after.replace(/\n$/, "").split("\n", maxLines);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const [gone, come] = [new Set(removed), new Set(added)];
  return {
    ...emptyChange(path, kind),
    removed: removed.filter((line) => !come.has(line)),
    added: added.filter((line) => !gone.has(line)),
  };
}

const patchStart = /^\s*(?:\*\*\* Begin Patch|diff --git |--- |Index: )/m;
const overwritten = /^.{0,200}\b(?:overwr\w+|updated)\b/i;
