// Compiles lists of wording into patterns.

interface Wording {
  /** Alternatives of whole words, separated by `|`; line ends are ignored and `~` stands for the rest of a word. */
  words?: string;
  /** Alternatives for scripts without spaces: Chinese and Japanese. */
  runs?: string;
}

/** One pattern for a class of wording in several languages. `\p{L}` and `\w` are letters of any alphabet with spaces. */
export function cueOf({ words, runs }: Wording, lead = ""): RegExp {
  const whole =
    words === undefined ? [] : [`(?<![${letters}0-9])(?:${alternativesOf(words)})(?![${letters}0-9])`];
  const parts = runs === undefined ? [] : [`(?:${alternativesOf(runs)})`];
  return new RegExp(withRanges(`${lead}(?:${[...whole, ...parts].join("|")})`), "i");
}

export function removing(cue: RegExp, text: string): string {
  return text.replace(new RegExp(cue.source, "gi"), " ");
}

function alternativesOf(list: string): string {
  return list
    .replace(/\s*\n\s*/g, "")
    .replace(/\|$/, "")
    .replaceAll("~", "\\p{L}*");
}

// Named ranges without the Unicode flag: \p{L} takes ten times as long to compile and to match.
const letters = "a-zß-öø-ɏа-яё";

function withRanges(source: string): string {
  return source.replace(/\[\^?[^\]]*\]|\\p\{L\}|\\w/g, (found) => {
    const ranges = found.replaceAll("\\p{L}", letters).replaceAll("\\w", `${letters}0-9_`);
    return found.startsWith("[") ? ranges : `[${ranges}]`;
  });
}
