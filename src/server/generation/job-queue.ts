// The hosted generation queue: jobs of one session or project under a lease, which heartbeats renew.
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { RecentMap } from "../../core/recent-map.ts";
import type { SettledReply } from "../../core/records/drafts.ts";
import type { ClaimedMessage, PendingMessage } from "../../core/records/messages.ts";
import type { Release } from "../../core/records/queue.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { closingOfEvent, messageOfEvent, promptOfEvent } from "../../core/tools/event-message.ts";
import type { GenerationQueue, QueuedBatch } from "../../generate/generate-batch.ts";
import { completeJobs } from "../../store/postgres/complete-jobs.ts";
import {
  type Claim,
  claimJobs,
  keepLease,
  type LeasedBatch,
  type LeasedJob,
  releaseJob,
  requestTask,
  type WaitingJobs,
} from "../../store/postgres/job-leases.ts";
import type { Database } from "../../store/postgres/open.ts";
import type { EndedTurn } from "../../store/postgres/outdated.ts";
import { inTenant } from "../../store/postgres/tenant.ts";
import { isJsonObject, type Json } from "../../text/json.ts";
import { type HostedTurn, turnOf } from "./hosted-turns.ts";
import type { ChosenJobs } from "./job-choice.ts";
import { releaseOf } from "./job-failures.ts";
import { recordsOf } from "./made-records.ts";

/** A batch under its lease. */
export interface HostedBatch extends QueuedBatch {
  leased: LeasedBatch;
  turn?: HostedTurn | undefined;
}

type Intended = Pick<ChosenJobs, "group" | "newestFirst"> & {
  jobs: Pick<WaitingJobs, "project_id" | "session_id">;
};

export interface JobQueue extends GenerationQueue<HostedBatch> {
  /** Names the jobs of a group before it is claimed. */
  intend(team_id: string, chosen: Intended): void;
  /** The owner of a group's jobs; also for a while after their end. */
  scopeOf(group: number): ProjectScope | undefined;
  close(): void;
}

/** A claimed batch; heartbeats renew its lease while one of its jobs is open. */
interface Held {
  leased: LeasedBatch;
  heart: NodeJS.Timeout;
  open: Set<number>;
}

interface JobQueueDeps extends Pick<Database, "app" | "system"> {
  clock: Clock;
  /** Name of this process, for people. */
  worker: string;
  /** Without a heartbeat. */
  leaseMs: number;
  /** The lease of a batch was lost: its reply cannot be stored. */
  onLost(group: number): void;
}

// Three heartbeats may fail before the lease is lost.
const heartbeatsPerLease = 4;
const maxRemembered = 10_000;

export function createJobQueue(deps: JobQueueDeps): JobQueue {
  const { app, system, leaseMs } = deps;
  const intended = new RecentMap<number, ProjectScope & Pick<Claim, "session_id" | "newestFirst">>(
    maxRemembered,
  );
  const held = createHeldBatches(deps);

  async function release(message: ClaimedMessage, how: Release): Promise<void> {
    const leased = held.of(message.id);
    const job = leased?.jobs.find(({ seq }) => seq === message.id);
    if (leased === undefined || job === undefined) return;
    const { team_id, project_id, lease_token } = leased;
    try {
      await inTenant(app, { team_id, project_id }, async (connection) => {
        await releaseJob(connection, { team_id, project_id, lease_token, job_id: job.id }, releaseOf(how));
      });
    } finally {
      // When the database does not answer, the lease expires.
      held.letGo([message.id]);
    }
    await requestTask(system, team_id, "at" in how ? how.at : undefined);
  }

  return {
    intend(team_id, { group, newestFirst, jobs: { project_id, session_id } }) {
      intended.set(group, { team_id, project_id, session_id, newestFirst });
    },
    scopeOf: (group) => intended.get(group),
    async claim(group, { limit }) {
      const wanted = intended.get(group);
      if (wanted === undefined) return null;
      const leased = await claimJobs(app, {
        ...wanted,
        lease_token: newId(),
        worker: deps.worker,
        leaseMs,
        limit,
      });
      if (leased === null) return null;
      held.keep(group, leased);
      return batchOf(group, leased);
    },
    async complete({ leased, turn }, reply) {
      const { now } = deps.clock;
      const draftsOf = (jobs: ReadonlySet<string>) => recordsOf(leased, reply, { jobs, turn, now: now() });
      await completeJobs(app, leased, draftsOf, endedTurn({ leased, turn }, reply));
      held.letGo(leased.jobs.map(({ seq }) => seq));
      // Callers read the records from the store.
      return { observations: [], summaries: [] };
    },
    async release(messages, how) {
      let failure: { cause: unknown } | undefined;
      for (const message of messages) {
        // The others are released too: our heartbeats would hold them for ever.
        await release(message, how).catch((cause: unknown) => (failure ??= { cause }));
      }
      if (failure !== undefined) throw failure.cause;
    },
    waiting: () => null,
    close: held.close,
  };
}

/** The claimed batches by job, with the heartbeats that renew their leases. */
function createHeldBatches({ app, leaseMs, onLost }: Pick<JobQueueDeps, "app" | "leaseMs" | "onLost">) {
  // A project may have several batches under way.
  const byJob = new Map<number, Held>();
  return {
    of: (seq: number): LeasedBatch | undefined => byJob.get(seq)?.leased,
    keep(group: number, leased: LeasedBatch): void {
      const open = new Set(leased.jobs.map(({ seq }) => seq));
      const heart = setInterval(() => {
        void failOpen("keeping a lease", async () => {
          const isKept = await keepLease(app, leased, leaseMs);
          if (!isKept && open.size > 0) onLost(group);
        });
      }, leaseMs / heartbeatsPerLease).unref();
      for (const seq of open) byJob.set(seq, { leased, heart, open });
    },
    letGo(seqs: readonly number[]): void {
      for (const seq of seqs) {
        const batch = byJob.get(seq);
        byJob.delete(seq);
        batch?.open.delete(seq);
        if (batch?.open.size === 0) clearInterval(batch.heart);
      }
    },
    close(): void {
      for (const { heart } of byJob.values()) clearInterval(heart);
    },
  };
}

function batchOf(group: number, leased: LeasedBatch): HostedBatch {
  const { session, project } = leased;
  const messages = leased.jobs.map((job) => messageOf(group, job, session !== null));
  const end = messages.at(-1);
  const name = session?.content_session_id ?? leased.jobs[0]?.id ?? "";
  return {
    leased,
    session: {
      id: group,
      claude_session_id: name,
      sdk_session_id: name,
      project,
      user_prompt: promptIn(session?.prompt ?? null),
      status: session?.status ?? "completed",
    },
    messages,
    recentTitles: leased.recent_titles.toReversed(),
    turn: end && leased.turn_events && turnOf(end.message, leased.turn_events),
  };
}

function endedTurn(
  { leased, turn }: Pick<HostedBatch, "leased" | "turn">,
  { routine = [], passed = [], finishes, ...reply }: SettledReply,
): EndedTurn {
  const { replacesFix = () => true, replaces = () => false, saysSame = () => false } = reply;
  const at = leased.jobs.at(-1)?.occurred_at_epoch ?? 0;
  return {
    settled: routine.flatMap((use) => turn?.events.get(use) ?? []),
    passed,
    replacesFix,
    finished: finishes && { at, finishes },
    replaces,
    saysSame,
  };
}

function promptIn(prompt: Json): string {
  if (!isJsonObject(prompt) || typeof prompt.event_type !== "string") return "";
  return promptOfEvent({ event_type: prompt.event_type, payload: prompt.payload ?? null }) ?? "";
}

function messageOf(group: number, job: LeasedJob, hasSession: boolean): ClaimedMessage {
  return {
    id: job.seq,
    session_id: group,
    message: pendingOf(job, hasSession),
    created_at_epoch: job.occurred_at_epoch,
    attempts: job.attempts,
    failures: job.attempts,
  };
}

function pendingOf({ source_type, event_type, payload }: LeasedJob, hasSession: boolean): PendingMessage {
  // The event that asks for a summary holds the last assistant message.
  if (source_type === "session_summary") return messageOfEvent({ event_type: "summarize", payload });
  const event = { event_type: event_type ?? "event", payload };
  // Without a session there is no turn to end.
  if (!hasSession && closingOfEvent(event) !== undefined)
    return { type: "observation", tool_name: event.event_type, tool_input: payload };
  // A prompt by itself is no work to record: its turn reads it.
  const isPrompt = promptOfEvent(event) !== undefined;
  return { ...messageOfEvent(event), ...(isPrompt ? { turn_only: true } : {}) };
}
