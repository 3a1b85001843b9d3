// Text for the full-text index: the original, plus the words inside identifiers.
import { spaceCharacters } from "./unspaced.ts";

/**
 * `text` followed by the parts of its camelCase words, so that `parseConfig` is found by "parse config" as well.
 * Snake case, dots and paths need nothing: the tokenizer splits them itself. Characters of scripts without spaces are
 * set apart, so that any one or two of them are found.
 */
export function indexText(text: string): string {
  const parts = new Set<string>();
  for (const [word] of text.matchAll(wordPattern)) {
    for (const part of identifierParts(word)) parts.add(part);
  }
  const spaced = spaceCharacters(text);
  return parts.size === 0 ? spaced : `${spaced} ${[...parts].join(" ")}`;
}

/** The lower-case parts of a camelCase word (`HTTPServer2` is http, server2); empty when it is one word only. */
export function identifierParts(word: string): string[] {
  if (word.length > longestIdentifier || !camelPattern.test(word)) return [];
  return word
    .split(boundaryPattern)
    .filter((part) => part.length > 1)
    .map((part) => part.toLowerCase());
}

// Longer runs are encoded data that would only swell the index.
const longestIdentifier = 64;

// Runs of ASCII letters and digits: identifiers of real code; each pattern is linear in the text.
const wordPattern = /[A-Za-z0-9]+/g;
const camelPattern = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const boundaryPattern = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
