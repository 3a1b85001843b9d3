// Spellings of private and context tags: plain, encoded by a host, or with invisible characters inside.

/** The name of the user's tag. */
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

// The name of what may open goes on behind something invisible or in the next text: `<private`, then `er>` or `why=1>`.
type TagKind = "opens" | "may open" | "closes" | "empty";

// Injected blocks of others are not recorded again either.
const names = [privateName, contextTag, "claude-mem-context", "hook_context"];

// Zero-width and bidirectional marks, variation selectors, control characters.
const unseen =
  "\\0-\\x08\\x0e-\\x1a\\x1c-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb";
// Of two characters and more: tag characters, terminal colours (`grep --color` puts them around a word it found).
const unseenRun = "\\udb40[\\udc00-\\udfff]|\\x1b\\[[\\d;]{0,20}[A-Za-z]";
const invisible = `(?:[${unseen}]|${unseenRun}){0,64}`;
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
// Our own block with the hash in its name, which may have been cut anywhere. Each hash is a separate name, so that a
// record inside the block cannot close it.
const spelledBlock = `${[...contextTag, "-"].map(letterOf).join(invisible)}(?:${invisible}[0-9a-f]){0,32}(?![\\w-])`;

// ASCII letters also have a full-width form.
function letterOf(letter: string): string {
  return `[${letter.replace("-", "\\-")}${String.fromCharCode(letter.charCodeAt(0) + 0xfee0)}]`;
}

// All names have one of these parts. To make the other patterns ready takes 5 ms, which a hook's fallback would pay for
// every event.
const loose = (part: string) => [...part].map(letterOf).join("[^a-zａ-ｚ]{0,128}");
const partOfName = new RegExp(
  `${loose(privateName)}|(?=[cｃ])(?<=[-_－＿][^a-zａ-ｚ]{0,128})${loose("context")}`,
  "i",
);

interface Forms {
  /** Up to the end of the name: what closes, then the name. */
  head: RegExp;
  /** Where a name goes on behind something invisible. */
  moreOfName: RegExp;
  restOfOpener: RegExp;
  restOfCloser: RegExp;
  restOfEmpty: RegExp;
  unseenRuns: RegExp;
}

let madeForms: Forms | undefined;

// Every part is bounded or ends at the next `<`: an unbounded one took 112 s on 1.6 MB of `<private`.
function forms(): Forms {
  madeForms ??= {
    head: new RegExp(
      `${less}${gap}(${slash}${gap})?(${spelledBlock}|(?:${names.join("|")}|${spelledNames})(?=${nameEnd}))`,
      "gi",
    ),
    moreOfName: new RegExp(`(?:[${unseen}]|${unseenRun}){1,64}[\\w.-]`, "iy"),
    restOfOpener: new RegExp(`${gap}${greater}`, "iy"),
    restOfCloser: new RegExp(`(?:[^<>＜﹤&\\\\%]|(?!${less})[&\\\\%]){0,200}?${greater}`, "iy"),
    restOfEmpty: new RegExp(
      `(?:[^<>＜＞﹤﹥"'&\\\\%/／⁄∕]|(?!${less}|${greater}|${slash}${invisible}${greater})[&\\\\%/／⁄∕]|"[^"<>]{0,200}"|'[^'<>]{0,200}'){0,200}${slash}${invisible}${greater}`,
      "iy",
    ),
    unseenRuns: new RegExp(unseenRun, "gi"),
  };
  return madeForms;
}

export function tagsOf(text: string): Tags {
  const tags: Tags = { starts: [], ends: [], names: [], kinds: [] };
  const plainNames = new Map<string, string>();
  if (!partOfName.test(text) && !text.includes("\x1b[")) return tags;
  const { head } = forms();
  let before = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const written = found[2] ?? "";
    const name = plainNames.get(written) ?? plainName(written);
    plainNames.set(written, name);
    const closes = found[1] !== undefined;
    const doubtful = goesOn(text, head.lastIndex);
    if (closes && doubtful) continue;
    const end = tagEnd(text, head.lastIndex, { closes, name });
    if (end !== undefined) head.lastIndex = end;
    // A closer that never ends is no closer: what is open stays open.
    else if (closes) continue;
    tags.starts.push(headStart(text, found.index, before));
    before = head.lastIndex;
    tags.ends.push(head.lastIndex);
    tags.names.push(name);
    tags.kinds.push(closes ? "closes" : end !== undefined ? "empty" : doubtful ? "may open" : "opens");
  }
  return tags;
}

function goesOn(text: string, at: number): boolean {
  const next = text.charCodeAt(at);
  if (next >= 0x20 && next < 0x7f) return false;
  const { moreOfName } = forms();
  moreOfName.lastIndex = at;
  return moreOfName.test(text);
}

// An escape that was escaped again has its backslashes in front of where it is recognized.
function headStart(text: string, at: number, from: number): number {
  if (text.charCodeAt(at) !== 0x5c) return at;
  let start = at;
  while (start > from && at - start < 8 && text.charCodeAt(start - 1) === 0x5c) start--;
  return start;
}

/** Where an opener ends whose name ends at `at`; at its name when nothing ends it. */
export function openerEnd(text: string, at: number): number {
  const { restOfOpener } = forms();
  restOfOpener.lastIndex = at;
  return restOfOpener.test(text) ? restOfOpener.lastIndex : at;
}

// A loop over the few characters takes a third of what replacing and normalizing them does.
function plainName(written: string): string {
  let name = "";
  for (const letter of written.includes("\x1b") ? written.replace(forms().unseenRuns, "") : written) {
    const code = letter.charCodeAt(0);
    const ascii = code > 0xff00 && code < 0xff5f ? code - 0xfee0 : code;
    if (ascii > 0x20 && ascii < 0x7f) name += String.fromCharCode(ascii);
  }
  return name.toLowerCase();
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
  const { restOfCloser, restOfEmpty } = forms();
  const rest = closes ? restOfCloser : restOfEmpty;
  rest.lastIndex = at;
  return rest.test(text) ? rest.lastIndex : undefined;
}
