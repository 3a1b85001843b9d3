// What an edit means: which names came, went or changed, what was renamed, in which function it happened.

import { clip } from "../../../domain/plain-text.ts";
import { declaredName, declaredNames, fileKind, testTitle } from "./declarations.ts";
import type { FileChange } from "./patch.ts";

export interface ChangedSymbols {
  added: string[];
  removed: string[];
  /** Declared before and after, by a line that differs. */
  changed: string[];
  /** The declaration that the change stands in. */
  within: string | null;
  renamed: { from: string; to: string } | null;
  /** A single line that became another, both short enough to be read. */
  replaced: { from: string; to: string } | null;
  /** Titles of added tests. */
  tests: string[];
}

/** The names that `change` touches. */
export function changedSymbols(change: FileChange): ChangedSymbols {
  const kind = fileKind(change.path);
  const before = declaredNames(change.removed.slice(0, maxLines), kind, maxNames);
  const after = declaredNames(change.added.slice(0, maxLines), kind, maxNames);
  const renamed = change.kind === "update" ? renaming(change) : null;
  const tests = kind === "test" || kind === "code" ? addedTests(change) : [];
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
    changed: after.filter((name) => before.includes(name)),
    within: enclosing(change),
    renamed,
    replaced: renamed === null ? replacement(change) : null,
    tests,
  };
}

function addedTests({ added, removed }: FileChange): string[] {
  const gone = new Set(removed.slice(0, maxLines).map(testTitle));
  const titles = new Set<string>();
  for (const line of added.slice(0, maxLines)) {
    const title = testTitle(line);
    if (title !== null && !gone.has(title)) titles.add(title);
    if (titles.size === 6) break;
  }
  return [...titles];
}

function enclosing(change: FileChange): string | null {
  const kind = fileKind(change.path);
  if (kind === "config" || kind === "docs") return null;
  for (let index = change.context.length - 1; index >= 0; index -= 1) {
    const name = declaredName(change.context[index] ?? "", kind);
    if (name !== null) return name;
  }
  return null;
}

/**
 * One identifier became another and nothing else changed. Said only of what stands in every changed line, so that a
 * changed value is not taken for a new name.
 */
function renaming({ added, removed }: FileChange): { from: string; to: string } | null {
  if (added.length === 0 || added.length !== removed.length || added.length > maxRenameLines) return null;
  let from: string | undefined;
  let to: string | undefined;
  for (const [index, line] of removed.entries()) {
    const olds = line.split(identifierEdges);
    const news = (added[index] ?? "").split(identifierEdges);
    if (olds.length !== news.length) return null;
    for (const [place, old] of olds.entries()) {
      const now = news[place] ?? "";
      if (old === now) continue;
      from ??= old;
      to ??= now;
      if (old !== from || now !== to) return null;
    }
  }
  if (from === undefined || to === undefined || !renamable.test(from) || !renamable.test(to)) return null;
  return isDeclaredOrRepeated(from, removed) ? { from, to } : null;
}

// `limit` to `offset` in one call is another argument; a new name shows in a declaration, an import or in many places.
function isDeclaredOrRepeated(name: string, lines: readonly string[]): boolean {
  let places = 0;
  for (const line of lines) {
    if (declaringLine.test(line) && line.includes(name)) return true;
    if (line.includes(name)) places += 1;
  }
  return places > 1;
}

function replacement({ kind, added, removed }: FileChange): { from: string; to: string } | null {
  if (kind !== "update" || added.length !== 1 || removed.length !== 1) return null;
  const from = (removed[0] ?? "").trim();
  const to = (added[0] ?? "").trim();
  if (from === "" || to === "" || from === to) return null;
  return { from: clip(from, 140), to: clip(to, 140) };
}

const maxLines = 600;
const maxNames = 12;
const maxRenameLines = 60;
const identifierEdges = /([A-Za-z_$][\w$]*)/;
const renamable = /^[A-Za-z_$][\w$]{2,}$/;
const declaringLine =
  /\b(?:function|class|interface|type|enum|struct|trait|def|func|fn|fun|const|let|var|val|import|export|from|use)\b/;
