// Which lines of a file are comments, by the marks that most languages share.
import { posix } from "node:path";

/** `prose`: `#` begins a heading, not a comment. */
export type FileKind = "prose" | "config" | "code";

export function kindOfFile(path: string): FileKind {
  const name = posix.basename(path.replaceAll("\\", "/")).toLowerCase();
  const extension = /\.([^.]+)$/.exec(name)?.[1] ?? "";
  if (proseNames.test(extension)) return "prose";
  return configNames.test(extension) || name.startsWith(".env") ? "config" : "code";
}

const proseNames = /^(?:md|mdx|markdown|rst|adoc|asciidoc|txt|tex|org|html?)$/;
const configNames = /^(?:jsonc?|json5|ya?ml|toml|ini|cfg|conf|env|properties)$/;

/** True when every line is blank or a comment. */
export function isOnlyComments(lines: readonly string[], path: string): boolean {
  const kind = kindOfFile(path);
  let closer: string | null = null;
  for (const line of lines) {
    const text = line.trim();
    if (closer !== null) {
      const end = text.indexOf(closer);
      if (end < 0) continue;
      if (text.slice(end + closer.length).trim() !== "") return false;
      closer = null;
      continue;
    }
    const block = blocks.find(([opener]) => text.startsWith(opener));
    if (block !== undefined && (kind !== "prose" || block[0] === "<!--")) {
      const end = text.indexOf(block[1], block[0].length);
      if (end < 0) closer = block[1];
      else if (text.slice(end + block[1].length).trim() !== "") return false;
    } else if (text !== "" && (kind === "prose" || !lineComment.test(text))) {
      return false;
    }
  }
  return closer === null;
}

/** True for one line that is a comment as a whole, or blank. */
export function isCommentLine(line: string, path: string): boolean {
  return isOnlyComments([line], path);
}

const blocks = [
  ["/*", "*/"],
  ["<!--", "-->"],
] as const;
// `#include` and `#id {` are code, so a word must be apart from `#`.
const lineComment = /^(?:\/\/|#(?:[\s!#]|$)(?!\s*(?:include|define|ifn?def|endif|pragma|undef)\b)|--\s|;)/;
