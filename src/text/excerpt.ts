// One-line excerpts for lists, previews and tables.

/** The beginning of `text` on one line, at most `maxChars` long, with an ellipsis when something is left out. */
export function excerpt(text: string, maxChars: number): string {
  // White space collapses, so a window of a few times the length fills the line.
  const window = text.slice(0, maxChars * 4 + 64);
  const line = window.replace(/\s+/g, " ").trim();
  if (line.length <= maxChars) return window.length < text.length ? `${cut(line, maxChars - 1)}…` : line;
  return `${cut(line, maxChars - 1)}…`;
}

// Never half a surrogate pair, and never white space before the ellipsis.
function cut(line: string, length: number): string {
  const code = line.charCodeAt(length - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? length - 1 : length;
  return line.slice(0, end).trimEnd();
}
