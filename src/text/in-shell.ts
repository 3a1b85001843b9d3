// A path or name as one word of a POSIX shell.

/** Quoted where it has to be. */
export function inShell(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
