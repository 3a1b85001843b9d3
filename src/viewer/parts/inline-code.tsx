// Texts of records with what stands in backticks shown as code. Text content only: nothing else of Markdown counts.
import type { ComponentChildren } from "preact";

interface InlineCodeProps {
  text: string;
  /** Renders each piece; as it is when left out. */
  shown?: ((piece: string) => ComponentChildren) | undefined;
}

/** On one line, in titles and rows. */
export function InlineCode({ text, shown = (piece) => piece }: InlineCodeProps) {
  return (
    <>
      {spansOf(text).map(({ at, code, plain }) =>
        code === null ? (
          shown(plain)
        ) : (
          <code key={at} class="code">
            {shown(code)}
          </code>
        ),
      )}
    </>
  );
}

/** A text of several lines: a fenced block stands on its own. */
export function BlockCode({ text }: { text: string }) {
  return (
    <>
      {blocksOf(text).map(({ at, code, plain }) =>
        code === null ? (
          <InlineCode key={at} text={plain} />
        ) : (
          <code key={at} class="code block">
            {code}
          </code>
        ),
      )}
    </>
  );
}

// A run of backticks ends at a run of the same length; code has no line end.
const span = /(?<!`)(`+)(?!`)(?<code>[^\n]{0,500}?[^`\n])\1(?!`)/g;

interface Piece {
  /** Its place in the text. */
  at: number;
  code: string | null;
  plain: string;
}

function spansOf(text: string): Piece[] {
  if (!text.includes("`")) return [{ at: 0, code: null, plain: text }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(span)) {
    if (match.index > end) pieces.push({ at: end, code: null, plain: text.slice(end, match.index) });
    // One space at both ends lets code begin with a backtick.
    const code = (match.groups?.code ?? "").replace(/^ (.*[^ ].*) $/, "$1");
    pieces.push({ at: match.index, code, plain: "" });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ at: end, code: null, plain: withoutCutCode(text.slice(end)) });
  return pieces;
}

// Code that the end of a cut title left open is plain text.
function withoutCutCode(rest: string): string {
  return rest.endsWith("…") ? rest.replace(/`+(?=[^`\n]*$)/, "") : rest;
}

/** Fenced blocks and the text between them: each opening line ends at the next line of as many backticks alone. */
export function blocksOf(text: string): Piece[] {
  if (!text.includes("```")) return [{ at: 0, code: null, plain: text }];
  const lines = text.split("\n");
  const closings = closingLines(lines);
  const pieces: Piece[] = [];
  let plain: string[] = [];
  const endPlain = (at: number, end: string) => {
    if (plain.length > 0) pieces.push({ at, code: null, plain: plain.join("\n") + end });
    plain = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const closing = closings[at];
    if (closing === undefined) {
      plain.push(lines[at] ?? "");
      continue;
    }
    endPlain(at - 1, "\n");
    pieces.push({ at, code: lines.slice(at + 1, closing).join("\n"), plain: "" });
    at = closing;
  }
  endPlain(lines.length, "");
  return pieces;
}

/** For each line that opens a block, the line that closes it. Read from the end, in one pass. */
function closingLines(lines: readonly string[]): (number | undefined)[] {
  const nextOf = new Map<number, number>();
  const closings: (number | undefined)[] = lines.map(() => undefined);
  for (let at = lines.length - 1; at >= 0; at--) {
    const [, run, more = ""] = /^(`{3,})([^`]*)$/.exec(lines[at] ?? "") ?? [];
    if (run === undefined) continue;
    closings[at] = nextOf.get(run.length);
    if (more.trim() === "") nextOf.set(run.length, at);
  }
  return closings;
}
