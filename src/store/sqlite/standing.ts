// Whether everything sent to a model is still stored. A prompt that turns out to be private deletes its events, and an
// answer may use everything that was sent, whatever sources it names.
import type { Sqlite } from "./open.ts";

interface Shown {
  session: { sdk_session_id: string };
  messages: readonly { id: number }[];
  recentTitles: readonly string[];
  turns: ReadonlyMap<number, { shown: readonly number[] }>;
}

/** True while every message, event and title of `shown` exists; checked before a call and when its answer is stored. */
export function createStanding(db: Sqlite): (shown: Shown) => boolean {
  const goneMessage = db.prepare<{ ids: string }, { id: number }>(
    `select i.value as id
     from json_each(@ids) i
     where not exists (select 1 from raw_events r where r.id = i.value)
     limit 1`,
  );
  const goneTitle = db.prepare<{ titles: string; sdk: string }, { title: string }>(
    `select t.value as title
     from json_each(@titles) t
     where t.value not in (select title from observations where sdk_session_id = @sdk)
     limit 1`,
  );

  return ({ session, messages, recentTitles, turns }) => {
    const ofTurns = [...turns.values()].flatMap(({ shown }) => shown);
    const ids = JSON.stringify([...messages.map(({ id }) => id), ...ofTurns]);
    const titles = JSON.stringify(recentTitles);
    return (
      goneMessage.get({ ids }) === undefined &&
      goneTitle.get({ titles, sdk: session.sdk_session_id }) === undefined
    );
  };
}
