// The generation loop's view of the store: claim a batch, complete it in one transaction, or give it back.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../core/records/messages.ts";
import type { Observation, Session, SessionSummary } from "../../core/records/records.ts";
import { batchTitles } from "./batch-titles.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Observations } from "./observations.ts";
import type { DueMessages, PendingMessages } from "./pending-messages.ts";
import type { Sessions } from "./sessions.ts";
import type { Statements } from "./statements.ts";
import type { Summaries } from "./summaries.ts";
import type { Turns, TurnsByMessage } from "./turns.ts";

interface Parts extends GroupCommit {
  sessions: Sessions;
  observations: Observations;
  summaries: Summaries;
  pending: PendingMessages;
  turns: Turns;
  statements: Pick<
    Statements,
    "markSettled" | "supersedeFailures" | "supersedeFixes" | "supersedeFinished" | "supersedeReplaced"
  >;
}

interface Reply {
  observations: DraftObservation[];
  summaries: Parameters<Summaries["insert"]>[0]["draft"][];
  generator: string;
  upgrade?: boolean;
  /** Raw events whose observations are routine from now on. */
  routine?: readonly number[];
  /** Command families that passed. */
  passed?: readonly string[];
  /** True for the text of a failure of them that is no longer open. */
  endsFailure?: (failureText: string) => boolean;
  /** By the message that ends a turn: whether the turn finished the open work of such a text. */
  finished?: ReadonlyMap<number, (openText: string) => boolean>;
  /** True when the rule certainly replaces an older one, or repeats it. */
  replaces?: (rule: Observation, older: Observation) => boolean;
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
  /** Observations of earlier batches that are routine or superseded from now on. */
  changed: Observation[];
}

/** What becomes of a claimed message that was not completed. */
export type Release =
  | { kind: "retry" | "later"; at: number; error: string }
  | { kind: "dead"; error: string }
  | { kind: "give_back" };

/** What of a session is due, and whether more can come. */
export interface WaitingMessages extends DueMessages {
  isCompleted: boolean;
}

export interface GenerationQueue {
  claim(
    sessionId: number,
    request: { now: number; leaseMs: number; limit: number; maxChars: number },
  ): Promise<ClaimedBatch | null>;
  complete(batch: ClaimedBatch, reply: Reply): Promise<CompletedBatch>;
  release(messages: readonly ClaimedMessage[], release: Release): Promise<void>;
  reclaimExpired(now: number, sessionsInWork: readonly number[]): Promise<number>;
  /** Of the oldest due messages of the session, `limit` at most; null when none is due. */
  waiting(sessionId: number, now: number, limit: number): WaitingMessages | null;
  sessionsDue(now: number): number[];
  nextDue(now: number): number | null;
}

/** `owner` is the instance that holds the leases. */
export function createGenerationQueue(parts: Parts, owner: string): GenerationQueue {
  const { sessions, observations, summaries, pending, turns, statements } = parts;

  function completeNow(batch: ClaimedBatch, reply: Reply): CompletedBatch {
    const held = new Map<number, ClaimedMessage>();
    // Its project may have been renamed or merged since the batch was claimed.
    const session = sessions.byId(batch.session.id) ?? batch.session;
    for (const message of batch.messages)
      if (pending.finish(message.id, owner)) held.set(message.id, message);
    pending.count("done", held.size);
    const { project } = session;
    const ended = statements.supersedeFailures({
      project,
      families: reply.passed ?? [],
      ends: reply.endsFailure ?? (() => true),
    });
    const made = storeObservations(session, reply, held);
    const replaced = made.flatMap(({ stored, families }) =>
      statements.supersedeFixes({ project, families, by: stored }),
    );
    const stored = made.map((one) => one.stored);
    const outdated = [
      ...finishedWork(project, reply, held),
      ...(reply.replaces === undefined ? [] : statements.supersedeReplaced(stored, reply.replaces)),
    ];
    const marked = statements.markSettled(reply.routine ?? []);
    return {
      observations: asChanged(stored, [...outdated, ...marked]),
      summaries: storeSummaries(session, reply, held),
      changed: [
        ...ended,
        ...replaced,
        ...[...outdated, ...marked].filter(({ id }) => !stored.some((one) => one.id === id)),
      ],
    };
  }

  function finishedWork(
    project: string,
    { finished = new Map() }: Reply,
    held: ReadonlyMap<number, ClaimedMessage>,
  ): Observation[] {
    return [...finished].flatMap(([source, finishes]) => {
      const at = held.get(source)?.created_at_epoch;
      return at === undefined ? [] : statements.supersedeFinished({ project, at, finishes });
    });
  }

  function storeObservations(
    session: Session,
    reply: Reply,
    held: ReadonlyMap<number, ClaimedMessage>,
  ): { stored: Observation; families: readonly string[] }[] {
    const ordinals = new Map<number, number>();
    const made: { stored: Observation; families: readonly string[] }[] = [];
    for (const { sources: named, ...draft } of reply.observations) {
      const { sources, cited } = linksOf({ ...draft, sources: named }, held);
      const source = held.get(sources[0] ?? 0);
      if (source === undefined) continue;
      const ordinal = ordinals.get(source.id) ?? 0;
      ordinals.set(source.id, ordinal + 1);
      const observation = observations.insert({
        draft,
        sources,
        cited,
        ...ownedBy(session, source, reply.generator),
        agent_id: source.message.agent_id ?? null,
        agent_type: source.message.agent_type ?? null,
        discovery_tokens: sources.reduce((sum, id) => sum + workTokens(held.get(id)), 0),
        generation_key: `${source.id}:${ordinal}`,
        upgrade: reply.upgrade === true,
      });
      if (observation !== undefined)
        made.push({ stored: observation, families: draft.statement?.families ?? [] });
    }
    return made;
  }

  function storeSummaries(
    session: Session,
    reply: Reply,
    held: ReadonlyMap<number, ClaimedMessage>,
  ): SessionSummary[] {
    const stored: SessionSummary[] = [];
    for (const draft of reply.summaries) {
      const source = held.get(draft.source);
      if (source === undefined) continue;
      const owned = ownedBy(session, source, reply.generator);
      const summary = summaries.insert({
        draft,
        ...owned,
        generation_key: `${source.id}:0`,
        upgrade: reply.upgrade === true,
      });
      if (summary !== undefined) stored.push(summary);
    }
    return stored;
  }

  return {
    claim: (sessionId, { now, leaseMs, limit, maxChars }) =>
      parts.commit(() => {
        const session = sessions.byId(sessionId);
        const messages = pending.claim({
          sessionId,
          owner,
          now,
          leaseUntil: now + leaseMs,
          limit,
          maxChars,
        });
        if (session === undefined || messages.length === 0) return null;
        const recentTitles = batchTitles(observations, sessionId, messages);
        return { session, messages, recentTitles, turns: turns.of(messages) };
      }),
    complete: (batch, reply) => parts.commit(() => completeNow(batch, reply)),
    release: (messages, release) =>
      parts.commit(() => {
        for (const { id } of messages) {
          if (release.kind === "retry") pending.retryAt(id, release.at, release.error);
          else if (release.kind === "later") pending.postpone(id, release.at, release.error);
          else if (release.kind === "dead") pending.bury(id, release.error);
          else pending.giveBack(id);
        }
      }),
    reclaimExpired: (now, inWork) => parts.commit(() => pending.reclaimExpired(now, inWork)),
    waiting(sessionId, now, limit) {
      const due = pending.dueOf(sessionId, now, limit);
      return due && { ...due, isCompleted: sessions.byId(sessionId)?.status === "completed" };
    },
    sessionsDue: (now) => pending.sessionsDue(now),
    nextDue: (now) => pending.nextDue(now),
  };
}

/** The observations as the last change left them. */
export function asChanged(
  observations: readonly Observation[],
  changed: readonly Observation[],
): Observation[] {
  return observations.map((one) => changed.findLast(({ id }) => id === one.id) ?? one);
}

/**
 * The held messages that a draft is made of, and what it only cites. A statement is of the message that it stands in: the
 * tool uses that it names have observations of their own, and are made again without it.
 */
export function linksOf(
  { sources, statement }: Pick<DraftObservation, "sources" | "statement">,
  held: ReadonlyMap<number, ClaimedMessage>,
): { sources: number[]; cited: number[] } {
  const own = sources.filter((id) => held.has(id));
  if (statement === undefined) return { sources: own, cited: [] };
  const [first] = own;
  return { sources: own.slice(0, 1), cited: sources.filter((id) => id !== first) };
}

/** The columns that a record has from its session and from the message it was made of. */
export function ownedBy(session: Session, source: ClaimedMessage, generator: string) {
  return {
    session_id: session.id,
    sdk_session_id: session.sdk_session_id,
    project: session.project,
    prompt_number: source.message.prompt_number ?? null,
    generator,
    created_at_epoch: source.created_at_epoch,
  };
}

/** Tokens of the work behind a message, at four characters a token: the flat estimate users know from the field. */
export function workTokens(message: ClaimedMessage | undefined): number {
  if (message === undefined || message.message.type === "summarize") return 0;
  const { tool_input, tool_response } = message.message;
  return Math.ceil((JSON.stringify([tool_input ?? "", tool_response ?? ""]).length - 3) / 4);
}
