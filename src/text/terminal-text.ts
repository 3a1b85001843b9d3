// Stored text for a terminal: removes what could move the cursor, change colors or reorder letters.

/** The text without control characters, escape sequences and bidirectional or invisible marks; keeps tab and newline. */
export function terminalText(text: string): string {
  return text
    .replace(sequences, "")
    .replace(/\r\n|[\u2028\u2029]/g, "\n")
    .replace(unprintable, "");
}

/** `terminalText` on one line, white space collapsed. */
export function terminalLine(text: string): string {
  return terminalText(text).replace(/\s+/g, " ").trim();
}

/** Columns that the text takes on a terminal: wide letters and emoji two, combining marks none. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const letter of lettersOf(text)) width += letterWidth(letter);
  return width;
}

/** The text cut to `columns`, with an ellipsis when something was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 0;
  let cut = "";
  for (const letter of lettersOf(text)) {
    width += letterWidth(letter);
    if (width > columns - 1) break;
    cut += letter;
  }
  return columns < 1 ? "" : `${cut.trimEnd()}…`;
}

/** The text filled with spaces up to `columns`. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** The text as lines of at most `columns`, broken between words; a longer word stays whole. */
export function wrapToWidth(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && displayWidth(line) + 1 + displayWidth(word) > columns) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** A list line wrapped to `columns`, with the following lines indented below the text, not below the mark. */
export function wrapListLine(line: string, columns: number): string[] {
  const [, indent = "", mark = ""] = /^( *)(- )?/.exec(line) ?? [];
  const below = indent + " ".repeat(mark.length);
  const parts = wrapToWidth(line.slice(below.length), Math.max(20, columns - below.length));
  return parts.map((part, index) => `${index === 0 ? indent + mark : below}${part}`);
}

// CSI, then the sequences that carry a string (OSC, DCS, SOS, PM, APC) up to their end or the next escape, then the
// two-letter ones. Every part excludes the escape that could start the next: linear on any input.
const sequences = new RegExp(
  [
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?",
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)?",
    "\\x1b[ -/]*[0-Z\\\\^-~]?",
  ].join("|"),
  "g",
);

// C0 but tab and newline, DEL, C1; bidi controls; zero-width space, word joiner, BOM; the tag block.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking control characters out is what this is for
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text as letters: an emoji of several characters is one, as in \u{1f469}\u200d\u{1f467}, a flag or a skin tone. */
export function lettersOf(text: string): Iterable<string> {
  if (!joined.test(text)) return text;
  clusters ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return [...clusters.segment(text)].flatMap(({ segment }) =>
    isJoinedEmoji(segment) ? [segment] : [...segment],
  );
}

const plain = /^[ -~]*$/;
// Made at first use, since it takes 10 ms.
let clusters: Intl.Segmenter | undefined;
const joined = /[\u200d\u20e3\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;

function isJoinedEmoji(letter: string): boolean {
  return letter.length > 1 && joined.test(letter) && emoji.test(letter);
}

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20e3/u;

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

function letterWidth(letter: string): number {
  if (isJoinedEmoji(letter)) return 2;
  if (letter < "\u0300") return 1;
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}
