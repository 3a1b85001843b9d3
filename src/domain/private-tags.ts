// Private tags: what stands between them never reaches the disk, a provider or another device.

/**
 * The text without what private and context tags hide, and without the tags. Nested, crossing and unclosed tags hide
 * on the safe side: text is kept only where no tag of any name is open. Applies to decoded text: tags written as HTML
 * entities, and a pair whose halves stand in two messages or two string leaves, are not seen.
 *
 * A stray end of our own block hides what stands before it: the block's beginning was cut off.
 */
export function stripPrivate(text: string): string {
  return hide(text, { mayBeCut: true }).text;
}

/**
 * The same for what a user wrote: nothing is cut off there, so that a beginning or an end of a context block without the
 * other hides nothing. What is private without an end hides the rest.
 */
export function stripPrivatePrompt(prompt: string): string {
  return hide(prompt, { mayBeCut: false }).text;
}

/**
 * True when a private tag hid something and nothing but white space is left: the user took the whole prompt off the
 * record. Injected blocks alone do not: no user asked for silence with them.
 */
export function isEntirelyPrivate(prompt: string): boolean {
  const { text, hidPrivate } = hide(prompt, { mayBeCut: false });
  return hidPrivate && text.trim() === "";
}

/** The name of the block around what is injected; the block's own name has a hash of its content behind it. */
export const contextTag = "mem-context";

// What a user writes, then our own injected block and its look-alikes: what was injected must not be recorded again.
const privateName = "private";
const names = [privateName, contextTag, "claude-mem-context", "hook_context"];

// Our own block with the hash in its name, which may have been cut anywhere. Each hash is a name of its own, so that a
// record inside the block cannot close it.
const ownBlock = `${contextTag}-[0-9a-f]{0,32}(?![\\w-])`;

// As the block is written: of anything shorter, like one that a person typed, the text before is kept.
const wholeOwnName = new RegExp(`^${contextTag}-[0-9a-f]{8}$`, "i");

// An opener needs no `>`: whatever follows its name is hidden anyway. Every part is bounded or ends at the next `<`,
// an unbounded one took 112 s on 1.6 MB of `<private`.
const tag = new RegExp(`<\\s{0,200}(/\\s{0,200})?((?:${names.join("|")})(?=[\\s/<>]|$)|${ownBlock})`, "gi");
const restOfOpener = /\s{0,200}>/y;
const restOfCloser = /[^<>]{0,200}>/y;
const restOfEmpty = /(?:[^<>"']|"[^"<>]{0,200}"|'[^'<>]{0,200}'){0,200}\/>/y;

// Taking a tag out can join its neighbours into a new one (`<pri</private>vate>`), so the result is looked at again.
// Only a text built to do so needs more passes than this; it ends at its first remaining tag.
const maxPasses = 4;

interface Hidden {
  text: string;
  /** Whether a private tag was opened; one that could not be looked for to the end counts as one. */
  hidPrivate: boolean;
}

interface HowCut {
  /** The text may begin or end inside of a block. */
  mayBeCut: boolean;
}

function hide(text: string, how: HowCut): Hidden {
  if (!text.includes("<")) return { text, hidPrivate: false };
  let left = text;
  let hidPrivate = false;
  for (let pass = 0; pass < maxPasses; pass++) {
    const scanned = hideOnce(left, how);
    hidPrivate ||= scanned.hidPrivate;
    if (scanned.text === left) return { text: left, hidPrivate };
    left = scanned.text;
  }
  const next = left.search(tag);
  return next < 0 ? { text: left, hidPrivate } : { text: left.slice(0, next), hidPrivate: true };
}

function hideOnce(text: string, { mayBeCut }: HowCut): Hidden {
  const depths = new Map<string, number>();
  const alone = mayBeCut ? new Set<number>() : unclosedBlocks(text);
  let open = 0;
  let hidPrivate = false;
  let kept = "";
  let keptFrom = 0;
  for (const { index, end, name, closes, opens } of tagsOf(text)) {
    if (open === 0) kept += text.slice(keptFrom, index);
    keptFrom = end;
    if (alone.has(index)) {
      keptFrom = pastItsEnd(text, end);
      continue;
    }
    const depth = depths.get(name) ?? 0;
    // The end of an injected block whose beginning was cut off: all before it stood in the block.
    if (open === 0 && closes && mayBeCut && wholeOwnName.test(name)) kept = "";
    const change = closes ? (depth > 0 ? -1 : 0) : opens ? 1 : 0;
    depths.set(name, depth + change);
    open += change;
    hidPrivate ||= change > 0 && name === privateName;
  }
  return { text: open === 0 ? kept + text.slice(keptFrom) : kept, hidPrivate };
}

/** Where context blocks begin that never end. Of two of one name the first is alone: the second is nearer to the end. */
function unclosedBlocks(text: string): Set<number> {
  const begun = new Map<string, number[]>();
  for (const { index, name, closes, opens } of tagsOf(text)) {
    if (name === privateName) continue;
    const ofName = begun.get(name) ?? [];
    begun.set(name, ofName);
    if (closes) ofName.pop();
    else if (opens) ofName.push(index);
  }
  return new Set([...begun.values()].flat());
}

function pastItsEnd(text: string, at: number): number {
  restOfOpener.lastIndex = at;
  return restOfOpener.test(text) ? restOfOpener.lastIndex : at;
}

interface Tag {
  index: number;
  end: number;
  /** In lower case. */
  name: string;
  closes: boolean;
  opens: boolean;
}

function* tagsOf(text: string): Generator<Tag> {
  const find = new RegExp(tag);
  for (let found = find.exec(text); found !== null; found = find.exec(text)) {
    const { index } = found;
    const [{ length }, slash, name = ""] = found;
    const closes = slash !== undefined;
    const end = tagEnd(text, index + length, { closes, name });
    if (end === undefined) continue;
    find.lastIndex = end.at;
    yield { index, end: end.at, name: name.toLowerCase(), closes, opens: !closes && end.opens };
  }
}

function isOwnBlock(name: string): boolean {
  return name.length > contextTag.length && name.toLowerCase().startsWith(`${contextTag}-`);
}

// A closer that never ends is no closer: what is open stays open. Our own block is never empty: a `/>` behind its cut
// name belongs to what was injected.
function tagEnd(
  text: string,
  at: number,
  { closes, name }: { closes: boolean; name: string },
): { at: number; opens: boolean } | undefined {
  if (!closes && isOwnBlock(name)) return { at, opens: true };
  const rest = closes ? restOfCloser : restOfEmpty;
  rest.lastIndex = at;
  if (rest.test(text)) return { at: rest.lastIndex, opens: false };
  return closes ? undefined : { at, opens: true };
}
