// Random numbers that a seed brings back: a failing run prints its seed.
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
}

/** A small generator (mulberry32): fast, and the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick(values) {
      const value = values[Math.floor(next() * values.length)];
      if (value === undefined) throw new RangeError("nothing to pick from");
      return value;
    },
  };
}

/** The seed of this run: `MEM_TEST_SEED`, else a new one. */
export function testSeed(): number {
  const named = Number(process.env.MEM_TEST_SEED);
  return Number.isInteger(named) && named > 0 ? named : Math.floor(Math.random() * 2 ** 31) + 1;
}
