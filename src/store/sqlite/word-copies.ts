// Copies of what was forgotten outside of records: events, causes and texts of injections, titles of sessions.
import type { ForgetSelection } from "../../core/records/forget.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { emptiedEvent } from "./record-copies.ts";
import { createSql } from "./sql.ts";
import type { Row, Trash } from "./trash.ts";
import { createBreakOff } from "./withdrawals.ts";

type Copies = Partial<Pick<ForgetSelection, "events" | "causes" | "titles" | "texts">>;

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

/** Moves copies into an entry without a record, in the caller's transaction. */
export function createWordCopies(
  db: Sqlite,
  { trash, pending }: Parts,
): (copies: Copies, now: number) => RemovedCopies | undefined {
  const sql = createSql(db);
  const of = <T extends unknown[]>(select: string) => sql.all<T, Row>(select);
  const within = "in (select value from json_each(?)) order by id";
  const events = of<[ids: string]>(`select id, kind, payload, session_id from raw_events where id ${within}`);
  const queued = of<[ids: string]>(`select * from pending_messages where id ${within}`);
  const causes = of<[ids: string]>(
    `select i.id, i.cause, s.project
     from injections i
     left join sessions s on s.claude_session_id = i.session
     where i.id in (select value from json_each(?))
     order by i.id`,
  );
  const titles = of<[ids: string]>(`select id, title, user_prompt, project from sessions where id ${within}`);
  const empty = sql.run<[{ id: number; kind: string; payload: string }]>(
    "update raw_events set kind = @kind, payload = @payload where id = @id",
  );
  const dequeue = sql.run<[id: number]>("delete from pending_messages where id = ?");
  const unlist = sql.run<[id: number]>("delete from regenerations where raw_event_id = ?");
  const texts = of<[ids: string]>(
    `select i.id, t.text, s.project
     from injection_texts t
     cross join injections i on i.id = t.injection_id
     left join sessions s on s.claude_session_id = i.session
     where t.injection_id in (select value from json_each(?))
     order by i.id`,
  );
  const dropText = sql.run<[id: number]>("delete from injection_texts where injection_id = ?");
  const clearCause = sql.run<[id: number]>("update injections set cause = null where id = ?");
  const clearTitle = sql.run<[id: number]>(
    "update sessions set title = null, user_prompt = '', revision = revision + 1, synced_at = null where id = ?",
  );
  const projectOf = sql.value<[session: number], string>("select project from sessions where id = ?");
  const breakOff = createBreakOff(db);
  return (
    { events: eventIds = [], causes: causeIds = [], titles: titleIds = [], texts: textIds = [] },
    now,
  ) => {
    const found = {
      // Most were emptied with their record.
      events: events(JSON.stringify(eventIds)).filter(
        (event) => emptiedEvent(event).payload !== event.payload,
      ),
      causes: causes(JSON.stringify(causeIds)).filter(({ cause }) => cause !== null),
      titles: titles(JSON.stringify(titleIds)),
      texts: texts(JSON.stringify(textIds)),
    };
    const [first] = [...found.events, ...found.titles, ...found.causes, ...found.texts];
    if (first === undefined) return undefined;
    const project = String(first.project ?? projectOf(Number(first.session_id)) ?? "");
    const entry = trash.add({
      ...{ kind: "prompt", id: Number(first.id), action: "deleted", title: "", project, at_epoch: now },
    });
    const waiting = queued(JSON.stringify(eventIds));
    trash.keep(entry, "pending_messages", waiting);
    for (const { session_id: _session, ...event } of found.events) {
      const left = emptiedEvent(event);
      trash.keep(entry, "events", [{ ...event, left: left.payload }]);
      empty({ id: Number(event.id), ...left });
      unlist(Number(event.id));
    }
    for (const { id } of waiting) dequeue(Number(id));
    pending.count("skipped", waiting.length);
    trash.keep(entry, "causes", found.causes.map(withoutProject));
    for (const { id } of found.causes) clearCause(Number(id));
    trash.keep(entry, "injection_texts", found.texts.map(withoutProject));
    for (const { id } of found.texts) dropText(Number(id));
    trash.keep(entry, "titles", found.titles.map(withoutProject));
    for (const { id } of found.titles) clearTitle(Number(id));
    const sent = new Set(
      waiting.filter(({ status }) => status === "processing").map(({ session_id }) => Number(session_id)),
    );
    for (const session of sent) breakOff(session, true);
    return { trash_id: entry, events: found.events.length, sessions: [...sent] };
  };
}

function withoutProject({ project: _project, ...row }: Row): Row {
  return row;
}
