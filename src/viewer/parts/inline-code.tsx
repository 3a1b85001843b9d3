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
      {piecesOf(text, span).map(({ at, code, plain }) =>
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
      {piecesOf(text, fence).map(({ at, code, plain }) =>
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
const fence = /^(`{3,})[^`\n]*\n(?<code>[\s\S]*?)\n?^\1[ \t]*$\n?/gm;

interface Piece {
  /** Its place in the text. */
  at: number;
  code: string | null;
  plain: string;
}

function piecesOf(text: string, pattern: RegExp): Piece[] {
  if (!text.includes("`")) return [{ at: 0, code: null, plain: text }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) pieces.push({ at: end, code: null, plain: text.slice(end, match.index) });
    // One space at both ends lets code begin with a backtick.
    const code = (match.groups?.code ?? "").replace(/^ (.*[^ ].*) $/, "$1");
    pieces.push({ at: match.index, code, plain: "" });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ at: end, code: null, plain: text.slice(end) });
  return pieces;
}
