// The note of a search that replaced an unknown word.
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

const notePattern = /^No record has `([^`]+)`; searched for `([^`]+)`\.$/;
