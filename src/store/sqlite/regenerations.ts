// The durable list of raw events to be made again by a model: chosen once, worked off batch by batch.

import { failOpenSync } from "../../core/errors.ts";
import type { DraftObservation, DraftSummary } from "../../core/records/drafts.ts";
import type { ClaimedMessage, PendingMessage } from "../../core/records/messages.ts";
import { madeTogether, type PairingOld } from "../../core/records/pair-drafts.ts";
import type { Observation, Session } from "../../core/records/records.ts";
import { batchTitles } from "./batch-titles.ts";
import { asChanged } from "./generation-queue.ts";
import type { GroupCommit } from "./group-commit.ts";
import { createMeasureRegenerations, type RegenerationSize } from "./measure-regenerations.ts";
import type { Observations } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { createReplaceRecords, type ReplacedRecords } from "./replace-records.ts";
import { createSelectRegenerations } from "./select-regenerations.ts";
import type { Sessions } from "./sessions.ts";
import { createSharingSources } from "./sharing-sources.ts";
import { createStanding } from "./standing.ts";
import type { Statements } from "./statements.ts";
import type { Summaries } from "./summaries.ts";
import type { Turns, TurnsByMessage } from "./turns.ts";

/** Which records are to be made again. */
export interface RegenerationSelection {
  /** Records that were made at or after this time. */
  since?: number | undefined;
  project?: string | undefined;
  /** `local`, or the full id of a model. */
  generator: string;
}

export interface RegenerationBatch {
  session: Session;
  messages: ClaimedMessage[];
  recentTitles: string[];
  turns: TurnsByMessage;
}

interface BatchLimits {
  messages: number;
  /** Of the payloads together; one message may be longer. */
  characters: number;
}

export interface Regenerations {
  /** Adds what fits, also what had been given up; resolves with how many raw events wait then. */
  select(selection: RegenerationSelection): Promise<number>;
  /** How much is listed, and how much the selection would add to it; without one only what is listed. */
  measure(selection: RegenerationSelection | null): Promise<RegenerationSize>;
  /** The next messages of one session, the newest session first; null when none is left. */
  next(limits: BatchLimits): Promise<RegenerationBatch | null>;
  /** True while every message, event and title that the batch shows is there. */
  stands(batch: RegenerationBatch): boolean;
  /**
   * Puts the reply in the place of the old records and takes the batch off the list, in one transaction. Null when something
   * that the model was shown does not stand any more: nothing is stored, and what still stands stays listed.
   */
  complete(
    batch: RegenerationBatch,
    reply: {
      observations: DraftObservation[];
      summaries: DraftSummary[];
      generator: string;
      /** Raw events whose observations are routine from now on. */
      routine?: readonly number[];
      /** True when the rule certainly replaces an older one, or repeats it. */
      replaces?: (rule: Observation, older: Observation) => boolean;
    },
  ): Promise<ReplacedRecords | null>;
  /** Counts a failure of the batch; its old records stay. */
  fail(batch: RegenerationBatch, error: string): Promise<void>;
  /** Forgets the whole list; resolves with how many were on it. */
  drop(): Promise<number>;
  /** How many wait, and how many were given up. */
  counts(): { left: number; failed: number };
}

/** Failures after which a raw event is given up: its old records stay for good. */
const maxRegenerationFailures = 3;

interface Parts extends GroupCommit {
  sessions: Sessions;
  observations: Observations;
  summaries: Summaries;
  turns: Turns;
  statements: Pick<Statements, "markSettled" | "supersedeReplaced">;
}

export function createRegenerations(db: Sqlite, parts: Parts): Regenerations {
  const { commit, sessions, observations, turns, statements } = parts;
  const replace = createReplaceRecords(db, parts);
  const select = createSelectRegenerations(db, commit);
  const measure = createMeasureRegenerations(db, {
    look: select.look,
    maxFailures: maxRegenerationFailures,
  });
  const sharing = createSharingSources(db);
  // By failures: a batch that fails is tried again after all others.
  const newest = db.prepare<[number], { session_id: number }>(
    `select session_id
     from regenerations
     where failures = ?
     order by raw_event_id desc
     limit 1`,
  );
  const ofSession = db.prepare<
    { sessionId: number; failures: number; limit: number },
    { id: number; kind: string | null }
  >(
    `select g.raw_event_id as id, r.kind
     from regenerations g
     left join raw_events r on r.id = g.raw_event_id
     where g.session_id = @sessionId and g.failures = @failures
     order by g.raw_event_id
     limit @limit`,
  );
  const readWaiting = db.prepare<{ ids: string }, WaitingRow>(
    `select r.id, r.session_id, g.failures, r.created_at_epoch, r.payload
     from json_each(@ids) i
     cross join regenerations g on g.raw_event_id = i.value
     cross join raw_events r on r.id = g.raw_event_id
     order by r.id`,
  );
  const sizesOf = db.prepare<[string], { id: number; size: number }>(
    `select r.id, length(r.payload) as size
     from json_each(?) i
     cross join raw_events r on r.id = i.value`,
  );
  const stands = createStanding(db);
  const finish = db.prepare<[number]>("delete from regenerations where raw_event_id = ?");
  const fail = db.prepare<[string, number]>(
    "update regenerations set failures = failures + 1, last_error = ? where raw_event_id = ?",
  );
  const drop = db.prepare("delete from regenerations");
  const counts = db.prepare<[], { all: number; failed: number }>(
    `select count(*) as "all", coalesce(sum(failures >= ${maxRegenerationFailures}), 0) as failed
     from regenerations`,
  );

  function nextSession(): { session: Session; failures: number } | null {
    for (let failures = 0; failures < maxRegenerationFailures; failures += 1) {
      const row = newest.get(failures);
      const session = row === undefined ? undefined : sessions.byId(row.session_id);
      if (session !== undefined) return { session, failures };
    }
    return null;
  }

  /** Whole groups only, up to a summary; the first one comes even where it is above the limits by itself. */
  function nextIds(session: Session, failures: number, limits: BatchLimits): number[] {
    // One that failed before is tried alone, so that it cannot take its neighbours down with it.
    const limit = failures > 0 ? 1 : limits.messages;
    const ids = new Set<number>();
    let characters = 0;
    for (const { id, kind } of ofSession.all({ sessionId: session.id, failures, limit })) {
      if (ids.has(id)) continue;
      const group = madeTogether([id], sharing(session, [id]));
      const size = sizesOf.all(JSON.stringify(group)).reduce((sum, message) => sum + message.size, 0);
      const fits = ids.size + group.length <= limits.messages && characters + size <= limits.characters;
      if (ids.size > 0 && !fits) break;
      characters += size;
      for (const member of group) ids.add(member);
      if (kind === "summarize") break;
    }
    return [...ids].sort((a, b) => a - b);
  }

  function nextBatch(limits: BatchLimits): RegenerationBatch | null {
    for (;;) {
      const next = nextSession();
      if (next === null) return null;
      const { session } = next;
      const ids = nextIds(session, next.failures, limits);
      const messages = readWaiting.all({ ids: JSON.stringify(ids) }).flatMap(readMessage);
      const whole = withoutBroken(ids, messages, sharing(session, ids));
      for (const id of ids) if (!whole.has(id)) finish.run(id);
      if (whole.size === 0) continue;
      const chosen = [...whole.values()];
      const recentTitles = batchTitles(observations, session.id, chosen);
      return { session, messages: chosen, recentTitles, turns: turns.of(chosen) };
    }
  }

  return {
    async select(selection) {
      await select.add(selection);
      const { all, failed } = counts.get() ?? { all: 0, failed: 0 };
      return all - failed;
    },
    measure,
    next: (limits) => commit(() => nextBatch(limits)),
    stands,
    complete: (batch, reply) =>
      commit(() => {
        if (!stands(batch)) return null;
        // What was dropped while the model wrote is not replaced.
        const waiting = batch.messages.filter(({ id }) => finish.run(id).changes === 1);
        // A model that finds nothing at all to say takes nothing away.
        if (reply.observations.length + reply.summaries.length === 0) return unchanged;
        const ids = batch.messages.map(({ id }) => id);
        const all = sharing(batch.session, ids);
        const held = withoutBroken(ids, waiting, all);
        const old = all.filter(({ sources }) => sources.every((id) => held.has(id)));
        const session = sessions.byId(batch.session.id) ?? batch.session;
        const replaced = replace({ session, held, old, reply });
        const { replaces } = reply;
        const outdated =
          replaces === undefined ? [] : statements.supersedeReplaced(replaced.observations, replaces);
        const marked = statements.markSettled(reply.routine ?? []);
        return {
          ...replaced,
          observations: asChanged(replaced.observations, [...outdated, ...marked]),
          changed: outdated.filter(({ id }) => !replaced.observations.some((one) => one.id === id)),
        };
      }),
    fail: (batch, error) =>
      commit(() => {
        for (const { id } of batch.messages) fail.run(error, id);
      }),
    drop: () => commit(() => drop.run().changes),
    counts() {
      const { all, failed } = counts.get() ?? { all: 0, failed: 0 };
      return { left: all - failed, failed };
    },
  };
}

const unchanged: ReplacedRecords = { observations: [], summaries: [], deleted: 0 };

interface WaitingRow {
  id: number;
  session_id: number;
  failures: number;
  created_at_epoch: number;
  payload: string;
}

// A payload that cannot be read counts as one that is gone.
function readMessage({ payload, ...row }: WaitingRow): ClaimedMessage[] {
  const message = failOpenSync("reading a raw event", () => JSON.parse(payload) as PendingMessage);
  return message === undefined ? [] : [{ ...row, attempts: 0, message }];
}

/**
 * Those of `messages` that can be made again: an observation that was also made of one that is missing keeps its place, and
 * so what it shares sources with must not be written a second time.
 */
function withoutBroken(
  ids: readonly number[],
  messages: readonly ClaimedMessage[],
  old: readonly PairingOld[],
): Map<number, ClaimedMessage> {
  const found = new Map(messages.map((message) => [message.id, message]));
  const missing = ids.filter((id) => !found.has(id));
  for (const id of madeTogether(missing, old)) found.delete(id);
  return found;
}
