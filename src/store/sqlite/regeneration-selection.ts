// Selects and measures the raw events behind the records of one generator, in steps that let intake in between.
import { setImmediate } from "node:timers/promises";
import type { RegenerationRequest } from "../../core/records/regeneration.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Sqlite } from "./open.ts";
import { type TurnPlace, turnColumns } from "./turns.ts";

// Rows of one step: selecting from 100,000 records never holds up intake.
const rowsPerStep = 1_000;

interface Step {
  generator: string;
  since: number;
  project: string | null;
  after: number;
  last: number;
}

interface SizeRow extends TurnPlace {
  event: number;
  session: number;
  observation: number | null;
  summary: number | null;
}

// An observation with a source that was already deleted stays as it is: it knows more than what is left. The end of a
// turn is not selected for a rule or a fix, because no reply replaces those and it would be paid for every time.
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

const listed = (maxFailures: number) => `select g.raw_event_id as event, g.session_id as session,
    ${turnColumns}, s.observation_id as observation, u.id as summary
  from (
    select raw_event_id, session_id
    from regenerations
    where raw_event_id > @after and failures < ${maxFailures}
    order by raw_event_id
    limit @limit
  ) g
  cross join raw_events r on r.id = g.raw_event_id
  left join observation_sources s on s.raw_event_id = g.raw_event_id and s.cited = 0
  left join session_summaries u on u.generation_key = g.raw_event_id || ':0'
  order by g.raw_event_id`;

export function createRegenerationSelection(
  db: Sqlite,
  { commit, maxFailures }: Pick<GroupCommit, "commit"> & { maxFailures: number },
) {
  const sources = [
    sourceOf(db, {
      table: "observations",
      found: ofObservations,
      ids: "o.id as observation, null as summary",
    }),
    sourceOf(db, {
      table: "session_summaries",
      found: ofSummaries,
      ids: "null as observation, o.id as summary",
    }),
  ];
  const listedRows = db.prepare<{ after: number; limit: number }, SizeRow>(listed(maxFailures));

  function* rowsOf(request: RegenerationRequest | null): Generator<SizeRow[]> {
    for (let after = 0; ; ) {
      const rows = listedRows.all({ after, limit: rowsPerStep });
      const last = rows.at(-1);
      if (last === undefined) break;
      yield rows;
      after = last.event;
    }
    if (request === null) return;
    for (const { steps, rows } of sources) for (const step of steps(request)) yield rows.all(step);
  }

  return {
    /** Lists the events of the request; failed ones are retried. */
    async add(request: RegenerationRequest) {
      for (const { steps, add } of sources)
        for (const step of steps(request)) await commit(() => add.run(step));
    },
    /** The list without its failed events, and what the request would add to it. */
    async measure(request: RegenerationRequest | null) {
      const observations = new Set<number>();
      const summaries = new Set<number>();
      // Grouped as rows come: to group 100,000 at the end held up the worker for 90 ms.
      const sessions = new Map<number, Map<number, ListedEvent>>();
      for (const rows of rowsOf(request)) {
        for (const { event: id, session, prompt, is_end, observation, summary } of rows) {
          const events = sessions.get(session) ?? new Map<number, ListedEvent>();
          sessions.set(session, events.set(id, { id, prompt, is_end }));
          if (observation !== null) observations.add(observation);
          if (summary !== null) summaries.add(summary);
        }
        await setImmediate();
      }
      return { observations: observations.size, summaries: summaries.size, sessions };
    },
  };
}

export interface ListedEvent extends TurnPlace {
  id: number;
}

interface Source {
  table: "observations" | "session_summaries";
  found: string;
  ids: string;
}

function sourceOf(db: Sqlite, { table, found, ids }: Source) {
  const lastOf = db.prepare<{ generator: string; after: number }, { last: number | null }>(
    `select max(id) as last
     from (
       select id
       from ${table}
       where generator = @generator and id > @after
       order by id
       limit ${rowsPerStep}
     )`,
  );
  return {
    *steps({ generator, since = 0, project }: RegenerationRequest): Generator<Step> {
      for (let after = 0; ; ) {
        const last = lastOf.get({ generator, after })?.last ?? null;
        if (last === null) return;
        yield { generator, since, project: project ?? null, after, last };
        after = last;
      }
    },
    add: db.prepare<Step>(
      `insert into regenerations (raw_event_id, session_id)
       select distinct r.id, r.session_id
       ${found}
       on conflict (raw_event_id) do update set failures = 0, last_error = null`,
    ),
    rows: db.prepare<Step, SizeRow>(
      `select r.id as event, r.session_id as session, ${turnColumns}, ${ids}
       ${found}`,
    ),
  };
}
