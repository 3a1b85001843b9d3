// Edits of texts by the user; the text before goes into the trash.
import { contentKey } from "../../core/ids.ts";
import { storedDeliveryKey } from "../../core/prompt-key.ts";
import type { Observation, Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { type SummaryParts, summaryParts, summaryText } from "../../core/records/summary-parts.ts";
import type { Refusal, TrashEntry, TrashKind } from "../../core/records/trash.ts";
import { excerpt } from "../../text/excerpt.ts";
import { createDerivedRows, type IndexedTable } from "./derived-rows.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { createPromptCopies } from "./prompt-copies.ts";
import { promptColumns } from "./prompts.ts";
import { sessionColumns } from "./sessions.ts";
import { createSql } from "./sql.ts";
import { summaryColumns } from "./summaries.ts";
import type { Row, Trash } from "./trash.ts";
import { createBreakOff } from "./withdrawals.ts";

export type ObservationText = Pick<
  Observation,
  "title" | "subtitle" | "summary" | "narrative" | "facts" | "concepts" | "obs_type"
>;

interface Editable {
  observation: Observation;
  summary: SessionSummary;
  prompt: UserPrompt;
  session: Session;
}

const tables = {
  observation: {
    table: "observations",
    text: ["title", "subtitle", "summary", "narrative", "facts", "concepts", "obs_type"],
    beside: ["generator", "upgrade"],
    columns: observationColumns,
  },
  summary: {
    table: "session_summaries",
    text: [...summaryParts, "summary_text"],
    beside: ["generator", "upgrade"],
    columns: summaryColumns,
  },
  prompt: { table: "user_prompts", text: ["prompt_text"], beside: ["event_key"], columns: promptColumns },
  session: { table: "sessions", text: ["title"], beside: [], columns: sessionColumns },
} as const satisfies Record<
  TrashKind,
  { table: string; text: readonly string[]; beside: readonly string[]; columns: string }
>;

export type Edits = ReturnType<typeof createEdits>;

/** Every function runs in the caller's transaction; undefined when there is no such record. */
export function createEdits(db: Sqlite, trash: Trash) {
  const copies = createPromptCopies(db, trash);
  const breakOff = createBreakOff(db);
  const writers = {
    observation: createWriter(db, "observation"),
    summary: createWriter(db, "summary"),
    prompt: createWriter(db, "prompt"),
    session: createWriter(db, "session"),
  };

  function edit<K extends TrashKind>(
    kind: K,
    id: number,
    change: { text: Row; now: number },
  ): { record: Editable[K] | undefined; sentIn: number | null } | undefined {
    const { read, write } = writers[kind];
    const before = read(id);
    if (before === undefined) return undefined;
    const { now } = change;
    const text = { ...pick(before, tables[kind].text), ...change.text };
    const beside = besideEdit(kind, before);
    const entry = trash.add({
      ...{ kind, id, action: "edited", project: String(before.project), at_epoch: now },
      title: excerpt(titleOf(kind, before), 200),
      text_key: textKey(kind, text),
    });
    trash.keep(entry, "text", [{ id, ...pick(before, [...tables[kind].text, ...tables[kind].beside]) }]);
    const { session_id } = before;
    const session = kind === "prompt" && typeof session_id === "number" ? session_id : null;
    const isSent =
      session !== null && breakOff(session, copies.remove(entry, before, String(text.prompt_text)));
    const record = write({ id, ...text, ...beside }) as Editable[K] | undefined;
    return { record, sentIn: isSent ? session : null };
  }

  return {
    /** Makes the text the user's own, which no model overwrites; a column that is left out stays. */
    observation: (id: number, text: Partial<ObservationText>, now: number) =>
      edit("observation", id, { text: { ...text }, now })?.record,
    summary: (id: number, text: SummaryParts, now: number) =>
      edit("summary", id, { text: { ...text, summary_text: summaryText(text) }, now })?.record,
    /** `sentIn`: a running model call of this session was sent the text before. */
    prompt: (id: number, prompt_text: string, now: number) =>
      edit("prompt", id, { text: { prompt_text }, now }),
    session: (id: number, title: string | null, now: number) =>
      edit("session", id, { text: { title }, now })?.record,
    /** Writes the text from before an edit. */
    undo: createUndo(trash, writers),
  };
}

/** Columns that change with the text, as in `tables`. The key of an edited prompt names the text that the host sent. */
function besideEdit(kind: TrashKind, before: Row): Row {
  switch (kind) {
    case "observation":
    case "summary":
      return { generator: "manual", upgrade: 0 };
    case "prompt": {
      const stored = { event_key: String(before.event_key), prompt_text: String(before.prompt_text) };
      return { event_key: storedDeliveryKey({ ...stored, private: 0 }) };
    }
    case "session":
      return {};
    default:
      return kind satisfies never;
  }
}

type Writers = { [K in TrashKind]: ReturnType<typeof createWriter<K>> };

function createUndo(trash: Trash, writers: Writers) {
  /** Returns the row as it is then. */
  return (entry: TrashEntry & { text_key: string | null }): { row: Row } | Refusal => {
    const { trash_id, kind, id, text_key } = entry;
    const { read, write } = writers[kind];
    const present = read(id);
    const [text] = trash.rows(trash_id, "text");
    if (text === undefined) return { is: "unknown" };
    if (present === undefined) return { is: "deleted", by: trash.deletionOf(kind, id) };
    if (textKey(kind, present) !== text_key) return { is: "changed" };
    write({ ...pick(present, tables[kind].beside), ...text });
    return { row: present };
  };
}

function createWriter<K extends TrashKind>(db: Sqlite, kind: K) {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const { table, text, beside } = tables[kind];
  const where = kind === "prompt" ? "id = ? and private = 0" : "id = ?";
  const read = sql.get<[id: number], Row>(`select * from ${table} where ${where}`);
  const update = sql.get<[Row], Row>(
    `update ${table}
     set ${[...text, ...beside].map((name) => `${name} = ${written(name)}`).join(", ")},
       revision = revision + 1, synced_at = null
     where id = @id
     returning *`,
  );
  const answer = sql.get<[id: number], Editable[K]>(
    `select ${tables[kind].columns} from ${table} where id = ?`,
  );
  return {
    read,
    write(row: Row): Editable[K] | undefined {
      const changed = update(row);
      if (changed === undefined) return undefined;
      if (table !== "sessions") derived.rewrite(table satisfies IndexedTable, changed as never);
      return answer(Number(row.id));
    },
  };
}

// Since the edit another prompt may have got the key: then the longer one stays.
function written(name: string): string {
  if (name !== "event_key") return `@${name}`;
  return `case
       when exists (select 1 from user_prompts o where o.session_id = user_prompts.session_id and o.event_key = @event_key)
         then event_key
       else @event_key end`;
}

function textKey(kind: TrashKind, row: Row): string {
  return contentKey(...tables[kind].text.map((name) => JSON.stringify(row[name] ?? null)));
}

function pick(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

function titleOf(kind: TrashKind, row: Row): string {
  switch (kind) {
    case "observation":
      return String(row.title);
    case "summary":
      return String(row.request ?? row.summary_text);
    case "prompt":
      return String(row.prompt_text);
    case "session":
      return String(row.title || row.user_prompt || row.claude_session_id);
    default:
      return kind satisfies never;
  }
}
