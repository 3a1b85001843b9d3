// How much a random or repeated test does: a tenth, all with MEM_FUZZ=full, and a multiple with MEM_FUZZ=<factor>.

const { MEM_FUZZ: named = "0.1" } = process.env;
const share = named === "full" ? 1 : Number(named);
if (!(share > 0)) throw new Error(`MEM_FUZZ=${named}: use \`full\`, or a factor such as 20`);

/** The share of `full` that this run does: a whole number, at least `least`. */
export function volume(full: number, least = 1): number {
  return Math.max(least, Math.ceil(full * share));
}

/** All in full, else every n-th from `turn` on: turns in a row try them all. */
export function someOf<T>(all: readonly T[], turn: number, least = 1): T[] {
  const parts = Math.ceil(all.length / volume(all.length, least));
  return all.filter((_, at) => (at + turn) % parts === 0);
}
