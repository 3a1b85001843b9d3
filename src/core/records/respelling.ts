// The notes of a search on words that no record has.
export interface Respelling {
  /** A word that no record has. */
  word: string;
  /** Its replacement. */
  near: string;
}

export function respellingNote({ word, near }: Respelling): string {
  return `No record has \`${word}\`; searched for \`${near}\`.`;
}

/** Null for any other note. */
export function respellingOf(note: string): Respelling | null {
  const [, word, near] = notePattern.exec(note) ?? [];
  return word === undefined || near === undefined ? null : { word, near };
}

/** Names words of the search that nothing was found for. */
export function unknownWordsNote(words: readonly string[], { hasOthers }: { hasOthers: boolean }): string {
  const named = words.map((word) => `\`${word}\``).join(", ");
  return `${noRecord} ${named}${hasOthers ? ": the results match the other words" : ""}.`;
}

/** True for a note that says which words were not found: it comes before the results. */
export function isOnUnknownWords(note: string): boolean {
  return note.startsWith(noRecord);
}

const noRecord = "No record has";
const notePattern = /^No record has `([^`]+)`; searched for `([^`]+)`\.$/;
