// Puts what was made again in the place of what was made before: same ids and times, new content, all derived rows.
import type { DraftObservation, DraftSummary } from "../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../core/records/messages.ts";
import { type PairingOld, pairDrafts, replacedBy } from "../../core/records/pair-drafts.ts";
import type { Observation, Session, SessionSummary } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import { linksOf, ownedBy, workTokens } from "./generation-queue.ts";
import { createObservationLinks } from "./observation-links.ts";
import {
  type NewObservation,
  type Observations,
  observationColumns,
  observationRow,
} from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { type NewSummary, type Summaries, summaryColumns, summaryRow } from "./summaries.ts";

interface Reply {
  observations: readonly DraftObservation[];
  summaries: readonly DraftSummary[];
  generator: string;
}

export interface ReplacedRecords {
  /** As they are now, changed ones and new ones. */
  observations: Observation[];
  summaries: SessionSummary[];
  /** Older observations that are superseded from now on. */
  changed?: Observation[];
  /** Observations that are gone: others say now what their messages hold. */
  deleted: number;
}

interface Replacement {
  session: Session;
  /** The messages that were made again; only records made of nothing else are touched. */
  held: ReadonlyMap<number, ClaimedMessage>;
  /** The observations made of those messages alone, before. */
  old: readonly PairingOld[];
  reply: Reply;
}

/** Replaces the records of some messages; runs in the caller's transaction. */
export function createReplaceRecords(
  db: Sqlite,
  { observations, summaries }: { observations: Observations; summaries: Summaries },
): (replacement: Replacement) => ReplacedRecords {
  const derived = createDerivedRows(db);
  const links = createObservationLinks(db);
  const updateObservation = db.prepare<Record<string, string | number | null>, Observation>(
    `update observations
     set obs_type = @obs_type, title = @title, subtitle = @subtitle, summary = @summary, narrative = @narrative,
       facts = @facts, concepts = @concepts, files_touched = @files_touched, files_read = @files_read,
       files_modified = @files_modified, prompt_number = @prompt_number, generator = @generator,
       provenance = @provenance, agent_id = @agent_id, agent_type = @agent_type,
       discovery_tokens = @discovery_tokens, generation_key = @generation_key, upgrade = 0,
       said_by = @said_by, standing = @standing, reach = @reach, salience = @salience, routine = @routine,
       revision = revision + 1, synced_at = null
     where id = @id
     returning ${observationColumns}`,
  );
  const freeKey = db.prepare<[number]>("update observations set generation_key = null where id = ?");
  const keyTaken = db.prepare<[string], { id: number }>(
    "select id from observations where generation_key = ?",
  );
  // The user's own words for a rule of this message.
  const editedRule = db.prepare<[number], { id: number }>(
    `select o.id
     from observation_sources s
     cross join observations o on o.id = s.observation_id
     where s.raw_event_id = ? and s.cited = 0 and o.standing = 1 and o.generator = 'manual'`,
  );
  // What the user has said something of, or has put in the place of another, stays.
  const isJudged = db.prepare<[number], { id: number }>(
    `select id
     from observations o
     where id = ? and (status <> 'active' or pinned = 1
       or exists (select 1 from observations before where before.superseded_by = o.id))`,
  );
  const deleteObservation = db.prepare<[number]>("delete from observations where id = ?");
  const summaryOf = db.prepare<[string], { id: number }>(
    "select id from session_summaries where generation_key = ?",
  );
  const updateSummary = db.prepare<Record<string, string | number | null>, SessionSummary>(
    `update session_summaries
     set summary_text = @summary_text, request = @request, investigated = @investigated, learned = @learned,
       completed = @completed, next_steps = @next_steps, notes = @notes, facts = @facts, concepts = @concepts,
       files_touched = @files_touched, files_read = @files_read, files_modified = @files_modified,
       prompt_number = @prompt_number, generator = @generator, upgrade = 0,
       revision = revision + 1, synced_at = null
     where id = @id
     returning ${summaryColumns}`,
  );

  function changeObservation(id: number, observation: NewObservation): Observation | undefined {
    // What cannot change stays out: a parameter that a statement does not name is refused.
    const {
      session_id: _session,
      sdk_session_id: _sdk,
      project: _project,
      created_at_epoch: _at,
      upgrade: _upgrade,
      ...row
    } = observationRow(observation);
    const changed = updateObservation.get({ ...row, id });
    if (changed === undefined) return undefined;
    derived.dropObservation(id);
    derived.ofObservation(changed);
    links.drop(id);
    links.add(id, observation);
    return changed;
  }

  // The rule as it was before the user edited it does not come back beside the edited one.
  function wasEdited({ title, statement, sources }: DraftObservation, old: readonly PairingOld[]): boolean {
    return (
      statement?.standing === true &&
      editedRule.get(sources[0] ?? 0) !== undefined &&
      !old.some((each) => each.title === title)
    );
  }

  function replaceObservations({ session, held, old, reply }: Replacement) {
    const drafts = reply.observations
      .map((draft) => ({ ...draft, ...linksOf(draft, held) }))
      .filter((draft) => draft.sources.length > 0 && !wasEdited(draft, old));
    // What the reply says nothing about stays as it was, as a summary does: silence takes no text away.
    const replaced = replacedBy(drafts, old);
    for (const { id } of replaced) freeKey.run(id);
    const ordinals = new Map<number, number>();
    const keyOf = (source: number): string => {
      let ordinal = ordinals.get(source) ?? 0;
      // A record that stays as it was keeps its key.
      while (keyTaken.get(`${source}:${ordinal}`) !== undefined) ordinal += 1;
      ordinals.set(source, ordinal + 1);
      return `${source}:${ordinal}`;
    };
    const pairs = pairDrafts(drafts, replaced);
    const stored: Observation[] = [];
    for (const [index, { sources, cited, ...draft }] of drafts.entries()) {
      const source = held.get(sources[0] ?? 0);
      if (source === undefined) continue;
      const before = pairs.get(index);
      const observation: NewObservation = {
        draft,
        sources,
        cited,
        ...ownedBy(session, source, reply.generator),
        agent_id: source.message.agent_id ?? null,
        agent_type: source.message.agent_type ?? null,
        discovery_tokens: sources.reduce((sum, id) => sum + workTokens(held.get(id)), 0),
        generation_key: keyOf(source.id),
      };
      const now =
        before === undefined ? observations.insert(observation) : changeObservation(before, observation);
      if (now !== undefined) stored.push(now);
    }
    const kept = new Set(pairs.values());
    const surplus = replaced.filter(({ id }) => !kept.has(id) && isJudged.get(id) === undefined);
    for (const { id } of surplus) {
      derived.dropObservation(id);
      deleteObservation.run(id);
    }
    return { observations: stored, deleted: surplus.length };
  }

  function changeSummary(id: number, summary: NewSummary): SessionSummary | undefined {
    const {
      session_id: _session,
      sdk_session_id: _sdk,
      project: _project,
      created_at_epoch: _at,
      generation_key: _key,
      upgrade: _upgrade,
      ...row
    } = summaryRow(summary);
    const changed = updateSummary.get({ ...row, id });
    if (changed === undefined) return undefined;
    derived.dropSummary(id);
    derived.ofSummary(changed);
    return changed;
  }

  // A summary that the reply leaves out stays as it was: the session has no other.
  function replaceSummaries({ session, held, reply }: Replacement): SessionSummary[] {
    return reply.summaries.flatMap((draft) => {
      const source = held.get(draft.source);
      if (source === undefined) return [];
      const key = `${source.id}:0`;
      const summary = { draft, ...ownedBy(session, source, reply.generator), generation_key: key };
      const before = summaryOf.get(key);
      const now = before === undefined ? summaries.insert(summary) : changeSummary(before.id, summary);
      return now === undefined ? [] : [now];
    });
  }

  return (replacement) => ({
    ...replaceObservations(replacement),
    summaries: replaceSummaries(replacement),
  });
}
