// Several texts scanned as one: joined by a boundary character, with edits mapped back to their texts.

/** A part of the joined text and what replaces it. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** One text of several, `boundary` (one character) between two. */
export function joinPieces(texts: readonly string[], boundary: string): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.join(boundary);
}

/**
 * The texts after `edits` of their joined form, sorted and without overlap. An edit over several texts leaves its
 * replacement in the first one.
 */
export function editPieces(texts: readonly string[], edits: readonly Edit[]): string[] {
  let next = 0;
  let start = 0;
  return texts.map((text) => {
    const end = start + text.length;
    let edited = "";
    let from = start;
    for (let edit = edits[next]; edit !== undefined && edit.start <= end; edit = edits[next]) {
      if (edit.start >= start) edited += text.slice(from - start, edit.start - start) + edit.text;
      from = Math.min(edit.end, end);
      if (edit.end > end) break;
      next++;
    }
    const result = from === start && edited === "" ? text : edited + text.slice(from - start);
    start = end + 1;
    return result;
  });
}

/** The offset of each text in the joined form, and the end. */
export function pieceStarts(texts: readonly string[]): number[] {
  const starts = [0];
  let start = 0;
  for (const text of texts) {
    start += text.length + 1;
    starts.push(start);
  }
  return starts;
}

/** The ranges of each text that edits of the joined form cover. */
export function spreadEdits(
  texts: readonly string[],
  edits: readonly Edit[],
): { piece: number; start: number; end: number }[] {
  const parts: { piece: number; start: number; end: number }[] = [];
  let next = 0;
  let at = 0;
  for (const [piece, { length }] of texts.entries()) {
    for (let edit = edits[next]; edit !== undefined && edit.start < at + length; edit = edits[next]) {
      const start = Math.max(edit.start - at, 0);
      const end = Math.min(edit.end - at, length);
      if (end > start) parts.push({ piece, start, end });
      if (edit.end > at + length) break;
      next++;
    }
    at += length + 1;
  }
  return parts;
}
