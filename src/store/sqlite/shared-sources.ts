// Observations that share raw events: which are replaced together, and by which drafts.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { Session } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";

/** An observation that may be replaced, and the raw events it was made from. */
export interface Replaceable {
  id: number;
  sources: readonly number[];
  title: string;
  isStatement: boolean;
  /** A standing rule, or a statement that the user reviewed or edited: only a draft with the same title replaces it. */
  isKept: boolean;
  /** Edited, accepted or deleted by the user: a draft that would replace it is left out. */
  isFixed: boolean;
}

type PairingDraft = Pick<DraftObservation, "sources" | "title" | "statement">;

/** The observations that at least one draft may replace. */
export function replacedBy(drafts: readonly PairingDraft[], old: readonly Replaceable[]): Replaceable[] {
  return old.filter((each) => drafts.some((draft) => sharedCount(draft, each) > 0));
}

/**
 * Draft index to the id of the observation it replaces: the one with its title first, then the one with most common
 * sources. A draft without an entry is new.
 */
export function pairDrafts(
  drafts: readonly PairingDraft[],
  old: readonly Replaceable[],
): Map<number, number> {
  const candidates = drafts.flatMap((draft, index) =>
    old.flatMap((each) => {
      const shared = sharedCount(draft, each);
      const onlyOne = each.sources.length + draft.sources.length - 2 * shared;
      // All statements of a turn share one source: only the title tells them apart.
      const sameTitle = Number(each.title === draft.title);
      const isFixed = Number(each.isFixed);
      return shared === 0 ? [] : [{ index, id: each.id, shared, onlyOne, sameTitle, isFixed }];
    }),
  );
  candidates.sort(
    (a, b) =>
      b.sameTitle - a.sameTitle ||
      a.isFixed - b.isFixed ||
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

// 0 where the draft may not replace the observation: statements and accounts of the work never replace each other.
function sharedCount(draft: PairingDraft, old: Replaceable): number {
  if (old.isStatement !== (draft.statement !== undefined)) return 0;
  if (old.isKept && old.title !== draft.title) return 0;
  return draft.sources.filter((source) => old.sources.includes(source)).length;
}

/** `ids` and every source that an observation joins to one of them, sorted: they are regenerated together. */
export function joinedSources(
  ids: readonly number[],
  old: readonly Pick<Replaceable, "sources">[],
): number[] {
  const joined = new Set(ids);
  for (let before = -1; before < joined.size; ) {
    before = joined.size;
    for (const { sources } of old)
      if (sources.some((source) => joined.has(source))) for (const source of sources) joined.add(source);
  }
  return [...joined].sort((a, b) => a - b);
}

interface SourceRow {
  id: number;
  source: number;
  title: string;
  is_statement: 0 | 1;
  is_kept: 0 | 1;
  is_fixed: 0 | 1;
}

export type SharedSources = ReturnType<typeof createSharedSources>;

/** Finds the session's own observations that share a source with `ids`, directly or through other observations. */
export function createSharedSources(db: Sqlite) {
  const sourcesAround = db.prepare<{ ids: string; sdk: string }, SourceRow>(
    `select o.id, s.raw_event_id as source, o.title, o.said_by is not null as is_statement,
       o.said_by is not null
         and (o.standing = 1 or o.pinned = 1 or o.status <> 'active' or o.generator = 'manual') as is_kept,
       o.generator = 'manual' or (o.standing = 1 and o.revision > 1 and o.generator = 'local') as is_fixed
     from (
       select distinct m.observation_id as id
       from json_each(@ids) i
       cross join observation_sources m on m.raw_event_id = i.value and m.cited = 0
     ) near
     cross join observations o on o.id = near.id
     cross join observation_sources s on s.observation_id = o.id and s.cited = 0
     where o.sdk_session_id = @sdk and o.origin_device_id is null
     order by o.id, s.raw_event_id`,
  );

  return (session: Session, ids: readonly number[]): Replaceable[] => {
    const found = new Map<number, Replaceable & { sources: number[] }>();
    const seen = new Set(ids);
    for (let edge = [...ids]; edge.length > 0; ) {
      const rows = sourcesAround.all({ ids: JSON.stringify(edge), sdk: session.sdk_session_id });
      edge = [];
      for (const { id, source, title, ...row } of rows) {
        const flags = {
          isStatement: row.is_statement === 1,
          isKept: row.is_kept === 1,
          isFixed: row.is_fixed === 1,
        };
        const each = found.get(id) ?? { id, title, ...flags, sources: [] };
        if (!each.sources.includes(source)) each.sources.push(source);
        found.set(id, each);
        if (seen.has(source)) continue;
        seen.add(source);
        edge.push(source);
      }
    }
    return [...found.values()];
  };
}
