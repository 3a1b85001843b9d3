// The hits of a search, which come in a list for each kind of record, as one list.

interface Hit {
  rank?: number | undefined;
  created_at_epoch?: number | undefined;
}

/** A list for each kind of record, each in its order. */
export interface KindLists<O, S = O, P = O> {
  observations: O[];
  sessions: S[];
  prompts: P[];
}

export type FoundHit<O, S = O, P = O> =
  | { kind: "observation"; found: O }
  | { kind: "session"; found: S }
  | { kind: "prompt"; found: P };

/** Best first, newest first without ranks; of equal hits observations come first and prompts last. */
export function oneList<O extends Hit, S extends Hit, P extends Hit>(
  lists: KindLists<O, S, P>,
): FoundHit<O, S, P>[] {
  const all: FoundHit<O, S, P>[] = [
    ...lists.observations.map((found) => ({ kind: "observation" as const, found })),
    ...lists.sessions.map((found) => ({ kind: "session" as const, found })),
    ...lists.prompts.map((found) => ({ kind: "prompt" as const, found })),
  ];
  return all.sort(
    ({ found: a }, { found: b }) =>
      (a.rank ?? 0) - (b.rank ?? 0) || (a.rank === undefined ? timeOf(b) - timeOf(a) : 0),
  );
}

/** The same hits in a list for each kind. */
export function listsOf<O, S, P>(hits: readonly FoundHit<O, S, P>[]): KindLists<O, S, P> {
  return {
    observations: hits.flatMap((one) => (one.kind === "observation" ? [one.found] : [])),
    sessions: hits.flatMap((one) => (one.kind === "session" ? [one.found] : [])),
    prompts: hits.flatMap((one) => (one.kind === "prompt" ? [one.found] : [])),
  };
}

function timeOf({ created_at_epoch = 0 }: Hit): number {
  return created_at_epoch;
}
