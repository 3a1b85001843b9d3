// The generation queue: claims a batch of a session, completes it in one transaction, or releases it.
import type { ClaimedMessage } from "../../core/records/messages.ts";
import type { Release } from "../../core/records/queue.ts";
import type { Observation, Session, SessionSummary } from "../../core/records/records.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Observations } from "./observations.ts";
import type { DueMessages, PendingMessages } from "./pending-messages.ts";
import type { RecordReply, WrittenRecords } from "./record-writer.ts";
import type { Sessions } from "./sessions.ts";
import type { Statements } from "./statements.ts";
import type { Turns, TurnsByMessage } from "./turns.ts";

/** A reply, and what the turns that it ends say about earlier records. */
export interface SettledReply extends RecordReply {
  /** Raw events whose observations are routine from now on. */
  routine?: readonly number[];
  /** Command families that passed. */
  passed?: readonly string[];
  /** Whether a fix takes the place of an older one of the same command family, by their texts. */
  replacesFix?: (newerText: string, olderText: string) => boolean;
  /** By the message that ends a turn: whether the turn finished open work, by its text. */
  finished?: ReadonlyMap<number, (openText: string) => boolean>;
  /** Whether a rule replaces or repeats an older one. */
  replaces?: (rule: Observation, older: Observation) => boolean;
  saysSame?: (one: Observation, other: Observation) => boolean;
}

export interface ClaimedBatch {
  session: Session;
  messages: ClaimedMessage[];
  recentTitles: string[];
  turns: TurnsByMessage;
}

export interface CompletedBatch {
  observations: Observation[];
  summaries: SessionSummary[];
  /** Earlier observations that are routine or superseded from now on. */
  changed: Observation[];
}

/** The due messages of a session, and whether more can come. */
export interface WaitingMessages extends DueMessages {
  isCompleted: boolean;
}

export type GenerationQueue = ReturnType<typeof createGenerationQueue>;

interface Parts extends GroupCommit {
  sessions: Sessions;
  observations: Observations;
  pending: PendingMessages;
  turns: Turns;
  writeRecords: (write: {
    session: Session;
    held: ReadonlyMap<number, ClaimedMessage>;
    reply: RecordReply;
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

/** `owner` is the worker instance that holds the leases. */
export function createGenerationQueue(parts: Parts, owner: string) {
  const { sessions, pending } = parts;
  return {
    claim: (
      sessionId: number,
      { now, leaseMs, limit, maxChars }: { now: number; leaseMs: number; limit: number; maxChars: number },
    ) =>
      parts.commit(() => {
        const session = sessions.byId(sessionId);
        const leaseUntil = now + leaseMs;
        const messages = pending.claim({ sessionId, owner, now, leaseUntil, limit, maxChars });
        return session === undefined || messages.length === 0 ? null : batchOf(parts, session, messages);
      }),
    complete: (batch: ClaimedBatch, reply: SettledReply) =>
      parts.commit(() => complete(parts, owner, { batch, reply })),
    release: (messages: readonly ClaimedMessage[], release: Release) =>
      parts.commit(() => {
        for (const { id } of messages) pending.release(id, release);
      }),
    /** Releases expired leases, except for `sessionsInWork`. */
    reclaimExpired: (now: number, inWork: readonly number[]) =>
      parts.commit(() => pending.reclaimExpired(now, inWork)),
    /** Reads at most `limit` due messages of the session; null when none is due. */
    waiting(sessionId: number, now: number, limit: number): WaitingMessages | null {
      const due = pending.dueOf(sessionId, now, limit);
      return due && { ...due, isCompleted: sessions.byId(sessionId)?.status === "completed" };
    },
    /** True when the session's next due message was imported: local rules write its records. */
    isImported: pending.isImported,
    sessionsDue: pending.sessionsDue,
    nextDue: pending.nextDue,
  };
}

/** The messages with what the provider is shown beside them. */
export function batchOf(
  { observations, turns }: Pick<Parts, "observations" | "turns">,
  session: Session,
  messages: ClaimedMessage[],
): ClaimedBatch {
  const [first] = messages;
  const asksForSummary = messages.some(({ message }) => message.type === "summarize");
  const recentTitles =
    first === undefined || !asksForSummary
      ? observations.recentTitles(session.id, maxTitles)
      : observations.titlesSinceSummary({ sessionId: session.id, before: first.id, limit: maxTitles });
  return { session, messages, recentTitles, turns: turns.of(messages) };
}

const maxTitles = 30;

// The order matters: failures end before the new ones are stored, and new records are marked with the older ones.
function complete(
  { sessions, pending, writeRecords, statements }: Parts,
  owner: string,
  { batch, reply }: { batch: ClaimedBatch; reply: SettledReply },
): CompletedBatch {
  // The project may have been renamed or merged since the claim.
  const session = sessions.byId(batch.session.id) ?? batch.session;
  const { project } = session;
  const held = new Map(
    batch.messages.filter(({ id }) => pending.finish(id, owner)).map((message) => [message.id, message]),
  );
  // The messages were requeued or deleted: what the reply says was made from other texts.
  if (held.size === 0) return { observations: [], summaries: [], changed: [] };
  pending.count("done", held.size);
  const { passed = [], replacesFix = () => true, finished = new Map() } = reply;
  const at = Math.max(...[...held.values()].map(({ created_at_epoch }) => created_at_epoch));
  const ended = statements.supersedeFailures({ project, families: passed, at });
  const written = writeRecords({ session, held, reply });
  const replaced = written.observations.flatMap(({ stored, families }) =>
    statements.supersedeFixes({ project, families, by: stored, replaces: replacesFix }),
  );
  const done = [...finished].flatMap(([source, finishes]) => {
    const at = held.get(source)?.created_at_epoch;
    return at === undefined ? [] : statements.supersedeFinished({ project, at, finishes });
  });
  const { observations, changed } = settle(statements, written, reply, done);
  return { observations, summaries: written.summaries, changed: [...ended, ...replaced, ...changed] };
}

/** Marks what the reply makes routine or superseded; `before` was superseded earlier in the transaction. */
export function settle(
  statements: Pick<Statements, "markSettled" | "supersedeReplaced" | "weighProposals">,
  written: WrittenRecords,
  { replaces, saysSame, routine = [] }: SettledReply,
  before: readonly Observation[] = [],
): Pick<CompletedBatch, "observations" | "changed"> {
  const stored = written.observations.map((one) => one.stored);
  const weighed = saysSame === undefined ? [] : statements.weighProposals(stored, saysSame);
  const sure = stored.map((one) => weighed.findLast(({ id }) => id === one.id) ?? one);
  const superseded = replaces === undefined ? [] : statements.supersedeReplaced(sure, replaces);
  const changes = [...before, ...weighed, ...superseded, ...statements.markSettled(routine)];
  return {
    observations: stored.map((one) => changes.findLast(({ id }) => id === one.id) ?? one),
    changed: changes.filter(({ id }) => !stored.some((one) => one.id === id)),
  };
}
