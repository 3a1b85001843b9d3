// The generation queue: claims a batch of a session, completes it in one transaction, or releases it.
import type { Made, Reply, SettledReply } from "../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../core/records/messages.ts";
import type { Release } from "../../core/records/queue.ts";
import type { Observation, Session } from "../../core/records/records.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { KnownThings } from "./known-things.ts";
import type { Observations } from "./observations.ts";
import type { ClaimRequest, PendingMessages } from "./pending-messages.ts";
import type { Prompts } from "./prompts.ts";
import type { WrittenRecords } from "./record-writer.ts";
import type { Sessions } from "./sessions.ts";
import type { SharedSources } from "./shared-sources.ts";
import type { Statements } from "./statements.ts";
import type { StoredTurn, Turns } from "./turns.ts";

export interface ClaimedBatch {
  session: Session;
  messages: ClaimedMessage[];
  recentTitles: string[];
  turn?: StoredTurn | undefined;
  /** The prompt of a turn that has not ended. */
  request?: string | undefined;
  knownBefore: () => ReturnType<KnownThings["of"]>;
}

export type GenerationQueue = ReturnType<typeof createGenerationQueue>;

interface Parts extends GroupCommit {
  sessions: Sessions;
  observations: Observations;
  pending: PendingMessages;
  prompts: Pick<Prompts, "byNumber">;
  turns: Turns;
  sharing: SharedSources;
  known: KnownThings;
  writeRecords: (write: {
    session: Session;
    held: ReadonlyMap<number, ClaimedMessage>;
    reply: Reply;
  }) => WrittenRecords;
  statements: Pick<
    Statements,
    | "markSettled"
    | "supersedeFailures"
    | "supersedeFixes"
    | "supersedeFinished"
    | "supersedeReplaced"
    | "weighProposals"
  >;
}

// After a power cut the messages wait again, and rules write the same: a sync for each turn was half of an import beside
// other work. A model's reply costs money.
const repeatable = { repeatable: true } as const;

/** `owner` is the worker instance that holds the leases. */
export function createGenerationQueue(parts: Parts, owner: string) {
  const { sessions, pending } = parts;
  return {
    claim: (
      sessionId: number,
      { leaseMs, ...limits }: { leaseMs: number } & Omit<ClaimRequest, "sessionId" | "owner" | "leaseUntil">,
    ) =>
      parts.commit(() => {
        const session = sessions.byId(sessionId);
        const leaseUntil = limits.now + leaseMs;
        const messages = pending.claim({ sessionId, owner, leaseUntil, ...limits });
        return session === undefined || messages.length === 0 ? null : batchOf(parts, session, messages);
      }, repeatable),
    complete: (batch: ClaimedBatch, reply: SettledReply) =>
      parts.commit(
        () => complete(parts, batch, reply, (id) => pending.finish(id, owner)),
        reply.generator === "local" ? repeatable : undefined,
      ),
    /** The session's messages without provisional records; null when there are none. */
    undrafted(sessionId: number, limit: number): ClaimedBatch | null {
      const session = sessions.byId(sessionId);
      const messages = session === undefined ? [] : pending.undrafted(sessionId, limit);
      return session === undefined || messages.length === 0 ? null : batchOf(parts, session, messages);
    },
    /** Stores provisional records; the messages wait on. */
    draft: (batch: ClaimedBatch, reply: SettledReply) =>
      parts.commit(() => complete(parts, batch, reply, pending.markDrafted), repeatable),
    release: (messages: readonly ClaimedMessage[], release: Release) =>
      parts.commit(() => {
        for (const { id } of messages) pending.release(id, release);
      }),
    /** Releases expired leases, except for `sessionsInWork`. */
    reclaimExpired: (now: number, inWork: readonly number[]) =>
      parts.commit(() => pending.reclaimExpired(now, inWork)),
    waiting: pending.dueOf,
    /** True when the session's next due message was imported: local rules write its records. */
    isImported: pending.isImported,
    hasUndrafted: pending.hasUndrafted,
    sessionsDue: pending.sessionsDue,
    nextDue: pending.nextDue,
  };
}

/** The messages with what the provider is shown beside them. */
export function batchOf(
  { observations, turns, prompts, known }: Pick<Parts, "observations" | "turns" | "prompts" | "known">,
  session: Session,
  messages: ClaimedMessage[],
): ClaimedBatch {
  const [first] = messages;
  const turn = turns.endedBy(messages);
  const prompt = turn === undefined ? messages.at(-1)?.message.prompt_number : undefined;
  return {
    session,
    messages,
    recentTitles: observations.titlesSinceSummary({
      ...{ sessionId: session.id, before: first?.id ?? 0, limit: maxTitles },
    }),
    turn,
    request: prompt === undefined ? undefined : prompts.byNumber(session.id, prompt)?.prompt_text,
    knownBefore: () => known.of({ ...session, project: projectOf(session, messages) }, messages),
  };
}

const maxTitles = 30;

/** The project of a turn: of its end, where that is another one than the session's. */
function projectOf({ project }: Session, messages: Iterable<ClaimedMessage>): string {
  return [...messages].at(-1)?.message.project ?? project;
}

// The order matters: failures end before the new ones are stored, and new records are marked with the older ones.
function complete(
  { sessions, pending, writeRecords, statements, sharing, known }: Parts,
  batch: ClaimedBatch,
  reply: SettledReply,
  take: (id: number) => boolean,
): Made {
  // The project may have been renamed or merged since the claim.
  const session = sessions.byId(batch.session.id) ?? batch.session;
  const held = new Map(batch.messages.filter(({ id }) => take(id)).map((message) => [message.id, message]));
  // The messages were requeued or deleted: what the reply says was made from other texts.
  if (held.size === 0) return { observations: [], summaries: [] };
  if (reply.isDraft !== true) pending.count("done", held.size);
  const project = projectOf(session, held.values());
  const { passed = [], replacesFix = () => true, finishes } = reply;
  const at = Math.max(...[...held.values()].map(({ created_at_epoch }) => created_at_epoch));
  const ended = statements.supersedeFailures({ project, families: passed, at });
  const provisional = sharing(session, [...held.keys()]);
  const old = provisional.filter(({ sources }) => sources.every((id) => held.has(id)));
  const written = writeRecords({ session, held, reply, ...(old.length === 0 ? {} : { old }) });
  const replaced = written.observations.flatMap(({ stored, families }) =>
    statements.supersedeFixes({ project, families, by: stored, replaces: replacesFix }),
  );
  const end = held.get(batch.messages.at(-1)?.id ?? 0);
  const done =
    end === undefined || finishes === undefined
      ? []
      : statements.supersedeFinished({ project, at: end.created_at_epoch, finishes });
  const { observations, changed } = settle({ ...statements, known }, written, reply, done);
  return {
    observations,
    summaries: written.summaries,
    changed: [...ended, ...replaced, ...changed],
    deleted: written.deleted,
  };
}

/** Marks what the reply makes routine or superseded; `before` was superseded earlier in the transaction. */
export function settle(
  statements: Pick<Statements, "markSettled" | "supersedeReplaced" | "weighProposals"> & {
    known: Pick<KnownThings, "replace" | "close">;
  },
  written: WrittenRecords,
  { replaces, saysSame, routine = [], closes = [], generator }: SettledReply,
  before: readonly Observation[] = [],
): { observations: Observation[]; changed: Observation[] } {
  const stored = written.observations.map((one) => one.stored);
  const weighed = saysSame === undefined ? [] : statements.weighProposals(stored, saysSame);
  const sure = stored.map((one) => weighed.findLast(({ id }) => id === one.id) ?? one);
  const superseded = replaces === undefined ? [] : statements.supersedeReplaced(sure, replaces);
  const { known } = statements;
  const judged = written.observations.flatMap(({ stored, replaces }) => known.replace(replaces, stored.id));
  const closed = known.close(closes, generator);
  const settled = statements.markSettled(routine);
  const changes = [...before, ...weighed, ...superseded, ...judged, ...closed, ...settled];
  return {
    observations: stored.map((one) => changes.findLast(({ id }) => id === one.id) ?? one),
    changed: changes.filter(({ id }) => !stored.some((one) => one.id === id)),
  };
}
