// Chooses what is to be made again: the raw events behind the observations and summaries of one generator.
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

/** Adds the raw events that fit to the list; what had been given up is tried again. */
export function createSelectRegenerations(
  db: Sqlite,
  commit: GroupCommit["commit"],
): (selection: RegenerationSelection) => Promise<void> {
  const observations = {
    last: lastOf(db, "observations"),
    // An observation that is also made of a raw event past its age stays as it is: it knows more than what is left.
    add: db.prepare<Step>(
      `insert into regenerations (raw_event_id, session_id)
       select distinct r.id, r.session_id
       from observations o
       cross join observation_sources s on s.observation_id = o.id
       cross join raw_events r on r.id = s.raw_event_id
       where o.generator = @generator and o.id > @after and o.id <= @last
         and o.created_at_epoch >= @since and (@project is null or o.project = @project)
         and o.origin_device_id is null
         and not exists (
           select 1
           from observation_sources m
           where m.observation_id = o.id and m.raw_event_id not in (select id from raw_events)
         )
         and not exists (select 1 from pending_messages p where p.id = r.id)
       on conflict (raw_event_id) do update set failures = 0, last_error = null`,
    ),
  };
  const summaries = {
    last: lastOf(db, "session_summaries"),
    add: db.prepare<Step>(
      `insert into regenerations (raw_event_id, session_id)
       select r.id, r.session_id
       from session_summaries o
       cross join raw_events r on r.id = cast(o.generation_key as integer)
       where o.generator = @generator and o.id > @after and o.id <= @last
         and o.created_at_epoch >= @since and (@project is null or o.project = @project)
         and o.origin_device_id is null
         and not exists (select 1 from pending_messages p where p.id = r.id)
       on conflict (raw_event_id) do update set failures = 0, last_error = null`,
    ),
  };

  return async ({ generator, since = 0, project }) => {
    for (const { last, add } of [observations, summaries]) {
      for (let after = 0; ; ) {
        const step = last.get({ generator, after, limit: chosenAtOnce })?.last ?? null;
        if (step === null) break;
        const parameters = { generator, since, project: project ?? null, after, last: step };
        await commit(() => add.run(parameters));
        after = step;
      }
    }
  };
}

function lastOf(db: Sqlite, table: "observations" | "session_summaries") {
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
