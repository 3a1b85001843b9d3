// One pattern for a class of wording in several languages.

/**
 * One pattern of whole words, and of runs in scripts without spaces. `\w` in `words` is a letter of any script: to a
 * regular expression alone it is one of English.
 */
export function cueOf({ words, runs }: { words: string; runs: string }): RegExp {
  const list = words
    .replace(/\s*\n\s*/g, "")
    .replace(/\|$/, "")
    .replaceAll("\\w", "[\\p{L}\\p{N}_]");
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])|(?:${runs})`, "iu");
}
