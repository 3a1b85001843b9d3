// Describes edits and writes: the files, the number of lines, the most telling lines.

import type { ObservationConcept, ObservationType } from "../../../core/records/records.ts";
import type { FileChange } from "../../../core/tools/apply-patch.ts";
import { pathField } from "../../../text/json-fields.ts";
import { clip, counted, firstLine, listed, shownPath } from "../../../text/plain-text.ts";
import type { Finding, ToolUse } from "./finding.ts";
import { fileChanges } from "./patch.ts";

export function describeEdit(use: ToolUse): Finding {
  const changes = fileChanges(use);
  return changes.length === 0 || use.result.failed
    ? describeNoChange(use, changes)
    : describeChanges(use, changes);
}

/** The finding for changes by an edit tool, or by a patch in a command. */
export function describeChanges({ cwd, userPrompt }: ToolUse, changes: readonly FileChange[]): Finding {
  const obs_type = changeType(changes, userPrompt);
  const titles = changes.map((change) => titleOf(change, shownPath(change.path, cwd)));
  const shown = listed(
    changes.map(({ path }) => shownPath(path, cwd)),
    3,
  );
  const [only = ""] = titles;
  const title = titles.length === 1 ? only : `Changed ${counted(changes.length, "file")}: ${shown}`;
  const size = lineCounts(changes);
  const lines = (side: "added" | "removed", name: string): string => {
    const telling = changes.flatMap((change) => tellingLines(change[side], 3)).slice(0, 3);
    return telling.length === 0 ? "" : `${name}: ${telling.map((line) => `\`${line}\``).join(" ")}`;
  };
  return {
    obs_type,
    title,
    subtitle: title.includes(size) ? "" : size,
    facts: [
      ...(titles.length === 1 ? [] : titles),
      ...changes.map(({ added }) => commentOf(added)),
      lines("added", "New lines") || lines("removed", "Gone"),
    ],
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
  const essence = essenceOf(change).replace(kind === "add" ? /^added / : /^$/, "");
  return `${kind === "add" ? "Created" : "Edited"} ${shown}${essence === "" ? ` (${lineCounts([change])})` : `: ${essence}`}`;
}

/** The most telling part of an edit: a replaced line, a comment, an added or removed line. */
function essenceOf({ added, removed }: FileChange): string {
  const [from = "", to = ""] = [removed[0]?.trim(), added[0]?.trim()];
  if (added.length === 1 && removed.length === 1 && from.length + to.length <= 80)
    return `\`${from}\` is now \`${to}\``;
  const comment = commentOf(added);
  if (comment !== "") return clip(comment, 100);
  const [come] = tellingLines(added, 1);
  if (come !== undefined) return `${removed.length === 0 ? "added" : "now has"} \`${clip(come, 70)}\``;
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

/** The first comment in prose; empty when there is none. */
function commentOf(lines: readonly string[]): string {
  const first = lines.slice(0, 60).findIndex((line) => spoken.test(commentText(line)));
  if (first < 0) return "";
  // A comment of several lines is one thought.
  const rest = lines.slice(first, first + 4).map(commentText);
  const end = rest.findIndex((text) => text === "" || /[.!?:]$/.test(text));
  return rest
    .slice(0, end < 0 ? rest.length : end + 1)
    .join(" ")
    .trim();
}

/** Up to `max` lines that are not comments, brackets or imports. */
function tellingLines(lines: readonly string[], max: number): string[] {
  return lines
    .slice(0, 60)
    .map((line) => line.slice(0, 200).trim())
    .filter((text) => /[A-Za-z]{3}/.test(text) && commentText(text) === "" && !dull.test(text))
    .slice(0, max);
}

function commentText(line: string): string {
  return line.length < 400 ? (commentLine.exec(line)?.[1] ?? "") : "";
}

const commentLine = /^\s*(?:\/\/+|#(?![!a-z#])|\*(?!\/)|\/\*\*?|--|"""|;;)\s*(\S.{2,300}?)\s*(?:\*\/|""")?$/;
const spoken =
  /^(?!@|eslint|biome|prettier|ts-|type:|noqa|pylint|copyright|SPDX|region|#|\*)[A-Z`"'a-z].*\s.*\s/;
const dull = /^(?:#|package\b|import\b|from\b|use\b|using\b|require\b|const \w+ = require\b)/;

/**
 * The type of an edit, the first that fits: `refactor` when files only moved, `change` for documentation, configuration
 * and style, what the session's first prompt asks for, `feature` for a new file that is no test, `change`.
 */
function changeType(changes: readonly FileChange[], userPrompt: string): ObservationType {
  if (changes.every(({ movedTo, added, removed }) => movedTo !== null && added.length + removed.length === 0))
    return "refactor";
  const code = changes.filter(({ path }) => !textFile.test(path));
  if (code.length === 0) return "change";
  const prompt = userPrompt.slice(0, promptChars);
  if (fixWords.test(prompt)) return "bugfix";
  if (refactorWords.test(prompt)) return "refactor";
  return code.some(({ kind, path }) => kind === "add" && !testFile.test(path)) ? "feature" : "change";
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

// A long prompt is a document; its request comes first.
const promptChars = 600;
const fixWords =
  /\b(?:fix(?:es|ed|ing)?|bugs?|broken|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|regress\w*|errors?|wrong|leak(?:s|ing)?|does ?n[o']t work|not working)\b/i;
const refactorWords =
  /\b(?:refactor\w*|renam(?:e|ing)|extract|restructure|clean(?:ing)? ?up|split (?:up|into)|simplify|move \S+ (?:to|into)|deduplicate)\b/i;
const textFile =
  /(?:^|[/\\])(?:readme|changelog|license|contributing|dockerfile|makefile|\.env|\.[a-z]+(?:rc|ignore|attributes)$)|\.(?:mdx?|markdown|rst|adoc|txt|jsonc?|json5|ya?ml|toml|ini|cfg|conf|env|properties|lock|css|scss|sass|less)$|\.config\.[cm]?[jt]s$/i;
const testFile =
  /(?:^|[/\\])(?:tests?|__tests__|specs?)[/\\]|[._-](?:test|spec)\.\w+$|(?:^|[/\\])test_[^/\\]*$|_test\.\w+$/i;
