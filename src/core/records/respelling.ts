// The notes of a search on words that no record has.

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
