// The task of a team: one batch of one session or project. The next task waits behind the tasks of other teams.
import { type BatchDeps, generateBatch } from "../../generate/generate-batch.ts";
import { createRetries } from "../../generate/retry.ts";
import { requestTask, type TeamWork, teamWork } from "../../store/postgres/job-leases.ts";
import type { Database } from "../../store/postgres/open.ts";
import { type ChosenJobs, createJobChoice } from "./job-choice.ts";
import type { HostedBatch, JobQueue } from "./job-queue.ts";

interface TeamTasksDeps extends BatchDeps<HostedBatch>, Pick<Database, "app" | "system"> {
  queue: JobQueue;
  concurrency: number;
  /** Whether the team's month has no tokens left: `local` writes then. */
  isOverCap(team_id: string): Promise<boolean>;
}

// Longest wait for a paused provider.
const longestWaitMs = 60_000;
const fullTeamWaitMs = 500;

export function createTeamTasks(deps: TeamTasksDeps) {
  const { app, system, queue, circuit, batching, clock } = deps;
  const choice = createJobChoice(batching);
  const retries = createRetries();
  // One place is left for other teams: a team whose calls hang delays no other team.
  const mostOfTeam = Math.max(1, deps.concurrency - 1);
  const running = new Map<string, number>();
  let isStopping = false;

  async function work(team_id: string): Promise<void> {
    const found = await teamWork(app, team_id);
    const chosen = choice.choose(team_id, found);
    if ("wait" in chosen) {
      if (chosen.wait !== null) await requestTask(system, team_id, clock.now() + chosen.wait);
      return;
    }
    let isWantedAgain = false;
    try {
      if (!(await workOn(team_id, found, chosen))) return;
    } finally {
      isWantedAgain = chosen.done();
    }
    // Jobs that came meanwhile have no task, nor has a summary that waited for these events: its own task, here or in
    // another process, found it not due.
    const { session_id, has_summary, count } = chosen.jobs;
    const mayLeaveMore = session_id === null ? count > 1 : !has_summary;
    if (isWantedAgain || mayLeaveMore) await requestTask(system, team_id);
  }

  /** False when the provider is paused: a later task is requested. */
  async function workOn(team_id: string, found: TeamWork, chosen: ChosenJobs): Promise<boolean> {
    const { group, jobs } = chosen;
    const isLocal = await deps.isOverCap(team_id);
    const permit = isLocal ? null : circuit.admit(clock.now(), group);
    if (!isLocal && permit === null) {
      const now = clock.now();
      const resumesAt = circuit.resumesAt(now) ?? now;
      await requestTask(system, team_id, Math.min(Math.max(resumesAt, now + 1_000), now + longestWaitMs));
      return false;
    }
    try {
      queue.intend(team_id, chosen);
      const most = jobs.session_id !== null && jobs.has_summary ? 1 : batching.maxMessages;
      const hasMore = found.waiting.length > 1 || jobs.count > most || found.next_at !== null;
      if (hasMore) await requestTask(system, team_id);
      await generateBatch(deps, { sessionId: group, permit, retries });
    } finally {
      // The store may have refused before the call: a probe without an end would block the provider.
      permit?.returned(clock.now());
    }
    return true;
  }

  return {
    async run(team_id: string) {
      if (isStopping) return requestTask(system, team_id);
      const before = running.get(team_id) ?? 0;
      if (before >= mostOfTeam) return requestTask(system, team_id, clock.now() + fullTeamWaitMs);
      running.set(team_id, before + 1);
      try {
        await work(team_id);
      } finally {
        const left = (running.get(team_id) ?? 1) - 1;
        if (left > 0) running.set(team_id, left);
        else running.delete(team_id);
      }
    },
    /** Tasks that begin later only request another task. */
    stop() {
      isStopping = true;
    },
  };
}
