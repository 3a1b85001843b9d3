// The terms of observations, as the ranking reads them.
import {
  codesOfPacked,
  packTerms,
  type RecordTerms,
  type TermSource,
  unpackTerms,
} from "../../core/records/record-terms.ts";
import type { ObservationStatus } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";

/** The columns of an observation that the ranking reads. */
export interface Known {
  created_at_epoch: number;
  status: ObservationStatus;
  project: string;
  obs_type: string;
  routine: 0 | 1;
  terms: RecordTerms;
}

export function createKnownTerms(db: Sqlite) {
  const load = createLoad(db);
  const make = createMake(db);
  return {
    /** In the order of the ids; undefined for a missing record. */
    of(ids: readonly number[]): (Known | undefined)[] {
      const loaded = load(ids);
      return ids.map((id) => loaded.get(id) ?? make(id));
    },
  };
}

/** All rows in one: their columns as JSON, their terms concatenated. */
interface Rows {
  figures: string;
  terms: Uint8Array | null;
}

type Figures = [
  id: number,
  bytes: number,
  created_at_epoch: number,
  status: ObservationStatus,
  project: string,
  obs_type: string,
  routine: 0 | 1,
];

function createLoad(db: Sqlite): (ids: readonly number[]) => ReadonlyMap<number, Known> {
  // One result row: a row and a buffer for each took three times as long, and as much garbage collection again. Only columns
  // stored before the texts are read.
  const load = db.prepare<[string], Rows>(
    `select
       json_group_array(json_array(
         t.observation_id, length(t.terms), t.created_at_epoch, r.status, r.project, r.obs_type,
         r.routine)) as figures,
       cast(group_concat(t.terms, '') as blob) as terms
     from json_each(?) one
     cross join observation_terms t on t.observation_id = one.value
     cross join observations r on r.id = t.observation_id`,
  );
  return (ids) => {
    const rows = load.get(JSON.stringify(ids));
    const loaded = new Map<number, Known>();
    if (rows === undefined || rows.terms === null) return loaded;
    const codes = codesOfPacked(rows.terms);
    let from = 0;
    const figures = JSON.parse(rows.figures) as Figures[];
    for (const [id, bytes, created_at_epoch, status, project, obs_type, routine] of figures) {
      const end = from + bytes / codes.BYTES_PER_ELEMENT;
      const terms = unpackTerms(codes, from, end);
      loaded.set(id, { created_at_epoch, status, project, obs_type, routine, terms });
      from = end;
    }
    return loaded;
  };
}

type Source = TermSource & Omit<Known, "terms">;

// Computes the terms of a record from an older version.
function createMake(db: Sqlite): (id: number) => Known | undefined {
  const source = db.prepare<[number], Source>(
    `select title, subtitle, summary, narrative, facts, files_touched, generator, created_at_epoch, status, project,
       obs_type, routine
     from observations
     where id = ?`,
  );
  return (id) => {
    const record = source.get(id);
    if (record === undefined) return undefined;
    const { created_at_epoch, status, project, obs_type, routine } = record;
    const terms = unpackTerms(codesOfPacked(packTerms(record)));
    return { created_at_epoch, status, project, obs_type, routine, terms };
  };
}
