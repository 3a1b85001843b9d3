// A section of ours in a text file of the user, between two marks: inserted, replaced and removed without changing any other
// byte.

/** What the section followed: `own` no file; `line` a last line without a line end, which we added; `none` whole lines. */
type Before = "own" | "line" | "none";

/** Why a file cannot be changed safely. */
export interface Unsafe {
  unsafe: string;
}

export interface MarkedSection {
  /** The file with `lines` in the section; `file` is null without a file. */
  withSection(file: Buffer | null, lines: readonly string[]): Buffer | Unsafe;
  /** The file without the section; null when only the section was in it. */
  withoutSection(file: Buffer): Buffer | Unsafe | null;
  hasSection(file: Buffer): boolean;
}

/** The section named `name`, as in `<!-- mem <name> begins (own) -->`. */
export function markedSection(name: string): MarkedSection {
  const marks: Marks = {
    begin: new RegExp(`<!-- mem ${name} begins \\((own|line|none)\\) -->`),
    end: `<!-- mem ${name} ends -->`,
  };
  const textOf = (before: Before, lines: readonly string[], eol: string): string =>
    [`<!-- mem ${name} begins (${before}) -->`, ...lines, marks.end].join(eol);
  return {
    withSection(file, lines) {
      if (file === null) return Buffer.from(`${textOf("own", lines, "\n")}\n`);
      const found = findSection(file, marks);
      if ("unsafe" in found) return found;
      const eol = eolOf(file);
      if (found.at === null) {
        const before = file.length === 0 || file.at(-1) === lineFeed ? "none" : "line";
        // A line feed behind a bare carriage return would read as one line end, and removal would delete both.
        const gap = before === "none" ? "" : file.at(-1) === carriageReturn ? "\r\n" : eol;
        return Buffer.concat([file, Buffer.from(`${gap}${textOf(before, lines, eol)}${eol}`)]);
      }
      const { from, to, before } = found.at;
      const section = Buffer.from(textOf(before, lines, eol));
      return Buffer.concat([file.subarray(0, from), section, file.subarray(to)]);
    },
    withoutSection: (file) => without(file, findSection(file, marks)),
    hasSection(file) {
      const found = findSection(file, marks);
      return "at" in found && found.at !== null;
    },
  };
}

/** On separate lines around the section. The word in the first one is a `Before`. */
interface Marks {
  begin: RegExp;
  end: string;
}

type Found = { at: Section | null } | Unsafe;

function without(file: Buffer, found: Found): Buffer | Unsafe | null {
  if ("unsafe" in found) return found;
  if (found.at === null) return file;
  const { from, to, before } = found.at;
  const rest = file.subarray(to + eolLengthAt(file, to));
  const kept = file.subarray(0, from);
  // Text behind our section must not join the line before it.
  const gap = before === "line" && rest.length === 0 ? eolLengthBefore(file, from) : 0;
  const left = Buffer.concat([kept.subarray(0, kept.length - gap), rest]);
  return left.length === 0 && before === "own" ? null : left;
}

interface Section {
  from: number;
  to: number;
  before: Before;
}

// latin1 has one character per byte, so positions in the text are positions in the file.
function findSection(file: Buffer, { begin, end }: Marks): Found {
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
  return at > 0 && file[at - 1] === carriageReturn ? "\r\n" : "\n";
}

function eolLengthAt(file: Buffer, at: number): number {
  if (file[at] === lineFeed) return 1;
  return file[at] === carriageReturn && file[at + 1] === lineFeed ? 2 : 0;
}

function eolLengthBefore(file: Buffer, at: number): number {
  if (file[at - 1] !== lineFeed) return 0;
  return file[at - 2] === carriageReturn ? 2 : 1;
}
