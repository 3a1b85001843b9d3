// Deletes copies of withdrawn records: in the trash, and texts of injections that show them.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

interface Withdrawn {
  /** Ids of the raw events. */
  events: readonly number[];
  /** Ids of records that were made from them. */
  observations: readonly number[];
  summaries: readonly number[];
}

/** Ids as JSON arrays. */
interface Lists {
  [name: string]: string;
  events: string;
  observations: string;
  summaries: string;
}

const listed = (name: keyof Lists) => `(select value from json_each(@${name}))`;

/** Runs in the transaction of the withdrawal; in the trash are also records that the user deleted before. */
export function createDropCopies(db: Sqlite): (withdrawn: Withdrawn) => void {
  const sql = createSql(db);
  const made = createMadeInTrash(db);
  const dropTexts = createDropTexts(db);
  // Deleted alone, or edited.
  const dropEntries = sql.run<[Lists]>(
    `delete from trash
     where (kind = 'observation' and record_id in ${listed("observations")})
       or (kind = 'summary' and record_id in ${listed("summaries")})
       or (kind in ('observation', 'summary') and id in (
         select trash_id
         from trash_rows
         where place = 'events' and row_id is not null and row_id in ${listed("events")}))`,
  );
  // Of a session or of another record.
  const dropRows = sql.run<[Lists]>(
    `delete from trash_rows
     where case place
       when 'raw_events' then row_id in ${listed("events")}
       when 'pending_messages' then row_id in ${listed("events")}
       when 'events' then row_id in ${listed("events")}
       when 'turn_ends' then row_id in ${listed("events")}
       when 'observations' then row_id in ${listed("observations")}
       when 'session_summaries' then row_id in ${listed("summaries")}
       when 'observation_sources' then content ->> '$.observation_id' in ${listed("observations")}
       when 'fix_commands' then content ->> '$.observation_id' in ${listed("observations")}
       when 'observation_blobs' then content ->> '$.observation_id' in ${listed("observations")}
       when 'replaced' then content ->> '$.superseded_by' in ${listed("observations")}
     end`,
  );
  return ({ events, ...live }) => {
    const { observations, summaries } = made(JSON.stringify(events));
    const all = {
      observations: [...live.observations, ...observations],
      summaries: [...live.summaries, ...summaries],
    };
    const lists = {
      events: JSON.stringify(events),
      observations: JSON.stringify(all.observations),
      summaries: JSON.stringify(all.summaries),
    };
    dropTexts([...all.observations.map(String), ...all.summaries.map((id) => `S${id}`)]);
    dropEntries(lists);
    dropRows(lists);
  };
}

/** Ids of records in the trash that were made from these raw events. */
function createMadeInTrash(db: Sqlite) {
  const sql = createSql(db);
  const observations = sql.values<[events: string], number>(
    `select distinct content ->> '$.observation_id'
     from trash_rows
     where case place
       when 'observation_sources' then content ->> '$.raw_event_id' in (select value from json_each(?))
     end`,
  );
  const summaries = sql.values<[events: string], number>(
    `select row_id
     from trash_rows
     where place = 'session_summaries' and row_id is not null
       and content ->> '$.generation_key' in (select value || ':0' from json_each(?))`,
  );
  return (events: string) => ({ observations: observations(events), summaries: summaries(events) });
}

/** Deletes texts of injections that show one of these records, in the log and in the trash. */
function createDropTexts(db: Sqlite): (names: readonly string[]) => void {
  const sql = createSql(db);
  const logged = sql.values<[names: string], number>(
    `select distinct i.id
     from json_each(?) n
     cross join injections i on instr(i.records, ',' || n.value || ',') > 0`,
  );
  // Of deleted sessions.
  const deleted = sql.values<[names: string], number>(
    `select distinct r.row_id
     from json_each(?) n
     cross join trash_rows r on r.place = 'injections' and r.row_id is not null
       and instr(r.content ->> '$.records', ',' || n.value || ',') > 0`,
  );
  const drop = sql.run<[ids: string]>(
    "delete from injection_texts where injection_id in (select value from json_each(?))",
  );
  const dropKept = sql.run<[ids: string]>(
    `delete from trash_rows
     where place = 'injection_texts' and row_id is not null and row_id in (select value from json_each(?))`,
  );
  return (names) => {
    if (names.length === 0) return;
    const list = JSON.stringify(names);
    const ids = JSON.stringify([...logged(list), ...deleted(list)]);
    drop(ids);
    dropKept(ids);
  };
}
