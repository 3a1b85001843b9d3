// Receipts of forgets, and the entries of the trash that belong to each.
import {
  type ChosenBy,
  type ForgetCounts,
  type ForgetReceipt,
  type ForgetWork,
  noForgetCounts,
} from "../../core/records/forget.ts";
import { type RecordCounts, sumOfCounts, type TrashKind } from "../../core/records/trash.ts";
import { isJsonObject, parseJson } from "../../text/json.ts";
import { leavesOf } from "./forget-selection.ts";
import type { Sqlite } from "./open.ts";
import { readPayload } from "./raw-events.ts";
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
  const finish = sql.changes<[now: number]>(
    `update forgets
     set gone_at_epoch = ?
     where gone_at_epoch is null and work is null
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
      addCounts(JSON.stringify(sumOfCounts(before, counts)), id);
    },
    /** An entry was restored: its records are no longer deleted. */
    takeBack(id: number, counts: RecordCounts): void {
      const before = read(byId(id))?.counts;
      if (before !== undefined) addCounts(JSON.stringify(sumOfCounts(before, counts, -1)), id);
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
    finish,
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
    /** Names of its observations and summaries behind an entry, as in the log of injections: '12,S3'. */
    names: sql.all<
      [{ forget: number; after: number; limit: number }],
      { id: number; project: string; names: string | null }
    >(
      `select t.id, t.project, (
         select group_concat(iif(r.place = 'observations', '', 'S') || r.row_id)
         from trash_rows r
         where r.trash_id = t.id and r.place in ('observations', 'session_summaries')) as names
       from trash t
       where t.forget_id = @forget and t.id > @after
       order by t.id
       limit @limit`,
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
    entriesOfProject: sql.values<[project: string], number>(
      "select id from trash where project = ? and at_epoch > 0 and record_id > 0",
    ),
    entryTexts: createEntryTexts(db),
  };
}

type EntryFilter = Record<"session" | "before", number | null> & { project: string | null };

/** Columns with content; the others have ids, kinds and times. */
const contentColumns = [
  ...["title", "subtitle", "summary", "narrative", "text", "facts", "concepts"],
  ...["files_touched", "files_read", "files_modified", "path", "family"],
  ...["summary_text", "request", "investigated", "learned", "completed", "next_steps", "notes"],
  ...["prompt_text", "user_prompt", "payload", "cause", "last_error"],
];

/** Contents of the rows of entries that a filter selects, behind an id, for a search by words. */
function createEntryTexts(
  db: Sqlite,
): (filter: EntryFilter & { after: number; limit: number }) => { id: number; entry: number; text: string }[] {
  const edited = (kind: TrashKind, table: string, session: string) =>
    `select ${session} as session, e.created_at_epoch as at
           from ${table} e
           where t.action = 'edited' and t.kind = '${kind}' and e.id = t.record_id`;
  const rows = createSql(db).all<
    [EntryFilter & { after: number; limit: number }],
    { id: number; entry: number; content: string }
  >(
    `select r.id, r.trash_id as entry, r.content
     from trash_rows r
     cross join trash t on t.id = r.trash_id
     where r.id > @after and t.at_epoch > 0 and t.record_id > 0 and (@project is null or t.project = @project)
       and (coalesce(@session, @before) is null or exists (
         select 1
         from (
           select iif(o.place = 'sessions', o.row_id, o.content ->> '$.session_id') as session,
             o.content ->> '$.created_at_epoch' as at
           from trash_rows o
           where o.trash_id = t.id
             and o.place in ('sessions', 'observations', 'session_summaries', 'user_prompts', 'pending_messages')
           union all
           select e.session_id, e.created_at_epoch
           from trash_rows o
           cross join raw_events e on e.id = o.row_id
           where o.trash_id = t.id and o.place = 'events'
           union all
           select e.id, e.created_at_epoch
           from trash_rows o
           cross join sessions e on e.id = o.row_id
           where o.trash_id = t.id and o.place = 'titles'
           union all
           select s.id, e.at_epoch
           from trash_rows o
           cross join injections e on e.id = o.row_id
           left join sessions s on s.claude_session_id = e.session
           where o.trash_id = t.id and o.place in ('causes', 'injection_texts')
           union all
           ${edited("observation", "observations", "e.session_id")}
           union all
           ${edited("summary", "session_summaries", "e.session_id")}
           union all
           ${edited("prompt", "user_prompts", "e.session_id")}
           union all
           ${edited("session", "sessions", "e.id")})
         where (@session is null or session = @session) and (@before is null or at < @before)))
     order by r.id
     limit @limit`,
  );
  return (filter) =>
    rows(filter).map(({ id, entry, content }) => {
      const row = readPayload(content);
      const leaves = contentColumns.map((name) => {
        const value = row[name] ?? null;
        // Lists and payloads are stored as JSON texts.
        const content = (typeof value === "string" ? parseJson(value) : undefined) ?? value;
        return leavesOf(isJsonObject(content) ? content : { content });
      });
      return { id, entry, text: leaves.join("\n") };
    });
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
