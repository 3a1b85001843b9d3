// Distance between words in typing errors, and the nearest of known names.

/**
 * The least number of letters to insert, remove, replace or swap with their neighbor; `most` + 1 means any higher
 * number. No letter is edited twice.
 */
export function editDistance(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1;
  let beforeThat: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeThat, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    if (Math.min(...current) > most) return most + 1;
    beforeThat = previous;
    previous = current;
  }
  return Math.min(at(previous, right.length), most + 1);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** The known name that was probably meant: it differs in a few letters, or one of both begins with the other. */
export function nearestName(wanted: string, known: readonly string[]): string | null {
  const word = wanted.toLowerCase();
  const most = Math.max(1, Math.floor(word.length / 3));
  const near = known.flatMap((name) => {
    const other = name.toLowerCase();
    const distance = isBeginning(word, other) ? 1 : editDistance(word, other, most);
    return distance <= most ? [{ name, distance }] : [];
  });
  return near.sort((left, right) => left.distance - right.distance)[0]?.name ?? null;
}

const leastBeginning = 3;

function isBeginning(word: string, other: string): boolean {
  if (Math.min(word.length, other.length) < leastBeginning) return word === other;
  return word.startsWith(other) || other.startsWith(word);
}
