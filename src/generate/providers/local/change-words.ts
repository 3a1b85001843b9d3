// The words for one changed file: its title, its size, what its writer said in a comment.

import { clip, counted, listed } from "../../../domain/plain-text.ts";
import type { ChangedSymbols } from "./changed-symbols.ts";
import { fileKind } from "./declarations.ts";
import type { FileChange } from "./patch.ts";

/** A changed file with what was found in it, and its path as shown. */
export interface Edit {
  change: FileChange;
  symbols: ChangedSymbols;
  shown: string;
}

/** What happened to one file, as a title. */
export function titleOfOne({ change, symbols, shown }: Edit): string {
  if (change.kind === "delete") return `Deleted ${shown}`;
  if (change.movedTo !== null && change.added.length + change.removed.length === 0)
    return `Moved ${shown} to ${change.movedTo}`;
  if (change.kind === "update") return `Edited ${shown}: ${essence(change, symbols)}`;
  const tests = symbols.tests.map((test) => `"${test}"`);
  const names = tests.length > 0 ? tests : symbols.added;
  if (names.length === 0) return `Created ${shown} (${lineCounts([change])})`;
  return `Created ${shown} with ${fileKind(change.path) === "docs" ? `"${names[0] ?? ""}"` : listed(names, 3)}`;
}

/** The one thing to say of an edit, the most telling first. */
export function essence(change: FileChange, symbols: ChangedSymbols): string {
  const { renamed, replaced, tests, added, removed, changed, within } = symbols;
  const place = within === null ? "" : `in ${within}, `;
  if (renamed !== null) return `renamed ${renamed.from} to ${renamed.to}`;
  if (replaced !== null && added.length + removed.length === 0) return place + replacedWords(replaced);
  // A setting says more by its value than by its name.
  if (fileKind(change.path) === "config" && change.added.length > 0 && change.added.length <= 4)
    return `now has ${
      tellingLines(change.added, 2)
        .map((line) => `\`${clip(line, 44)}\``)
        .join(", ") || lineCounts([change])
    }`;
  if (added.length === 1 && removed.length === 1) return `replaced ${removed[0]} with ${added[0]}`;
  const parts = [
    added.length > 0 ? `added ${listed(added, 3)}` : "",
    tests.length > 0 && added.length === 0 ? `added test "${tests[0] ?? ""}"` : "",
    removed.length > 0 ? `removed ${listed(removed, 3)}` : "",
    changed.length > 0 && added.length + removed.length === 0 ? `changed ${listed(changed, 3)}` : "",
  ].filter((part) => part !== "");
  if (parts.length > 0) return parts.join(", ");
  return place + linesWords(change);
}

/** "12 lines added, 3 removed". */
export function lineCounts(changes: readonly FileChange[]): string {
  const added = changes.reduce((sum, change) => sum + change.added.length, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed.length, 0);
  if (added + removed === 0) return "no lines changed";
  if (removed === 0) return `${counted(added, "line")} added`;
  if (added === 0) return `${counted(removed, "line")} removed`;
  return `${counted(added, "line")} added, ${removed} removed`;
}

/** What the writer said in a comment: the best explanation there is. Empty when there is none. */
export function commentOf(lines: readonly string[]): string {
  for (let index = 0; index < Math.min(lines.length, 60); index += 1) {
    const text = commentText(lines[index] ?? "");
    if (!spoken.test(text) || notAReason.test(text)) continue;
    const whole = [text];
    // A comment of several lines is one thought.
    while (whole.length < 4 && !thoughtEnd.test(whole.at(-1) ?? "")) {
      const next = commentText(lines[index + whole.length] ?? "");
      if (next === "" || notAReason.test(next)) break;
      whole.push(next);
    }
    return whole.join(" ");
  }
  return "";
}

/** Up to `max` lines that say something: no comments, brackets, headings; imports only when there is nothing else. */
export function tellingLines(lines: readonly string[], max: number): string[] {
  const telling: string[] = [];
  const imports: string[] = [];
  for (const line of lines.slice(0, 60)) {
    const text = line.slice(0, 200).trim();
    if (text.length < 4 || !letters.test(text) || commentText(line) !== "" || text.startsWith("#")) continue;
    if (importLine.test(text)) imports.push(text);
    else telling.push(text);
    if (telling.length === max) break;
  }
  return telling.length > 0 ? telling : imports.slice(0, max);
}

// Only what differs is said, widened to whole words; a reader knows the rest of the line.
function replacedWords({ from, to }: { from: string; to: string }): string {
  if (from.length + to.length <= 64) return `\`${from}\` is now \`${to}\``;
  let start = 0;
  while (start < from.length && from[start] === to[start]) start += 1;
  while (start > 0 && wordPart.test(from[start - 1] ?? "")) start -= 1;
  const [old, now] = [from.slice(start), to.slice(start)];
  let end = 0;
  while (end < old.length && end < now.length && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  while (end > 0 && wordPart.test(old.at(-end) ?? "")) end -= 1;
  const gone = old.slice(0, old.length - end).trim();
  const come = now.slice(0, now.length - end).trim();
  if (gone === "") return `added \`${clip(come, 60)}\``;
  if (come === "") return `removed \`${clip(gone, 60)}\``;
  if (gone.length > 40 || come.length > 40) return `now has \`${clip(to, 80)}\``;
  return `\`${gone}\` is now \`${come}\``;
}

function linesWords(change: FileChange): string {
  const comment = commentOf(change.added);
  if (comment !== "") return clip(comment, 100);
  const [come] = tellingLines(change.added, 1);
  const [gone] = tellingLines(change.removed, 1);
  if (come !== undefined && change.added.length <= 6)
    return `${change.removed.length === 0 ? "added" : "now has"} \`${clip(come, 60)}\` (${lineCounts([change])})`;
  if (gone !== undefined && change.added.length === 0) return `removed \`${clip(gone, 60)}\``;
  return lineCounts([change]);
}

function commentText(line: string): string {
  return line.length < 400 ? (commentLine.exec(line)?.[1] ?? "") : "";
}

const wordPart = /[\w$.-]/;
const letters = /[A-Za-z]{3}/;
const importLine = /^(?:import|from|use|using|require|#include|const \w+ = require)\b/;
const commentLine = /^\s*(?:\/\/+|#(?![!a-z#])|\*(?!\/)|\/\*\*?|--|"""|;;)\s*(\S.{2,300}?)\s*(?:\*\/|""")?$/;
const thoughtEnd = /[.!?:]$/;
const spoken = /^[A-Z`"'a-z].*\s.*\s/;
const notAReason = /^(?:@|eslint|biome|prettier|ts-|type:|noqa|pylint|copyright|SPDX|region|#|\*)/i;
