// Texts that are looked at as one: joined with one character between two, and what is found put back where it stands.

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
 * The texts after `edits` of their joined form, which are in order and do not overlap. An edit that covers several texts
 * leaves its replacement in the first of them.
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
