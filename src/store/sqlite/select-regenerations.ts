// Chooses what is to be made again: the raw events behind the observations and summaries of one generator.
import { setImmediate } from "node:timers/promises";
import type { GroupCommit } from "./group-commit.ts";
import type { Sqlite } from "./open.ts";
import type { RegenerationSelection } from "./regenerations.ts";

// Small enough that choosing from 100,000 records never holds up intake.
const chosenAtOnce = 1_000;

interface Step {
  generator: string;
  since: number;
  project: string | null;
  after: number;
  last: number;
}

// An observation that is also made of a raw event past its age stays as it is: it knows more than what is left. A rule
// or a fix that no answer takes away would have the end of its turn chosen, and paid for, every time.
const ofObservations = `from observations o
  cross join observation_sources s on s.observation_id = o.id and s.cited = 0
  cross join raw_events r on r.id = s.raw_event_id
  where o.generator = @generator and o.id > @after and o.id <= @last
    and o.created_at_epoch >= @since and (@project is null or o.project = @project)
    and o.origin_device_id is null and not (r.kind = 'summarize' and (o.standing = 1 or o.said_by = 'tool'))
    and not exists (
      select 1
      from observation_sources m
      where m.observation_id = o.id and m.cited = 0
        and m.raw_event_id not in (select id from raw_events)
    )
    and not exists (select 1 from pending_messages p where p.id = r.id)`;

const ofSummaries = `from session_summaries o
  cross join raw_events r on r.id = cast(o.generation_key as integer)
  where o.generator = @generator and o.id > @after and o.id <= @last
    and o.created_at_epoch >= @since and (@project is null or o.project = @project)
    and o.origin_device_id is null
    and not exists (select 1 from pending_messages p where p.id = r.id)`;

/** A record that would be made again, and a raw event that it is made of. */
export interface ChosenRow {
  record: number;
  event: number;
  session: number;
  /** Bytes of the event's payload. */
  size: number;
}

export interface SelectRegenerations {
  /** Adds the raw events that fit to the list; what had been given up is tried again. */
  add(selection: RegenerationSelection): Promise<void>;
  /** What `add` would add, and what of it is there already; nothing is written. */
  look(selection: RegenerationSelection): AsyncIterable<{ kind: RecordKind; rows: ChosenRow[] }>;
}

export type RecordKind = "observation" | "summary";

export function createSelectRegenerations(db: Sqlite, commit: GroupCommit["commit"]): SelectRegenerations {
  const kinds = [
    { kind: "observation", ...statements(db, "observations", ofObservations) },
    { kind: "summary", ...statements(db, "session_summaries", ofSummaries) },
  ] as const;

  return {
    async add(selection) {
      for (const { last, add } of kinds)
        for (const step of stepsOf(last, selection)) await commit(() => add.run(step));
    },
    async *look(selection) {
      for (const { kind, last, look } of kinds)
        for (const step of stepsOf(last, selection)) {
          yield { kind, rows: look.all(step) };
          // Intake comes between two steps, as between two commits.
          await setImmediate();
        }
    },
  };
}

type Table = "observations" | "session_summaries";

function statements(db: Sqlite, table: Table, chosen: string) {
  return {
    last: lastOf(db, table),
    add: db.prepare<Step>(
      `insert into regenerations (raw_event_id, session_id)
       select distinct r.id, r.session_id
       ${chosen}
       on conflict (raw_event_id) do update set failures = 0, last_error = null`,
    ),
    look: db.prepare<Step, ChosenRow>(
      `select o.id as record, r.id as event, r.session_id as session, octet_length(r.payload) as size
       ${chosen}`,
    ),
  };
}

function* stepsOf(
  last: ReturnType<typeof lastOf>,
  { generator, since = 0, project }: RegenerationSelection,
): Generator<Step> {
  for (let after = 0; ; ) {
    const end = last.get({ generator, after, limit: chosenAtOnce })?.last ?? null;
    if (end === null) return;
    yield { generator, since, project: project ?? null, after, last: end };
    after = end;
  }
}

function lastOf(db: Sqlite, table: Table) {
  return db.prepare<{ generator: string; after: number; limit: number }, { last: number | null }>(
    `select max(id) as last
     from (
       select id
       from ${table}
       where generator = @generator and id > @after
       order by id
       limit @limit
     )`,
  );
}
