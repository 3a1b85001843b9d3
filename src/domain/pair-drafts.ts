// Which old observation a new draft takes the place of, and which messages have to be made again together.

/** An observation that may be replaced, and the raw events it was made of. */
export interface PairingOld {
  id: number;
  sources: readonly number[];
}

/**
 * Draft index to the id of the old observation whose place it takes: one that it shares a source with, the one with most
 * in common first. A draft without an entry is new, an old one without a draft is surplus.
 */
export function pairDrafts(
  drafts: readonly { sources: readonly number[] }[],
  old: readonly PairingOld[],
): Map<number, number> {
  const candidates = drafts.flatMap((draft, index) =>
    old.flatMap(({ id, sources }) => {
      const shared = draft.sources.filter((source) => sources.includes(source)).length;
      const onlyOne = sources.length + draft.sources.length - 2 * shared;
      return shared === 0 ? [] : [{ index, id, shared, onlyOne }];
    }),
  );
  candidates.sort((a, b) => b.shared - a.shared || a.onlyOne - b.onlyOne || a.index - b.index || a.id - b.id);
  const pairs = new Map<number, number>();
  const taken = new Set<number>();
  for (const { index, id } of candidates) {
    if (pairs.has(index) || taken.has(id)) continue;
    pairs.set(index, id);
    taken.add(id);
  }
  return pairs;
}

/** `ids` and every source that stands with one of them in an observation, in order: what cannot be made again apart. */
export function madeTogether(ids: readonly number[], old: readonly PairingOld[]): number[] {
  const together = new Set(ids);
  let grew = true;
  while (grew) {
    const before = together.size;
    for (const { sources } of old) {
      if (sources.some((source) => together.has(source))) for (const source of sources) together.add(source);
    }
    grew = together.size > before;
  }
  return [...together].sort((a, b) => a - b);
}
