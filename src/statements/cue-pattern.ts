// One pattern for a class of wording in several languages.

/** One pattern of whole words, and of runs in scripts without spaces. */
export function cueOf({ words, runs }: { words: string; runs: string }): RegExp {
  const list = words.replace(/\s*\n\s*/g, "").replace(/\|$/, "");
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])|(?:${runs})`, "iu");
}
