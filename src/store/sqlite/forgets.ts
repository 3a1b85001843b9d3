// Receipts of forgets, and the entries of the trash that belong to each.
import {
  type ChosenBy,
  type ForgetCounts,
  type ForgetReceipt,
  type ForgetWork,
  noForgetCounts,
} from "../../core/records/forget.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

type ReceiptRow = Omit<ForgetReceipt, "counts"> & { counts: string };

/** Every write runs in the caller's transaction. */
export function createForgets(db: Sqlite) {
  const sql = createSql(db);
  const insert = sql.value<[{ by: ChosenBy; now: number; counts: string; work: string }], number>(
    `insert into forgets (chosen_by, at_epoch, counts, work) values (@by, @now, @counts, @work)
     returning id`,
  );
  const unfinished = sql.get<[], { id: number; at_epoch: number; work: string }>(
    "select id, at_epoch, work from forgets where work is not null order by id limit 1",
  );
  const addCounts = sql.run<[counts: string, id: number]>("update forgets set counts = ? where id = ?");
  const columns = `id, chosen_by, at_epoch, counts, gone_at_epoch, erased_at_epoch, words, found,
    (select min(t.id) from trash t where t.forget_id = forgets.id) as trash_id`;
  const byId = sql.get<[id: number], ReceiptRow>(`select ${columns} from forgets where id = ?`);
  const page = sql.all<[limit: number], ReceiptRow>(
    `select ${columns}
     from forgets
     order by id desc
     limit ?`,
  );
  const newestOf = sql.get<[by: ChosenBy], ReceiptRow>(
    `select ${columns} from forgets where chosen_by = ? order by id desc limit 1`,
  );
  const attach = sql.run<[forget: number, entry: number]>("update trash set forget_id = ? where id = ?");
  const finish = sql.changes<[{ now: number; none: string }]>(
    `update forgets
     set gone_at_epoch = @now
     where gone_at_epoch is null and work is null and counts <> @none
       and not exists (select 1 from trash where forget_id = forgets.id)`,
  );
  return {
    begin: (by: ChosenBy, work: ForgetWork, now: number): number =>
      insert({ by, now, counts: JSON.stringify(noForgetCounts), work: JSON.stringify(work) }) ?? 0,
    /** The oldest one that a stopped worker left. */
    unfinished(): { id: number; at_epoch: number; work: ForgetWork } | undefined {
      const left = unfinished();
      return left && { ...left, work: JSON.parse(left.work) as ForgetWork };
    },
    /** Adds an entry of the trash and what is in it. */
    add(id: number, entry: number, counts: Partial<ForgetCounts>): void {
      attach(id, entry);
      const before = read(byId(id))?.counts ?? noForgetCounts;
      addCounts(JSON.stringify(sumOf(before, counts)), id);
    },
    /** Everything is in the trash. */
    done: sql.run<[{ id: number; words: number; found: number }]>(
      "update forgets set words = @words, found = @found, work = null where id = @id",
    ),
    byId: (id: number): ForgetReceipt | undefined => read(byId(id)),
    newestOf: (by: ChosenBy): ForgetReceipt | undefined => read(newestOf(by)),
    /** Newest first. */
    page: (limit: number): ForgetReceipt[] => page(limit).flatMap((row) => read(row) ?? []),
    ...createForgetEntries(db),
    /** A forget without entries in the trash was restored: its receipt would name what is there again. */
    drop: sql.run<[id: number]>(
      "delete from forgets where id = ? and not exists (select 1 from trash where forget_id = forgets.id)",
    ),
    /** Marks what has left the trash by its age, or because it was emptied; returns how many. */
    finish: (now: number): number => finish({ now, none: JSON.stringify(noForgetCounts) }),
    erasure: createErasureTimes(db),
    /** Deletes projects without a session or record, their labels in other rows too. */
    dropProject: createDropProject(db),
  };
}

function createForgetEntries(db: Sqlite) {
  const sql = createSql(db);
  return {
    /** Entries that are restored together with this one, oldest first: none unless a forget made it. */
    entriesWith: sql.values<[entry: number], number>(
      `select t.id
       from trash one
       cross join trash t on t.forget_id = one.forget_id
       where one.id = ? and t.at_epoch > 0
       order by t.id`,
    ),
    /** Names of its observations and summaries, as in the log of injections: '12', 'S3'. */
    names: sql.values<[forget: number], string>(
      `select iif(r.place = 'observations', '', 'S') || r.row_id
       from trash t
       cross join trash_rows r on r.trash_id = t.id
       where t.forget_id = ? and r.place in ('observations', 'session_summaries')`,
    ),
    /** Injections with a text behind an id, with the names of their records. */
    shownRecords: sql.all<[after: number, limit: number], { id: number; records: string }>(
      `select i.id, i.records
       from injection_texts t
       cross join injections i on i.id = t.injection_id
       where t.injection_id > ?
       order by t.injection_id
       limit ?`,
    ),
    /** Entries of the forget, and texts from before edits of its records. */
    entriesOf: sql.values<[{ forget: number }], number>(
      `select id
       from trash
       where forget_id = @forget
       union
       select e.id
       from trash t
       cross join trash_rows r on r.trash_id = t.id and r.row_id is not null
       cross join trash e on e.record_id = r.row_id and e.action = 'edited' and e.kind = case r.place
         when 'observations' then 'observation'
         when 'session_summaries' then 'summary'
         when 'user_prompts' then 'prompt'
         when 'sessions' then 'session' end
       where t.forget_id = @forget`,
    ),
    /** Earlier entries of a project. */
    entriesOfProject: sql.values<[project: string], number>("select id from trash where project = ?"),
    /** Entries with their rows behind an id, for a search by words. */
    entryTexts: sql.all<[after: number, limit: number], { id: number; entry: number; text: string }>(
      `select r.id, r.trash_id as entry, r.content as text
       from trash_rows r
       where r.id > ?
       order by r.id
       limit ?`,
    ),
  };
}

/** When rows left the trash last, and when the file was written again without their bytes. */
function createErasureTimes(db: Sqlite) {
  const sql = createSql(db);
  const times = sql.get<[], { deleted_at_epoch: number; erased_at_epoch: number }>(
    "select deleted_at_epoch, erased_at_epoch from erasure",
  );
  const setForgets = sql.run<[{ since: number; now: number }]>(
    "update forgets set erased_at_epoch = @now where erased_at_epoch is null and gone_at_epoch <= @since",
  );
  const setScrubs = sql.run<[{ since: number; now: number }]>(
    "update scrubs set erased_at_epoch = @now where erased_at_epoch is null and ended_at_epoch <= @since",
  );
  const setTime = sql.run<[{ now: number }]>("update erasure set erased_at_epoch = @now");
  return {
    times: () => times() ?? { deleted_at_epoch: 0, erased_at_epoch: 0 },
    deleted: sql.run<[now: number]>("update erasure set deleted_at_epoch = ?"),
    /** The file that was written from `since` to `now` has no byte of what was gone before. */
    erased(since: number, now: number): void {
      setForgets({ since, now });
      setScrubs({ since, now });
      setTime({ now: since });
    },
  };
}

function read(row: ReceiptRow | undefined): ForgetReceipt | undefined {
  return (
    row && { ...row, counts: { ...noForgetCounts, ...(JSON.parse(row.counts) as Partial<ForgetCounts>) } }
  );
}

function sumOf(a: ForgetCounts, b: Partial<ForgetCounts>): ForgetCounts {
  return {
    observations: a.observations + (b.observations ?? 0),
    summaries: a.summaries + (b.summaries ?? 0),
    prompts: a.prompts + (b.prompts ?? 0),
    sessions: a.sessions + (b.sessions ?? 0),
    events: a.events + (b.events ?? 0),
  };
}

/** True when the project had nothing left, so that it was deleted. One with a choice for sync keeps its label. */
function createDropProject(db: Sqlite): (label: string) => boolean {
  const sql = createSql(db);
  const drop = sql.changes<[{ label: string }]>(
    `delete from projects
     where label = @label and synced is null
       and not exists (select 1 from sessions where project = @label)
       and not exists (select 1 from observations where project = @label)
       and not exists (select 1 from session_summaries where project = @label)
       and not exists (select 1 from user_prompts where project = @label)
       and not exists (select 1 from trash where project = @label and at_epoch > 0)`,
  );
  const others = [
    "update model_calls set project = '' where project = ?",
    "delete from folder_files where project = ?",
    "delete from viewer_state where value = json_quote(?)",
  ].map((statement) => sql.run<[label: string]>(statement));
  return (label) => {
    if (drop({ label }) === 0) return false;
    for (const other of others) other(label);
    return true;
  };
}
