// One pattern for a class of wording in several languages.

/**
 * One pattern of whole words, and of runs in scripts without spaces. `\w` in `words` is a letter of any alphabet: to a
 * regular expression alone it is one of English.
 */
export function cueOf({ words, runs }: { words: string; runs: string }): RegExp {
  const list = words
    .replace(/\s*\n\s*/g, "")
    .replace(/\|$/, "")
    .replaceAll("\\w", `[${letters}_]`);
  return new RegExp(`(?<![${letters}])(?:${list})(?![${letters}])|(?:${runs})`, "i");
}

/** The text without what the pattern of `cueOf` finds in it. */
export function removing(cue: RegExp, text: string): string {
  return text.replace(new RegExp(cue.source, "gi"), " ");
}

// Named ranges without the Unicode flag: \p{L} takes ten times as long to compile and to match.
const letters = "a-z0-9à-öø-ɏа-я";
