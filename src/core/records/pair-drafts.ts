// Which old observation a new draft takes the place of, and which messages have to be made again together.

import type { DraftObservation } from "./drafts.ts";

/** An observation that may be replaced, and the raw events it was made of. */
export interface PairingOld {
  id: number;
  sources: readonly number[];
  title: string;
  isStatement: boolean;
  /** Only a draft with the same title takes its place: a rule that stands, or a statement that the user has judged or edited. */
  isKept: boolean;
}

type PairingDraft = Pick<DraftObservation, "sources" | "title" | "statement">;

/** The old observations that give way to the drafts. A statement gives way to statements only, an account to accounts. */
export function replacedBy(drafts: readonly PairingDraft[], old: readonly PairingOld[]): PairingOld[] {
  return old.filter((each) => drafts.some((draft) => sharedSources(draft, each) > 0));
}

/**
 * Draft index to the id of the old observation whose place it takes: one that it shares a source with, first the one with
 * its title, then the one with most in common. A draft without an entry is new, an old one without a draft is surplus.
 */
export function pairDrafts(drafts: readonly PairingDraft[], old: readonly PairingOld[]): Map<number, number> {
  const candidates = drafts.flatMap((draft, index) =>
    old.flatMap((each) => {
      const shared = sharedSources(draft, each);
      const onlyOne = each.sources.length + draft.sources.length - 2 * shared;
      // All statements of a turn share one source: only the title tells which is which.
      const sameTitle = Number(each.title === draft.title);
      return shared === 0 ? [] : [{ index, id: each.id, shared, onlyOne, sameTitle }];
    }),
  );
  candidates.sort(
    (a, b) =>
      b.sameTitle - a.sameTitle ||
      b.shared - a.shared ||
      a.onlyOne - b.onlyOne ||
      a.index - b.index ||
      a.id - b.id,
  );
  const pairs = new Map<number, number>();
  const taken = new Set<number>();
  for (const { index, id } of candidates) {
    if (pairs.has(index) || taken.has(id)) continue;
    pairs.set(index, id);
    taken.add(id);
  }
  return pairs;
}

// 0 where the draft cannot take the place of the old one.
function sharedSources(draft: PairingDraft, old: PairingOld): number {
  const isSameSort = old.isStatement === (draft.statement !== undefined);
  if (!isSameSort || (old.isKept && old.title !== draft.title)) return 0;
  return draft.sources.filter((source) => old.sources.includes(source)).length;
}

/** `ids` and every source that stands with one of them in an observation, in order: what cannot be made again apart. */
export function madeTogether(ids: readonly number[], old: readonly Pick<PairingOld, "sources">[]): number[] {
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
