// Copies of what was forgotten outside of records: events, causes and texts of injections, titles of sessions.
import type { ForgetSelection } from "../../core/records/forget.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { emptiedEvent } from "./record-copies.ts";
import { createSql } from "./sql.ts";
import type { Row, Trash } from "./trash.ts";
import { createBreakOff } from "./withdrawals.ts";

type Copies = Partial<Pick<ForgetSelection, "events" | "causes" | "titles" | "texts">> & {
  /** Of the records that the texts show; else the one of the session. */
  project?: string;
};

/** An entry with copies, and sessions whose running model call was sent some: their answers must be discarded. */
interface RemovedCopies {
  trash_id: number;
  events: number;
  sessions: number[];
}

interface Parts {
  trash: Trash;
  pending: Pick<PendingMessages, "count">;
}

/** Moves copies into entries without a record, one for each project, in the caller's transaction. */
export function createWordCopies(db: Sqlite, parts: Parts): (copies: Copies, now: number) => RemovedCopies[] {
  const find = createFind(db);
  const move = createMove(db, parts);
  return ({ project, ...ids }, now) => {
    const found = find(ids);
    const projectOf = (row: Row) => project ?? String(row.project ?? "");
    const projects = new Set(Object.values(found).flat().map(projectOf));
    return [...projects].map((one) => {
      const of = (rows: readonly Row[]) => rows.filter((row) => projectOf(row) === one).map(withoutProject);
      const { events, causes, titles, texts } = found;
      return move({ events: of(events), causes: of(causes), titles: of(titles), texts: of(texts) }, one, now);
    });
  };
}

type Found = Record<"events" | "causes" | "titles" | "texts", Row[]>;

/** Rows with copies, and the projects of their sessions. */
function createFind(db: Sqlite): (copies: Omit<Copies, "project">) => Found {
  const of = (select: string) => createSql(db).all<[ids: string], Row>(select);
  const events = of(
    `select r.id, r.kind, r.payload, s.project
     from raw_events r
     cross join sessions s on s.id = r.session_id
     where r.id in (select value from json_each(?))
     order by r.id`,
  );
  const causes = of(
    `select i.id, i.cause, s.project
     from injections i
     left join sessions s on s.claude_session_id = i.session
     where i.id in (select value from json_each(?))
     order by i.id`,
  );
  const titles = of(
    `select id, title, user_prompt, project
     from sessions
     where id in (select value from json_each(?))
     order by id`,
  );
  const texts = of(
    `select i.id, t.text, s.project
     from injection_texts t
     cross join injections i on i.id = t.injection_id
     left join sessions s on s.claude_session_id = i.session
     where t.injection_id in (select value from json_each(?))
     order by i.id`,
  );
  return (ids) => ({
    // Most were emptied with their record.
    events: events(JSON.stringify(ids.events ?? [])).filter(
      (event) => emptiedEvent(event).payload !== event.payload,
    ),
    causes: causes(JSON.stringify(ids.causes ?? [])).filter(({ cause }) => cause !== null),
    titles: titles(JSON.stringify(ids.titles ?? [])),
    texts: texts(JSON.stringify(ids.texts ?? [])),
  });
}

function createMove(
  db: Sqlite,
  { trash, pending }: Parts,
): (found: Found, project: string, now: number) => RemovedCopies {
  const sql = createSql(db);
  const queued = sql.all<[ids: string], Row>(
    "select * from pending_messages where id in (select value from json_each(?)) order by id",
  );
  const empty = sql.run<[{ id: number; kind: string; payload: string }]>(
    "update raw_events set kind = @kind, payload = @payload where id = @id",
  );
  const dequeue = sql.run<[id: number]>("delete from pending_messages where id = ?");
  const unlist = sql.run<[id: number]>("delete from regenerations where raw_event_id = ?");
  const dropText = sql.run<[id: number]>("delete from injection_texts where injection_id = ?");
  const clearCause = sql.run<[id: number]>("update injections set cause = null where id = ?");
  const clearTitle = sql.run<[id: number]>(
    "update sessions set title = null, user_prompt = '', revision = revision + 1, synced_at = null where id = ?",
  );
  const breakOff = createBreakOff(db);
  return ({ events, causes, titles, texts }, project, now) => {
    const [first] = [...events, ...titles, ...causes, ...texts];
    const entry = trash.add({
      ...{ kind: "prompt", id: Number(first?.id), action: "deleted", title: "", project, at_epoch: now },
    });
    const waiting = queued(JSON.stringify(events.map(({ id }) => id)));
    trash.keep(entry, "pending_messages", waiting);
    for (const event of events) {
      const left = emptiedEvent(event);
      trash.keep(entry, "events", [{ ...event, left: left.payload }]);
      empty({ id: Number(event.id), ...left });
      unlist(Number(event.id));
    }
    for (const { id } of waiting) dequeue(Number(id));
    pending.count("skipped", waiting.length);
    trash.keep(entry, "causes", causes);
    for (const { id } of causes) clearCause(Number(id));
    trash.keep(entry, "injection_texts", texts);
    for (const { id } of texts) dropText(Number(id));
    trash.keep(entry, "titles", titles);
    for (const { id } of titles) clearTitle(Number(id));
    const sent = new Set(
      waiting.filter(({ status }) => status === "processing").map(({ session_id }) => Number(session_id)),
    );
    for (const session of sent) breakOff(session, true);
    return { trash_id: entry, events: events.length, sessions: [...sent] };
  };
}

function withoutProject({ project: _project, ...row }: Row): Row {
  return row;
}
