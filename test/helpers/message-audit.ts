// What a database says about its messages, and whether that can be true.
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { Database } from "../../src/store/sqlite/library.ts";
import type { Sqlite } from "../../src/store/sqlite/open.ts";

export interface MessageAudit {
  /** Tool-use ids of the stored messages. */
  stored: ReadonlySet<string>;
  /** Messages that a generator holds. */
  processing: number;
  /** What contradicts itself: lost, doubled or uncounted messages, and damage to the file. Empty when all is well. */
  faults: string[];
}

/**
 * Reads a copy of the database (so that the worker itself gets the log of a killed one) and checks it against
 * `acknowledged`; with `pages` every page and index of the file too, which takes the longest.
 */
export function auditMessages(
  database: string,
  acknowledged: ReadonlySet<string>,
  { pages = true } = {},
): MessageAudit {
  const copy = `${database}.audit`;
  for (const suffix of ["", "-wal"]) {
    rmSync(`${copy}${suffix}`, { force: true });
    if (existsSync(`${database}${suffix}`)) copyFileSync(`${database}${suffix}`, `${copy}${suffix}`);
  }
  const db = new Database(copy);
  try {
    const stored = new Set(texts(db, "select event_key from raw_events where kind = 'observation'"));
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    return {
      stored,
      processing: texts(db, "select id from pending_messages where status = 'processing'").length,
      faults: [
        ...lost.map((id) => `lost: ${id}`),
        ...texts(db, doubledIds).map((id) => `stored twice: ${id}`),
        ...texts(db, doubledSources).map((id) => `two observations of one message: ${id}`),
        ...texts(db, orphans).map((id) => `neither waiting nor done: ${id}`),
        ...texts(db, brokenCounts).map((counts) => `the counts do not add up: ${counts}`),
        ...texts(db, unindexed).map((id) => `not in the full-text index: ${id}`),
        ...texts(db, pages ? "pragma integrity_check" : "select 'ok'").filter((finding) => finding !== "ok"),
      ],
    };
  } finally {
    db.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true });
  }
}

function texts(db: Sqlite, sql: string): string[] {
  return db.prepare<[], string>(sql).pluck().all().map(String);
}

const doubledIds = "select event_key from raw_events group by event_key having count(*) > 1";

// The local provider makes exactly one observation of a message.
const doubledSources =
  "select raw_event_id from observation_sources where cited = 0 group by raw_event_id having count(*) > 1";

const orphans = `
  select r.event_key
  from raw_events r
  where r.kind = 'observation'
    and not exists (select 1 from pending_messages p where p.id = r.id)
    and not exists (select 1 from observation_sources s where s.raw_event_id = r.id and s.cited = 0)`;

// accepted = done + skipped + pending + processing + dead, and each side is what the rows say it is.
const brokenCounts = `
  select json_object('accepted', accepted, 'done', done, 'skipped', skipped, 'waiting', waiting, 'rows', raw, 'made', made)
  from (
    select
      (select value from message_counts where name = 'accepted') as accepted,
      (select value from message_counts where name = 'done') as done,
      (select value from message_counts where name = 'skipped') as skipped,
      (select count(*) from pending_messages where status in ('pending', 'processing', 'dead')) as waiting,
      (select count(*) from raw_events where kind <> 'other') as raw,
      (select count(*) from observations) as made
  )
  where accepted <> done + skipped + waiting or raw <> done + waiting or made <> done`;

const unindexed = `
  select id from observations where id not in (select rowid from observations_fts)`;
