// Which observations hang together with some raw events: read from those outwards, never the whole session.
import type { PairingOld } from "../../core/records/pair-drafts.ts";
import type { Session } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";

interface SourceRow {
  id: number;
  source: number;
  title: string;
  is_statement: 0 | 1;
  is_kept: 0 | 1;
}

/** The session's own observations that share a source with `ids`, and those that share one with them, until none is new. */
export function createSharingSources(db: Sqlite): (session: Session, ids: readonly number[]) => PairingOld[] {
  const sourcesAround = db.prepare<{ ids: string; sdk: string }, SourceRow>(
    `select o.id, s.raw_event_id as source, o.title, o.said_by is not null as is_statement,
       o.said_by is not null
         and (o.standing = 1 or o.pinned = 1 or o.status <> 'active' or o.generator = 'manual') as is_kept
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

  return (session, ids) => {
    const found = new Map<number, PairingOld & { sources: number[] }>();
    const seen = new Set(ids);
    for (let edge = [...ids]; edge.length > 0; ) {
      const rows = sourcesAround.all({ ids: JSON.stringify(edge), sdk: session.sdk_session_id });
      edge = [];
      for (const { source, ...row } of rows) {
        const each = found.get(row.id) ?? pairingOf(row);
        if (!each.sources.includes(source)) each.sources.push(source);
        found.set(row.id, each);
        if (seen.has(source)) continue;
        seen.add(source);
        edge.push(source);
      }
    }
    return [...found.values()];
  };
}

function pairingOf({ id, title, is_statement, is_kept }: Omit<SourceRow, "source">) {
  return { id, title, isStatement: is_statement === 1, isKept: is_kept === 1, sources: [] as number[] };
}
