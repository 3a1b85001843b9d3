// The note of a search that read an unknown word as a known one.

export interface Respelling {
  /** The word that no record has. */
  word: string;
  /** The nearest word that a record has. */
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
