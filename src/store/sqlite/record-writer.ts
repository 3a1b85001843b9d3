// Stores the records of a provider's reply: new ones, or replacements of the records that it regenerates.
import type { DeletedRecord, DraftObservation, Reply } from "../../core/records/drafts.ts";
import { type ClaimedMessage, endsTurn } from "../../core/records/messages.ts";
import { wholeText } from "../../core/records/quoted-text.ts";
import type { Observation, Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import { generatedColumns } from "./generated-columns.ts";
import { createObservationLinks } from "./observation-links.ts";
import {
  type NewObservation,
  type Observations,
  observationColumns,
  observationRow,
} from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { pairDrafts, type Replaceable, replacedBy } from "./shared-sources.ts";
import { createSql } from "./sql.ts";
import { type NewSummary, type Summaries, summaryColumns, summaryRow } from "./summaries.ts";
import { createTombstones } from "./tombstones.ts";

export interface WrittenRecords {
  /** As stored, with the command families that a fix is for. */
  observations: { stored: Observation; families: readonly string[]; replaces: readonly number[] }[];
  summaries: SessionSummary[];
  /** Replaced records that no draft took over. */
  deleted: DeletedRecord[];
}

interface Write {
  session: Session;
  /** The messages of the batch that still belong to it; a record is stored only with one of them as its source. */
  held: ReadonlyMap<number, ClaimedMessage>;
  reply: Reply;
  /** Set when the reply regenerates: the observations made only from `held`. */
  old?: readonly Replaceable[];
}

/** Writes in the caller's transaction. */
export function createRecordWriter(
  db: Sqlite,
  { observations, summaries }: { observations: Observations; summaries: Summaries },
): (write: Write) => WrittenRecords {
  const rewrite = createRewrite(db);
  const before = createLookups(db);
  const tombstones = createTombstones(db);
  const { writeSummaries, dropSummaries } = createSummaryWriter(db, summaries);
  const saidIn = createSaidIn(db);
  const isTaken = (key: string): boolean =>
    before.byKey.get(key) !== undefined || tombstones.hasKey("observation", key);

  // The text of a rule before the user edited it does not come back beside the edited one, and that of any statement not
  // after the edited one was deleted.
  function wasEdited(
    { title, statement, sources: [source = 0] }: DraftObservation,
    sdkSessionId: string,
    old: readonly Replaceable[],
  ): boolean {
    if (statement === undefined || old.some((each) => each.title === title)) return false;
    const isEdited = statement.standing && before.editedRule.get(source) !== undefined;
    return isEdited || tombstones.hasEditedStatement(sdkSessionId, source);
  }

  function writeObservations({ session, held, reply, old }: Write) {
    const drafts = reply.observations
      .map((draft) => ({ ...draft, ...linksOf(draft, held) }))
      .filter((draft) => draft.sources.length > 0 && !(old && wasEdited(draft, session.sdk_session_id, old)));
    // An old observation that no draft touches stays as it is, and so does the user's own text.
    const said = replacedBy(drafts, old ?? []);
    const touched =
      reply.isJudged === true ? (old ?? []).filter((one) => !one.isKept || said.includes(one)) : said;
    const replaced = touched.filter(({ isFixed }) => !isFixed);
    for (const { id } of replaced) rewrite.freeKey(id);
    const keyOf = newKeys(old === undefined ? () => false : isTaken);
    const deleted = old === undefined ? [] : tombstones.replaceable(session.sdk_session_id, drafts);
    const fixed = new Set([...touched, ...deleted].flatMap(({ id, isFixed }) => (isFixed ? [id] : [])));
    const pairs = pairDrafts(drafts, [...touched, ...deleted]);
    const written: WrittenRecords["observations"] = [];
    for (const [index, { sources, cited, ...draft }] of drafts.entries()) {
      const source = held.get(sources[0] ?? 0);
      const id = pairs.get(index);
      if (source === undefined || (id !== undefined && fixed.has(id))) continue;
      const observation: NewObservation = {
        draft,
        sources,
        cited,
        ...ownedBy(session, source, { ...reply, today: before.today }),
        ...saidIn(draft, source),
        agent_id: source.message.agent_id ?? null,
        agent_type: source.message.agent_type ?? null,
        discovery_tokens: sources.reduce((sum, id) => sum + workTokens(held.get(id)), 0),
        generation_key: keyOf(source.id),
      };
      const stored =
        id === undefined ? observations.insert(observation) : rewrite.observation(id, observation);
      const { replaces = [] } = draft;
      if (stored !== undefined) written.push({ stored, replaces, families: draft.statement?.families ?? [] });
    }
    const kept = new Set(pairs.values());
    const surplus = replaced.filter(({ id }) => !kept.has(id) && before.isReviewed.get(id) === undefined);
    for (const { id } of surplus) rewrite.deleteObservation(id);
    return { observations: written, deleted: surplus.map(({ id }) => id) };
  }

  return (write) => {
    const { observations, deleted } = writeObservations(write);
    const written = writeSummaries(write);
    const { project } = write.session;
    return {
      observations,
      summaries: written,
      deleted: [
        ...deleted.map((id) => ({ kind: "observation" as const, id, project })),
        ...dropSummaries(write, written).map((id) => ({ kind: "summary" as const, id, project })),
      ],
    };
  };
}

/** Number and time of the prompt with the user's words: a turn may join several. Nothing for other words. */
function createSaidIn(db: Sqlite) {
  const prompts = createSql(db).all<
    [sessionId: number, upTo: number],
    Pick<UserPrompt, "prompt_number" | "created_at_epoch" | "prompt_text">
  >(
    `select prompt_number, created_at_epoch, prompt_text
     from user_prompts
     where session_id = ? and prompt_number <= ? and private = 0
     order by prompt_number desc
     limit 10`,
  );
  const flat = (text: string): string => text.replace(/\s+/g, " ");
  return (draft: Omit<DraftObservation, "sources">, { session_id, message }: ClaimedMessage) => {
    if (draft.statement?.said_by !== "user") return {};
    const words = flat(wholeText(draft));
    const said = prompts(session_id, message.prompt_number ?? 0).find((one) =>
      flat(one.prompt_text).includes(words),
    );
    return said === undefined
      ? {}
      : { prompt_number: said.prompt_number, created_at_epoch: said.created_at_epoch };
  };
}

function createSummaryWriter(db: Sqlite, summaries: Summaries) {
  const rewrite = createRewrite(db);
  const before = createLookups(db);
  const tombstones = createTombstones(db);

  // The user's own text stays.
  function writeSummaries({ session, held, reply, old }: Write): SessionSummary[] {
    return reply.summaries.flatMap((draft) => {
      const source = held.get(draft.source);
      if (source === undefined) return [];
      const key = `${source.id}:0`;
      if (tombstones.hasKey("summary", key)) return [];
      const summary = {
        draft,
        ...ownedBy(session, source, { ...reply, today: before.today }),
        generation_key: key,
      };
      const present = old === undefined ? undefined : before.summary.get(key);
      if (present?.generator === "manual") return [];
      const stored = present === undefined ? summaries.insert(summary) : rewrite.summary(present.id, summary);
      return stored === undefined ? [] : [stored];
    });
  }

  // The new summary goes on with the one that the model was shown: that one says nothing more.
  function dropSummaries({ session, held, reply }: Write, written: readonly SessionSummary[]): number[] {
    const ends = [...held.values()].filter(({ message }) => endsTurn(message));
    if (reply.isJudged !== true || ends.length === 0) return [];
    const [newest] = written;
    const own = Math.min(...held.keys());
    const dropped = before.generated({
      ...{ sdk: session.sdk_session_id, project: newest?.project ?? session.project },
      from: newest === undefined ? own : (before.shown(session.sdk_session_id, newest.project, own) ?? own),
      to: Math.max(...ends.map(({ id }) => id)),
    });
    const others = dropped.filter((id) => id !== newest?.id);
    for (const id of others) rewrite.deleteSummary(id);
    return others;
  }

  return { writeSummaries, dropSummaries };
}

/** Keys of new observations: `<source>:<ordinal>`. A record that stays keeps its key. */
function newKeys(isTaken: (key: string) => boolean): (source: number) => string {
  const ordinals = new Map<number, number>();
  return (source) => {
    let ordinal = ordinals.get(source) ?? 0;
    while (isTaken(`${source}:${ordinal}`)) ordinal += 1;
    ordinals.set(source, ordinal + 1);
    return `${source}:${ordinal}`;
  };
}

function createLookups(db: Sqlite) {
  const shown = createSql(db).value<[sdk: string, project: string, before: number], number | null>(
    `select max(cast(generation_key as integer))
     from session_summaries
     where sdk_session_id = ? and project = ? and cast(generation_key as integer) < ?`,
  );
  const generated = createSql(db).values<
    [{ sdk: string; project: string; from: number; to: number }],
    number
  >(
    `select id
     from session_summaries
     where sdk_session_id = @sdk and project = @project and generator <> 'manual' and origin_device_id is null
       and cast(generation_key as integer) between @from and @to`,
  );
  const renamed = createSql(db).value<[string], string>(
    "select p.label from project_aliases a join projects p on p.id = a.project_id where a.label = ?",
  );
  return {
    /** A label under which the project is known now. */
    today: (label: string) => renamed(label) ?? label,
    byKey: db.prepare<[string], { id: number }>("select id from observations where generation_key = ?"),
    /** Summaries of the session by a model or by rules, of the turns that these messages end. */
    generated,
    /** The key of the newest summary before these messages: a model is shown it. */
    shown,
    summary: db.prepare<[string], { id: number; generator: string }>(
      "select id, generator from session_summaries where generation_key = ?",
    ),
    editedRule: db.prepare<[number], { id: number }>(
      `select o.id
       from observation_sources s
       cross join observations o on o.id = s.observation_id
       where s.raw_event_id = ? and s.cited = 0 and o.standing = 1 and o.generator = 'manual'`,
    ),
    // What the user reviewed, or marked as the replacement of another, is never deleted.
    isReviewed: db.prepare<[number], { id: number }>(
      `select id
       from observations o
       where id = ? and (status <> 'active' or pinned = 1
         or exists (select 1 from observations before where before.superseded_by = o.id))`,
    ),
  };
}

type Row = Record<string, string | number | null>;

/** Changes and deletes records with their links and derived rows; id and time stay. */
function createRewrite(db: Sqlite) {
  const derived = createDerivedRows(db);
  const links = createObservationLinks(db);
  const freeKey = db.prepare<[number]>("update observations set generation_key = null where id = ?");
  const deleteObservation = db.prepare<[number]>("delete from observations where id = ?");
  const deleteSummary = db.prepare<[number]>("delete from session_summaries where id = ?");

  function update<T>(table: string, columns: readonly string[], returning: string) {
    const statement = db.prepare<Row, T>(
      `update ${table}
       set ${columns.map((column) => `${column} = @${column}`).join(", ")},
         upgrade = @upgrade, revision = revision + 1, synced_at = null
       where id = @id
       returning ${returning}`,
    );
    return (id: number, row: Row): T | undefined => {
      const values = [...columns, "upgrade"].map((column) => [column, row[column] ?? null] as const);
      return statement.get({ id, ...Object.fromEntries(values) });
    };
  }
  const updateObservation = update<Observation>(
    "observations",
    generatedColumns.observation,
    observationColumns,
  );
  const updateSummary = update<SessionSummary>("session_summaries", generatedColumns.summary, summaryColumns);

  return {
    freeKey: (id: number) => void freeKey.run(id),
    observation(id: number, observation: NewObservation): Observation | undefined {
      const changed = updateObservation(id, observationRow(observation));
      if (changed === undefined) return undefined;
      derived.rewrite("observations", changed);
      links.drop(id);
      links.add(id, observation);
      return changed;
    },
    summary(id: number, summary: NewSummary): SessionSummary | undefined {
      const changed = updateSummary(id, summaryRow(summary));
      if (changed === undefined) return undefined;
      derived.rewrite("session_summaries", changed);
      return changed;
    },
    deleteObservation(id: number): void {
      derived.drop("observations", id);
      deleteObservation.run(id);
    },
    deleteSummary(id: number): void {
      derived.drop("session_summaries", id);
      deleteSummary.run(id);
    },
  };
}

// A statement belongs to the message that it is quoted from. The tool uses that it cites have their own observations
// and are regenerated without it.
function linksOf(
  { sources, statement }: Pick<DraftObservation, "sources" | "statement">,
  held: ReadonlyMap<number, ClaimedMessage>,
): { sources: number[]; cited: number[] } {
  const own = sources.filter((id) => held.has(id));
  if (statement === undefined) return { sources: own, cited: [] };
  const [first] = own;
  return { sources: own.slice(0, 1), cited: sources.filter((id) => id !== first) };
}

function ownedBy(
  session: Session,
  source: ClaimedMessage,
  { generator, upgrade = false, today }: Reply & { today(label: string): string },
) {
  const { project } = source.message;
  return {
    session_id: session.id,
    sdk_session_id: session.sdk_session_id,
    project: project === undefined ? session.project : today(project),
    prompt_number: source.message.prompt_number ?? null,
    generator,
    upgrade,
    created_at_epoch: source.created_at_epoch,
    branch: source.message.branch ?? null,
    commit: source.message.commit ?? null,
  };
}

// Tokens of the work behind a message, at four characters a token.
function workTokens(message: ClaimedMessage | undefined): number {
  if (message === undefined || message.message.type === "summarize") return 0;
  const { tool_input, tool_response } = message.message;
  return Math.ceil((JSON.stringify([tool_input ?? "", tool_response ?? ""]).length - 3) / 4);
}
