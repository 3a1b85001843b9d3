// Private tags: text between them never reaches the disk, a provider or another device.
import { type Edit, editPieces, joinPieces, pieceStarts, spreadEdits } from "./pieces.ts";
import { contextTag, openerEnd, privateName, type Tags, tagBoundary, tagsOf } from "./tag-forms.ts";

/**
 * The text without what private and context tags hide, and without the tags. Nested, crossing and unclosed tags hide
 * on the safe side: text is kept only where no tag of any name is open.
 *
 * A tag counts however it got here: as HTML entity (`&lt;private&gt;`), as an escape of JSON or of a script, percent-encoded,
 * full-width, with zero-width characters or colours in it, with signs behind its name (`<private:x>`, `<private=1>`). A
 * name that goes on is another word: `<privateKey>`, `<private-label>`, `<private.x>`.
 *
 * A stray end of our own block hides what stands before it: the block's beginning was cut off.
 */
export function stripPrivate(text: string): string {
  return hideOne(text, { mayBeCut: true }).text;
}

/** The pieces of a text that is split over several, and how far a tag reaches that has no other half. */
export interface Pieces {
  texts: readonly string[];
  /** By piece: the pieces that an unclosed tag hides the rest of. */
  scopes: readonly Scope[];
  /** Pieces that may be a text without what stands between them. */
  columns: readonly (readonly number[])[];
}

export interface Scope {
  first: number;
  end: number;
}

/**
 * `stripPrivate` of several texts as one. A tag is closed by any later piece, and a tag may be split itself. One that is
 * never closed hides to the end of its piece's scope, not of all: it may only be mentioned, in one record of many.
 */
export function stripPrivatePieces(pieces: Pieces): readonly string[] {
  return hide(pieces, { mayBeCut: true }).texts;
}

/** What is left of a user's prompt, and whether the user took the whole of it off the record. */
export interface StrippedPrompt {
  text: string;
  /**
   * True when a private tag hid something and nothing but white space is left. Injected blocks alone do not: no user
   * asked for silence with them.
   */
  isPrivate: boolean;
}

/**
 * `stripPrivate` of what a user wrote: nothing is cut off there, so that a beginning or an end of a context block without
 * the other hides nothing. What is private without an end hides the rest.
 */
export function stripPrivatePrompt(prompt: string): StrippedPrompt {
  const { text, hidPrivate } = hideOne(prompt, { mayBeCut: false });
  return { text, isPrivate: hidPrivate && text.trim() === "" };
}

/** True when the user took the whole prompt off the record. */
export function isEntirelyPrivate(prompt: string): boolean {
  return stripPrivatePrompt(prompt).isPrivate;
}

// As the block is written: of anything shorter, like one that a person typed, the text before is kept.
const wholeOwnName = new RegExp(`^${contextTag}-[0-9a-f]{8}$`);

// Taking a tag out can join its neighbours into a new one (`<pri</private>vate>`), so the result is looked at again.
// Only a text built to do so needs more passes than this; it ends at its first remaining tag.
const maxPasses = 4;

interface HowCut {
  /** The text may begin or end inside of a block. */
  mayBeCut: boolean;
}

interface Hidden {
  texts: readonly string[];
  /** Whether a private tag was opened; one that could not be looked for to the end counts as one. */
  hidPrivate: boolean;
}

function hideOne(text: string, how: HowCut): { text: string; hidPrivate: boolean } {
  const { texts, hidPrivate } = hide({ texts: [text], scopes: [{ first: 0, end: 1 }], columns: [] }, how);
  return { text: texts[0] ?? "", hidPrivate };
}

function hide({ texts, scopes, columns }: Pieces, how: HowCut): Hidden {
  let left = texts;
  let hidPrivate = false;
  for (let pass = 0; ; pass++) {
    const joined = joinPieces(left, tagBoundary);
    const tags = tagsOf(joined);
    const inColumns = hiddenInColumns(left, columns);
    const first = tags.starts[0] ?? inColumns[0]?.start;
    if (first === undefined) return { texts: left, hidPrivate };
    if (pass === maxPasses) {
      const rest = { start: first, end: joined.length, text: "" };
      return { texts: editPieces(left, [rest]), hidPrivate: true };
    }
    hidPrivate ||= tags.names.some((name, tag) => name === privateName && opens(tags, tag));
    const hidden = how.mayBeCut ? hiddenBy(tags, reachIn(left, scopes)) : hiddenInPrompt(tags, joined);
    left = editPieces(left, merged(hidden, inColumns));
  }
}

// What is hidden where each column is a text, as it stands in the joined form of all pieces.
function hiddenInColumns(texts: readonly string[], columns: Pieces["columns"]): Edit[] {
  const hidden: Edit[] = [];
  const starts = columns.length === 0 ? [] : pieceStarts(texts);
  for (const column of columns) {
    const ofColumn = column.map((piece) => texts[piece] ?? "");
    const tags = tagsOf(joinPieces(ofColumn, tagBoundary));
    if (tags.starts.length === 0) continue;
    const scopes = column.map((_, piece) => ({ first: piece, end: piece + 1 }));
    for (const { piece, start, end } of spreadEdits(ofColumn, hiddenBy(tags, reachIn(ofColumn, scopes)))) {
      const at = starts[column[piece] ?? 0] ?? 0;
      hidden.push({ start: at + start, end: at + end, text: "" });
    }
  }
  return hidden.sort((a, b) => a.start - b.start);
}

function merged(hidden: Edit[], others: readonly Edit[]): Edit[] {
  if (others.length === 0) return hidden;
  const all: Edit[] = [];
  for (const { start, end } of [...hidden, ...others].sort((a, b) => a.start - b.start))
    addHidden(all, start, end);
  return all;
}

// Where the scope of what stands at a place begins and ends. Asked from the beginning of a text to its end.
type Reach = (at: number) => { start: number; end: number };

function reachIn(texts: readonly string[], scopes: readonly Scope[]): Reach {
  const starts = pieceStarts(texts);
  let piece = 0;
  return (at) => {
    while ((starts[piece + 1] ?? Number.POSITIVE_INFINITY) <= at) piece++;
    const { first, end } = scopes[piece] ?? { first: piece, end: piece + 1 };
    return { start: starts[first] ?? 0, end: (starts[end] ?? 0) - 1 };
  };
}

function hiddenBy(tags: Tags, reach: Reach): Edit[] {
  const { starts, ends, names, kinds } = tags;
  const partners = partnersOf(tags);
  const hidden: Edit[] = [];
  for (const [tag, start] of starts.entries()) {
    const end = ends[tag] ?? start;
    const partner = partners[tag] ?? none;
    if (opens(tags, tag)) {
      addHidden(hidden, start, partner === none ? Math.max(end, reach(start).end) : (ends[partner] ?? end));
      continue;
    }
    const isHidden = start < (hidden.at(-1)?.end ?? 0);
    // The end of an injected block whose beginning was cut off: all before it stood in the block.
    const hidesBack =
      kinds[tag] === "closes" && partner === none && !isHidden && wholeOwnName.test(names[tag] ?? "");
    addHidden(hidden, hidesBack ? reach(start).start : start, end);
  }
  return hidden;
}

// Of a context block that begins and never ends, or ends and never began, the tag alone goes.
function hiddenInPrompt(tags: Tags, prompt: string): Edit[] {
  const { starts, ends, names } = tags;
  const partners = partnersOf(tags);
  const hidden: Edit[] = [];
  for (const [tag, start] of starts.entries()) {
    const end = ends[tag] ?? start;
    const partner = partners[tag] ?? none;
    if (!opens(tags, tag)) addHidden(hidden, start, end);
    else if (partner !== none) addHidden(hidden, start, ends[partner] ?? end);
    else addHidden(hidden, start, names[tag] === privateName ? prompt.length : openerEnd(prompt, end));
  }
  return hidden;
}

const none = -1;

function opens({ kinds }: Tags, tag: number): boolean {
  return kinds[tag] === "opens" || kinds[tag] === "may open";
}

// The other half of each tag that has one. Of two beginnings and one end the second beginning is nearer to the end. What
// may be no tag gets an end that no other needs.
function partnersOf(tags: Tags): Int32Array {
  const partners = new Int32Array(tags.kinds.length).fill(none);
  pairUp(tags, partners, (kind) => kind === "opens");
  if (tags.kinds.includes("may open")) pairUp(tags, partners, (kind) => kind === "may open");
  return partners;
}

function pairUp({ names, kinds }: Tags, partners: Int32Array, isOpener: (kind: string) => boolean): void {
  const open = new Map<string, number[]>();
  for (const [tag, kind] of kinds.entries()) {
    if (partners[tag] !== none) continue;
    const name = names[tag] ?? "";
    const ofName = open.get(name) ?? [];
    if (isOpener(kind) && ofName.push(tag) === 1) open.set(name, ofName);
    const opener = kind === "closes" ? ofName.pop() : undefined;
    if (opener === undefined) continue;
    partners[tag] = opener;
    partners[opener] = tag;
  }
}

// Tags come by where they stand; what begins earlier takes in what it covers.
function addHidden(hidden: Edit[], start: number, end: number): void {
  let last = hidden.at(-1);
  if (last === undefined || last.end < start) {
    hidden.push({ start, end, text: "" });
    return;
  }
  last.end = Math.max(last.end, end);
  for (let before = hidden.at(-2); before !== undefined && before.end >= start; before = hidden.at(-2)) {
    before.end = last.end;
    hidden.pop();
    last = before;
  }
  last.start = Math.min(last.start, start);
}
