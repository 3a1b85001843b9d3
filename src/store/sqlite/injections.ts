// The log of injected context: one row per injected text, with the names of its records.
import type { Injected, InjectionMoment } from "../../core/records/injection.ts";
import { parseRecordName, type RecordName, recordName } from "../../core/records/record-name.ts";
import type { LedgerReader } from "./context-ledger.ts";
import type { Sqlite } from "./open.ts";
import type { Page } from "./page.ts";
import { createSql } from "./sql.ts";
import type { Row, Trash } from "./trash.ts";

interface InjectionRow {
  id: number;
  reader: string;
  moment: InjectionMoment;
  at_epoch: number;
  tokens: number;
  cause: string | null;
  records: string;
  text: string | null;
}

/** A record of an injection, as it is now. */
export interface InjectedRecord {
  id: number;
  kind: "observation" | "summary" | "prompt";
  /** Empty for a deleted record. */
  title: string;
  obs_type: string | null;
  /** A rule that stands. */
  is_rule: boolean;
  is_deleted: boolean;
}

export interface StoredInjection extends Omit<InjectionRow, "records"> {
  records: InjectedRecord[];
}

export function createInjectionLog(db: Sqlite) {
  const sql = createSql(db);
  const insert = db.prepare<[Record<string, string | number | null>]>(
    `insert into injections (session, reader, moment, at_epoch, tokens, cause, records)
     values (@session, @reader, @moment, @now, @tokens, @cause, @records)`,
  );
  const insertText = sql.run<[id: number | bigint, text: string]>(
    "insert into injection_texts (injection_id, text) values (?, ?)",
  );
  const ofSession = sql.all<[{ session: string; offset: number; limit: number }], InjectionRow>(
    `select i.id, i.reader, i.moment, i.at_epoch, i.tokens, i.cause, i.records, t.text
     from injections i
     left join injection_texts t on t.injection_id = i.id
     where i.session = @session
     order by i.id
     limit @limit offset @offset`,
  );
  const timesOf = sql.get<[name: string], { times: number; sessions: number; last_at_epoch: number | null }>(
    `select count(*) as times, count(distinct session) as sessions, max(at_epoch) as last_at_epoch
     from injections
     where instr(records, ?) > 0`,
  );
  const titled = createTitled(db);
  return {
    add({ session, reader }: LedgerReader, { text, records, ...injection }: Injected, now: number): void {
      const names = [...new Set(records.map(recordName))];
      const { moment, tokens, cause } = injection;
      const row = { session, reader, moment, tokens, cause, now, records: `,${names.join(",")},` };
      insertText(insert.run(row).lastInsertRowid, text);
    },
    /** A page of the injections of a host's session, oldest first. */
    ofSession(session: string, { offset, limit }: { offset: number; limit: number }): Page<StoredInjection> {
      const rows = ofSession({ session, offset, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const records = titled(shown.flatMap((row) => namesIn(row.records)));
      const items = shown.map((row) => ({
        ...row,
        records: namesIn(row.records).flatMap((name) => records.get(recordName(name)) ?? []),
      }));
      return { items, hasMore: rows.length > limit };
    },
    totalsOf: createTotalsOf(db),
    /** How often the record was injected. */
    timesOf: (name: RecordName) =>
      timesOf(`,${recordName(name)},`) ?? { times: 0, sessions: 0, last_at_epoch: null },
    ...createPurges(db),
  };
}

/** Of everything that the session was injected. */
interface InjectionTotals {
  injections: number;
  /** Different records. */
  records: number;
  tokens: number;
  sub_agent_tokens: number;
  moments: { moment: InjectionMoment; tokens: number }[];
}

function createTotalsOf(db: Sqlite): (session: string) => InjectionTotals {
  const sql = createSql(db);
  const byMoment = sql.all<
    [session: string],
    { moment: InjectionMoment; injections: number; tokens: number; sub_agent_tokens: number }
  >(
    `select moment, count(*) as injections, sum(tokens) as tokens,
       coalesce(sum(tokens) filter (where reader <> ''), 0) as sub_agent_tokens
     from injections
     where session = ?
     group by moment
     order by min(id)`,
  );
  const recordsOf = sql.value<[session: string], number>(
    `select count(distinct n.value)
     from injections i
     cross join json_each('["' || replace(trim(i.records, ','), ',', '","') || '"]') n
     where i.session = ? and n.value <> ''`,
  );
  return (session) => {
    const moments = byMoment(session);
    const sum = (name: "injections" | "tokens" | "sub_agent_tokens") =>
      moments.reduce((total, moment) => total + moment[name], 0);
    return {
      injections: sum("injections"),
      records: recordsOf(session) ?? 0,
      tokens: sum("tokens"),
      sub_agent_tokens: sum("sub_agent_tokens"),
      moments: moments.map(({ moment, tokens }) => ({ moment, tokens })),
    };
  };
}

function namesIn(records: string): RecordName[] {
  return records.split(",").flatMap((name) => parseRecordName(name) ?? []);
}

const kinds = { observation: "observation", session: "summary", prompt: "prompt" } as const;

/** Reads the present titles of records, by name. */
function createTitled(db: Sqlite): (names: readonly RecordName[]) => Map<string, InjectedRecord> {
  const reader = (table: string, title: string, type: string, standing: string) =>
    createSql(db).all<[ids: string], { id: number; title: string; obs_type: string | null; standing: 0 | 1 }>(
      `select r.id, ${title} as title, ${type} as obs_type, ${standing} as standing
       from json_each(?) i
       cross join ${table} r on r.id = i.value`,
    );
  const readers = {
    observation: reader("observations", "r.title", "r.obs_type", "r.standing"),
    session: reader("session_summaries", "coalesce(r.request, substr(r.summary_text, 1, 200))", "null", "0"),
    prompt: reader("user_prompts", "substr(r.prompt_text, 1, 200)", "null", "0"),
  };
  return (names) => {
    const found = new Map<string, InjectedRecord>();
    for (const kind of ["observation", "session", "prompt"] as const) {
      const ids = [...new Set(names.filter((name) => name.kind === kind).map(({ id }) => id))];
      if (ids.length === 0) continue;
      const gone = { kind: kinds[kind], title: "", obs_type: null, is_rule: false, is_deleted: true };
      for (const id of ids) found.set(recordName({ kind, id }), { id, ...gone });
      for (const { id, standing, ...row } of readers[kind](JSON.stringify(ids))) {
        const is_rule = standing === 1;
        found.set(recordName({ kind, id }), { id, kind: kinds[kind], ...row, is_rule, is_deleted: false });
      }
    }
    return found;
  };
}

function createPurges(db: Sqlite) {
  const sql = createSql(db);
  const purge = sql.changes<[{ before: number; limit: number }]>(
    `delete from injections
       where id in (
         select id
         from (select id, at_epoch from injections order by id limit @limit)
         where at_epoch < @before
       )`,
  );
  const purgeTexts = sql.changes<[{ before: number; limit: number }]>(
    `delete from injection_texts
       where injection_id in (
         select id
         from (
           select i.id, i.at_epoch
           from injection_texts t
           cross join injections i on i.id = t.injection_id
           order by t.injection_id
           limit @limit
         )
         where at_epoch < @before
       )`,
  );
  // Ids follow time.
  return {
    /** Deletes up to `limit` rows from before; returns how many. */
    purge: (before: number, limit: number) => purge({ before, limit }),
    /** Deletes up to `limit` texts from before; returns how many. */
    purgeTexts: (before: number, limit: number) => purgeTexts({ before, limit }),
  };
}

/** Puts back the texts of injections of an entry. One that also shows a record that is still deleted goes with that record from now on. */
export function createPutTexts(
  db: Sqlite,
  trash: Pick<Trash, "rows" | "holding" | "keep">,
): (entry: number) => void {
  const sql = createSql(db);
  const put = sql.run<[Row]>(
    `insert into injection_texts (injection_id, text)
     select id, @text
     from injections
     where id = @id
     on conflict do nothing`,
  );
  const shown = sql.value<[injection: number], string>("select records from injections where id = ?");
  const exists = (table: string) => sql.value<[id: number], number>(`select 1 from ${table} where id = ?`);
  const has = {
    observation: exists("observations"),
    session: exists("session_summaries"),
    prompt: exists("user_prompts"),
  };
  return (entry) => {
    for (const text of trash.rows(entry, "injection_texts")) {
      const gone = namesIn(shown(Number(text.id)) ?? "").find(({ kind, id }) => has[kind](id) === undefined);
      if (gone === undefined) {
        put(text);
        continue;
      }
      const kind = gone.kind === "session" ? "summary" : gone.kind;
      for (const { trash_id } of trash.holding({ kind, id: gone.id, since: 0 }))
        trash.keep(trash_id, "injection_texts", [text]);
    }
  };
}
