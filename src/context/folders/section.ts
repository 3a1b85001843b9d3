// Our section in a context file: put in, replaced, and taken out so that every other byte of the file stays as it is.

/** What the section is between, on lines of their own. The word behind the first says what was there before it. */
const begin = /<!-- mem folder context begins \((own|line|none)\) -->/;
const end = "<!-- mem folder context ends -->";

/**
 * What was there before the section: no file (`own`), a last line without its end, to which the section added one
 * (`line`), or whole lines (`none`).
 */
type Before = "own" | "line" | "none";

/** A file that cannot be changed safely, and why. */
export interface Unsafe {
  unsafe: string;
}

/** The file with `lines` in our section; `file` null means there is none. */
export function withSection(file: Buffer | null, lines: readonly string[]): Buffer | Unsafe {
  if (file === null) return Buffer.from(`${sectionText("own", lines, "\n")}\n`);
  const found = findSection(file);
  if ("unsafe" in found) return found;
  const eol = eolOf(file);
  if (found.at === null) {
    const before = file.length === 0 || file.at(-1) === lineFeed ? "none" : "line";
    // Behind a bare carriage return a line feed would be taken for the half of an end, and both be taken out again.
    const gap = before === "none" ? "" : file.at(-1) === carriageReturn ? "\r\n" : eol;
    return Buffer.concat([file, Buffer.from(`${gap}${sectionText(before, lines, eol)}${eol}`)]);
  }
  const { from, to, before } = found.at;
  const section = Buffer.from(sectionText(before, lines, eol));
  return Buffer.concat([file.subarray(0, from), section, file.subarray(to)]);
}

/** The file as it would be had we never written into it; null when there would be none. */
export function withoutSection(file: Buffer): Buffer | Unsafe | null {
  const found = findSection(file);
  if ("unsafe" in found) return found;
  if (found.at === null) return file;
  const { from, to, before } = found.at;
  const rest = file.subarray(to + eolLengthAt(file, to));
  const kept = file.subarray(0, from);
  // What somebody wrote behind our section must not run into the line before it.
  const gap = before === "line" && rest.length === 0 ? eolLengthBefore(file, from) : 0;
  const left = Buffer.concat([kept.subarray(0, kept.length - gap), rest]);
  return left.length === 0 && before === "own" ? null : left;
}

/** True when our section stands in the file. */
export function hasSection(file: Buffer): boolean {
  const found = findSection(file);
  return "at" in found && found.at !== null;
}

interface Section {
  from: number;
  to: number;
  before: Before;
}

// latin1 has one character per byte: positions in the text are positions in the file, whatever its letters are.
function findSection(file: Buffer): { at: Section | null } | Unsafe {
  if (file.includes(0)) return { unsafe: "it is not a text in UTF-8" };
  const text = file.toString("latin1");
  const opened = begin.exec(text);
  const endAt = text.indexOf(end);
  if (opened === null && endAt < 0) return { at: null };
  const from = opened?.index ?? -1;
  const to = endAt + end.length;
  const isOnce =
    opened !== null &&
    endAt > from &&
    text.indexOf(end, to) < 0 &&
    !begin.test(text.slice(from + opened[0].length));
  const isAlone = isLineStart(text, from) && isLineStart(text, endAt) && isLineEnd(text, to);
  if (!isOnce || !isAlone) return { unsafe: "the marks around our section are damaged" };
  return { at: { from, to, before: (opened?.[1] ?? "none") as Before } };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n" || (at === 3 && text.startsWith("\u00ef\u00bb\u00bf"));
}

function isLineEnd(text: string, at: number): boolean {
  return at === text.length || text[at] === "\n" || text.startsWith("\r\n", at);
}

function eolOf(file: Buffer): string {
  const at = file.indexOf(lineFeed);
  return at > 0 && file[at - 1] === 0x0d ? "\r\n" : "\n";
}

function eolLengthAt(file: Buffer, at: number): number {
  if (file[at] === lineFeed) return 1;
  return file[at] === 0x0d && file[at + 1] === lineFeed ? 2 : 0;
}

function eolLengthBefore(file: Buffer, at: number): number {
  if (file[at - 1] !== lineFeed) return 0;
  return file[at - 2] === 0x0d ? 2 : 1;
}

function sectionText(before: Before, lines: readonly string[], eol: string): string {
  return [`<!-- mem folder context begins (${before}) -->`, ...lines, end].join(eol);
}
