// How a private or context tag may be written: plain, encoded by a host, or with characters in it that nobody sees.

/** The name of the tag that a user writes. */
export const privateName = "private";

/** The name of the block around injected context; the block's own name has a hash of its content behind it. */
export const contextTag = "mem-context";

/**
 * Stands between two texts that are looked at as one. Invisible like those that may stand anywhere in a tag, so a tag
 * that is split over both texts is one.
 */
export const tagBoundary = "\u2060";

/** Tags of a text in order, a list for each property: an object for each took most of the time of a text full of them. */
export interface Tags {
  starts: number[];
  /** Of an opener the end of its name: whatever follows it is hidden anyway. */
  ends: number[];
  /** In lower case, without what is invisible. */
  names: string[];
  kinds: TagKind[];
}

type TagKind = "opens" | "closes" | "empty";

// Injected blocks of others are not recorded again either.
const names = [privateName, contextTag, "claude-mem-context", "hook_context"];

// Zero-width and bidirectional marks, variation selectors, control characters.
const unseen =
  "\\0-\\x08\\x0e-\\x1a\\x1c-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb";
// Of two characters and more: tag characters, terminal colours (`grep --color` puts them around a word it found).
const unseenRun = "\\udb40[\\udc00-\\udfff]|\\x1b\\[[\\d;]{0,20}[A-Za-z]";
const invisible = `(?:[${unseen}]|${unseenRun}){0,8}`;
const gap = `(?:[\\s${unseen}]|${unseenRun}){0,200}`;

// A sign as itself, as an HTML entity, as an escape of JSON or of a script, percent-encoded; encoded again, it has more
// backslashes in front.
function sign(plain: string, entity: string, code: number): string {
  const hex = code.toString(16);
  return `(?:[${plain}]|&(?:amp;){0,3}(?:${entity}|#0{0,5}${code}|#x0{0,5}${hex});?|\\\\(?:u00${hex}|u\\{0{0,4}${hex}\\}|x${hex})|%(?:25){0,3}${hex})`;
}

const less = sign("<＜﹤", "lt", 0x3c);
const greater = `\\\\{0,8}${sign(">＞﹥", "gt", 0x3e)}`;
const slash = `\\\\{0,8}${sign("/／⁄∕", "sol", 0x2f)}`;

// What may follow a name. A name that goes on with a letter, a digit, - _ . is another word (<privateKey>,
// <private-label>), and a list of choices is none (<private|public>). Behind other signs it has to end like a tag.
const odd = `[:=!#;?*+~@([{](?:(?!${less})[^<>\\n]){0,200}?${greater}`;
const nameEnd = `$|[\\s/／⁄∕<>＜＞﹤﹥${unseen}\\x1b\\udb40]|&(?:amp;){0,3}(?:[lg]t|sol|nbsp|#)|\\\\{1,8}(?:[nrtfv/]|u00|u\\{|x[23])|%(?:25){0,3}(?:20|0[9ad]|3[ce]|2f)|${odd}`;

const spelledNames = names.map((name) => [...name].map(letterOf).join(invisible)).join("|");
// Our own block with the hash in its name, which may have been cut anywhere. Each hash is a name of its own, so that a
// record inside the block cannot close it.
const spelledBlock = `${[...contextTag, "-"].map(letterOf).join(invisible)}(?:${invisible}[0-9a-f]){0,32}(?![\\w-])`;

// ASCII letters also have a full-width form.
function letterOf(letter: string): string {
  return `[${letter.replace("-", "\\-")}${String.fromCharCode(letter.charCodeAt(0) + 0xfee0)}]`;
}

// Every part is bounded or ends at the next `<`: an unbounded one took 112 s on 1.6 MB of `<private`.
const head = `${less}${gap}(${slash}${gap})?((?:${spelledNames})(?=${nameEnd})|${spelledBlock})`;
// Nearly every tag is written plainly, which is tried first.
const anyHead = new RegExp(`</?(?:${names.join("|")})(?=${nameEnd})|${head}`, "gi");
const writtenHead = new RegExp(head, "gi");
const restOfOpener = new RegExp(`${gap}${greater}`, "iy");
const restOfCloser = new RegExp(`(?:[^<>＜﹤&\\\\%]|(?!${less})[&\\\\%]){0,200}?${greater}`, "iy");
const restOfEmpty = new RegExp(
  `(?:[^<>＜＞﹤﹥"'&\\\\%/／⁄∕]|(?!${less}|${greater}|${slash}${greater})[&\\\\%/／⁄∕]|"[^"<>]{0,200}"|'[^'<>]{0,200}'){0,200}${slash}${greater}`,
  "iy",
);

export function tagsOf(text: string): Tags {
  const tags: Tags = { starts: [], ends: [], names: [], kinds: [] };
  let from = 0;
  anyHead.lastIndex = from;
  while (anyHead.test(text)) {
    const nameEnd = anyHead.lastIndex;
    const { start, name, closes } = plainHead(text, nameEnd) ?? nextHead(text, from);
    const end = tagEnd(text, nameEnd, { closes, name });
    from = end ?? nameEnd;
    anyHead.lastIndex = from;
    // A closer that never ends is no closer: what is open stays open.
    if (closes && end === undefined) continue;
    tags.starts.push(start);
    tags.ends.push(from);
    tags.names.push(name);
    tags.kinds.push(closes ? "closes" : end === undefined ? "opens" : "empty");
  }
  return tags;
}

/** Where an opener ends whose name ends at `at`; at its name when nothing ends it. */
export function openerEnd(text: string, at: number): number {
  restOfOpener.lastIndex = at;
  return restOfOpener.test(text) ? restOfOpener.lastIndex : at;
}

interface Head {
  start: number;
  name: string;
  closes: boolean;
}

// The head that ends at `end`, if it is written plainly.
function plainHead(text: string, end: number): Head | undefined {
  for (const name of names) {
    const nameStart = end - name.length;
    if (nameStart < 1 || !text.startsWith(name, nameStart)) continue;
    const before = text.charCodeAt(nameStart - 1);
    if (before === 0x3c) return { start: nameStart - 1, name, closes: false };
    if (before === 0x2f && text.charCodeAt(nameStart - 2) === 0x3c)
      return { start: nameStart - 2, name, closes: true };
  }
  return undefined;
}

function nextHead(text: string, from: number): Head {
  writtenHead.lastIndex = from;
  const found = writtenHead.exec(text);
  return { start: found?.index ?? from, name: plainName(found?.[2] ?? ""), closes: found?.[1] !== undefined };
}

const invisibles = new RegExp(`[${unseen}]|${unseenRun}`, "gi");

function plainName(written: string): string {
  const lower = written.toLowerCase();
  return /^[\w-]+$/.test(lower) ? lower : lower.replace(invisibles, "").normalize("NFKC");
}

// Where a closer or an empty tag ends. Our own block is never empty: a `/>` behind its cut name belongs to what was
// injected.
function tagEnd(
  text: string,
  at: number,
  { closes, name }: { closes: boolean; name: string },
): number | undefined {
  if (text.charCodeAt(at) === 0x3e) return closes ? at + 1 : undefined;
  if (!closes && name.startsWith(`${contextTag}-`)) return undefined;
  const rest = closes ? restOfCloser : restOfEmpty;
  rest.lastIndex = at;
  return rest.test(text) ? rest.lastIndex : undefined;
}
