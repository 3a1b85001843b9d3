// Plain text for people: no control characters, no escape codes, bounded length.

/** `text` without escape codes, control and invisible formatting characters; line breaks and tabs stay. */
export function plain(text: string): string {
  if (!unprintable.test(text)) return text;
  return text.replace(lineBreaks, "\n").replace(escapeCodes, "").replace(everyUnprintable, neededJoiner);
}

/**
 * For `replace`: keeps a joiner between letters of a script that needs it and between parts of an emoji, and the selector
 * behind an emoji. Elsewhere they are invisible, and could hide words from a reader.
 */
export function neededJoiner(char: string, at: number, text: string): string {
  const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + 1, at + 3)];
  if (char === "\ufe0f") return /\p{Emoji}$/u.test(before) ? char : "";
  const isJoiner = char === "\u200c" || char === "\u200d";
  return isJoiner && joinedEnd.test(before) && joinedStart.test(after) ? char : "";
}

const joined =
  "(?:(?!\\p{Script=Latin})[\\p{L}\\p{M}]|[\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}])";
const joinedEnd = new RegExp(`${joined}$`, "u");
const joinedStart = new RegExp(`^${joined}`, "u");

/** `text` on one line, at most `max` characters, cut at a word where one ends near. */
export function oneLine(text: string, max: number): string {
  // White space collapses, so a window larger than `max` is read.
  return clip(
    plain(text.slice(0, max * 4 + 200))
      .replace(whitespace, " ")
      .trim(),
    max,
  );
}

/** `text` cut to `max` characters with an ellipsis, never through a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  let cut = text.slice(0, max - 1);
  const space = cut.lastIndexOf(" ");
  if (space > max * 0.75) cut = cut.slice(0, space);
  const last = cut.charCodeAt(cut.length - 1);
  if (last >= 0xd800 && last <= 0xdbff) cut = cut.slice(0, -1);
  return `${cut.trimEnd()}…`;
}

/** Head and tail of a long text, cut at line ends. */
export function headAndTail(text: string, headChars: number, tailChars: number): string {
  if (text.length <= headChars + tailChars) return text;
  const head = text.slice(0, headChars);
  const tail = text.slice(-tailChars);
  const headEnd = head.lastIndexOf("\n");
  const tailStart = tail.indexOf("\n");
  return `${headEnd > 0 ? head.slice(0, headEnd) : head}\n${tailStart >= 0 ? tail.slice(tailStart + 1) : tail}`;
}

/** The first line with a letter or digit, or the empty string. */
export function firstLine(text: string): string {
  for (const line of text.slice(0, 4_000).split("\n")) {
    if (wordCharacter.test(line)) return line.trim();
  }
  return "";
}

/** "1 file", "3 files". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** "a, b and 3 more": names joined, the first `shown` of them. */
export function listed(names: readonly string[], shown: number): string {
  if (names.length <= shown) return names.join(", ");
  return `${names.slice(0, shown).join(", ")} and ${names.length - shown} more`;
}

/** The path relative to `cwd` if it is inside; only the tail of a long path. */
export function shownPath(path: string, cwd: string | null): string {
  const inside = relativeTo(path, cwd);
  if (inside.length <= 70) return inside;
  const tail = inside.slice(-66);
  const start = tail.search(separator);
  return `…${start >= 0 && start < tail.length - 1 ? tail.slice(start) : tail}`;
}

function relativeTo(path: string, cwd: string | null): string {
  if (cwd === null || cwd.length < 2) return path;
  if (path === cwd) return ".";
  const root = separator.test(cwd.slice(-1)) ? cwd : `${cwd}${cwd.includes("\\") ? "\\" : "/"}`;
  return path.startsWith(root) && path.length > root.length ? path.slice(root.length) : path;
}

// Everything but what may be printed, written as what is kept: controls, bidirectional and zero-width marks fall out.
const kept = "\\n\\t -~\\u00a0-\\u200a\\u2010-\\u2027\\u202f-\\u205f\\u206a-\\ufefe\\uff00-\\uffff";
const unprintable = new RegExp(`[^${kept}]`);
const everyUnprintable = new RegExp(`[^${kept}]`, "g");
// A control character followed by the shape of an ANSI sequence (CSI) or of a window title (OSC).
const escapeCodes = new RegExp(
  `[^${kept}](?:\\[[0-?]*[ -/]*[@-~]|\\][^${"\\n"}\\u0007]{0,200}\\u0007|[()][0-9A-B])`,
  "g",
);
const lineBreaks = /\r\n?|[\u2028\u2029]/g;
const whitespace = /\s+/g;
const wordCharacter = /[\p{L}\p{N}]/u;
const separator = /[\\/]/;
