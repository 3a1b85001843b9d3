// Which own records leave this device: those from after sync was set up, no imports, and nothing regenerated.
import { recordKinds, type SyncedKind } from "../../../core/records/sync-payload.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";
import { type SyncedTable, tableOf } from "./identities.ts";

/** When sync was set up first, and the newest row of each table then: what is older was recorded before. */
export interface Launch {
  at_epoch: number;
  last: Readonly<Partial<Record<SyncedTable, number>>>;
}

/** Everything leaves. */
export const theBeginning: Launch = { at_epoch: 0, last: {} };

/** Parameters of `leaves`. */
export interface LaunchRow {
  from: number;
  last: number;
  last_session: number;
  last_prompt: number;
}

export const launchRow = ({ at_epoch, last }: Launch, table: SyncedTable): LaunchRow => ({
  from: at_epoch,
  last: last[table] ?? 0,
  last_session: last.sessions ?? 0,
  last_prompt: last.user_prompts ?? 0,
});

const isRecordedHere = (session: string) => `(${session}.represented_until_epoch is null
         and not exists (select 1 from imported_sessions i where i.session_id = ${session}.id))`;

// An import may also add the turns that a session recorded here lacks. Read last: it looks at all events of a session.
const hasNoImport = (session: string) =>
  `not exists (select 1 from raw_events r where r.session_id = ${session}.id and r.imported_at_epoch is not null)`;

// Of a session or a prompt that came after the launch, and not from an import. A manual record is never regenerated.
const isOfLivePrompt = (table: string) => `exists (
         select 1
         from sessions s
         where s.id = ${table}.session_id and ${isRecordedHere("s")}
           and (s.id > @last_session or exists (
             select 1
             from user_prompts p
             where p.session_id = s.id and p.prompt_number = ${table}.prompt_number and p.id > @last_prompt))
           and ${hasNoImport("s")})`;

const isLive: Readonly<Record<SyncedKind, string>> = {
  observation: `(generation_key is null and generator = 'manual') or ${isOfLivePrompt("observations")}`,
  summary: isOfLivePrompt("session_summaries"),
  prompt: `exists (
         select 1 from sessions s where s.id = user_prompts.session_id and ${isRecordedHere("s")} and ${hasNoImport("s")})`,
  session: isRecordedHere("sessions"),
};

/**
 * The condition for a row. The number keeps the index from being read from its start. A clock that was set back since makes new
 * records look older: `isLive` knows them. Other devices had what has an incarnation, before it was deleted and restored.
 * Migration 27 has the same for a team's project.
 */
export const leaves = (kind: SyncedKind) =>
  `id > @last and (created_at_epoch >= @from or incarnation > 0 or ${isLive[kind]})`;

// About 20 ms of a table.
const rowsPerStep = 5_000;

/** Takes records that stay out of the index of what waits, in steps. Runs in the caller's transaction. */
export function createStaying(db: Sqlite) {
  const sql = createSql(db);
  const read = sql.value<[], string>("select value from sync_state where name = 'looked_until_ids'");
  const write = sql.run<[value: string]>(
    `insert into sync_state (name, value) values ('looked_until_ids', ?)
     on conflict (name) do update set value = excluded.value`,
  );
  type Step = { after: number; until: number };
  const kinds = recordKinds.map((kind) => {
    const table = tableOf[kind];
    return {
      table,
      newest: sql.value<[], number>(`select max(id) from ${table}`),
      mark: sql.run<[LaunchRow & Step]>(
        `update ${table}
         set stays_here = 1
         where id > @after and id <= @until and synced_at is null and origin_device_id is null
           and not (${leaves(kind)})`,
      ),
      release: sql.run<[Step]>(
        `update ${table} set stays_here = 0 where id > @after and id <= @until and stays_here = 1`,
      ),
    };
  });

  /** The rows that were looked at, up to this one; `next` gives the new one. */
  function step(next: (kind: (typeof kinds)[number], looked: number | undefined) => number): boolean {
    const before = JSON.parse(read() ?? "{}") as Launch["last"];
    const now = Object.fromEntries(kinds.map((kind) => [kind.table, next(kind, before[kind.table])]));
    const isMoved = kinds.some(({ table }) => now[table] !== before[table]);
    if (isMoved) write(JSON.stringify(now));
    return isMoved;
  }

  const markNext = (launch: Launch) =>
    step(({ table, newest, mark }, looked) => {
      const after = looked ?? launch.last[table] ?? 0;
      const until = Math.max(after, Math.min(newest() ?? 0, after + rowsPerStep));
      if (until > after) mark({ ...launchRow(launch, table), after, until });
      return until;
    });
  const releaseNext = () =>
    step(({ release }, until = 0) => {
      const after = Math.max(0, until - rowsPerStep);
      if (until > 0) release({ after, until });
      return after;
    });

  return {
    /** Looks at the next rows, each once in its life, or lets the newest of them leave after all; false when it has nothing to do. */
    next: (launch: Launch): boolean => (launch === theBeginning ? releaseNext() : markNext(launch)),
    /** The newest row of each table that may leave now: a large import is not read whole for each push. */
    lookedUntil: (launch: Launch): Launch["last"] =>
      launch === theBeginning ? {} : (JSON.parse(read() ?? "{}") as Launch["last"]),
  };
}
