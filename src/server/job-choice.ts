// Which jobs of a team a turn works on: those of one session, or of one project the jobs without a session.
//
// | turn           | group                                    | jobs without a session          |
// | -------------- | ---------------------------------------- | ------------------------------- |
// | every odd one  | the one that has been due longest        | oldest first, retries before    |
// | every even one | the one with the newest job              | newest first, retries last      |
//
// So neither a backlog nor what arrives behind it waits for the other one to end.
import { type Batching, dueAt } from "../generate/batching.ts";
import type { TeamWork, WaitingJobs } from "../store/postgres/job-leases.ts";

/** A choice of work, until `done`. */
export interface ChosenJobs {
  /** Names the group in memory: the session's number, or one below zero for a project. */
  group: number;
  jobs: WaitingJobs;
  newestFirst: boolean;
  /** True when another turn would have chosen the group meanwhile. */
  done(): boolean;
}

export interface JobChoice {
  /** The jobs to work on, or how long to wait for any; null: until something happens. */
  choose(team_id: string, work: TeamWork): ChosenJobs | { wait: number | null };
}

const longestWaitMs = 60_000;
// More than are at work in one process; the name of a group that rests may change.
const mostRemembered = 10_000;

/** `lastCallAt` is the epoch at which the last call for a group ended, if one did. */
export function createJobChoice(batching: Batching, lastCallAt: (group: number) => number | null): JobChoice {
  // Groups that a turn has chosen: from then on, since their jobs look free until they are claimed.
  const taken = new Map<number, { isWantedAgain: boolean }>();
  const numbers = new Map<string, number>();
  const isEven = new Map<string, boolean>();
  let lastNumber = 0;

  function numberOf(name: string): number {
    const known = numbers.get(name);
    const number = known ?? --lastNumber;
    numbers.delete(name);
    numbers.set(name, number);
    if (numbers.size > mostRemembered) {
      const [oldest] = [...numbers].find(([, each]) => !taken.has(each)) ?? [];
      if (oldest !== undefined && oldest !== name) numbers.delete(oldest);
    }
    return number;
  }

  // Jobs without a session do not build on each other: whole batches of them may be under way beside each other.
  function freeGroup({ session_seq, project_id, count }: WaitingJobs): number | undefined {
    for (let lane = 0; ; lane += 1) {
      const group = session_seq ?? numberOf(`${project_id} ${lane}`);
      const before = taken.get(group);
      if (before === undefined) return group;
      if (session_seq !== null || count < batching.maxMessages) {
        before.isWantedAgain = true;
        return undefined;
      }
    }
  }

  function take(team_id: string, group: number, jobs: WaitingJobs): ChosenJobs {
    const state = { isWantedAgain: false };
    taken.set(group, state);
    const newestFirst = flip(team_id);
    return {
      group,
      jobs,
      newestFirst,
      done() {
        taken.delete(group);
        return state.isWantedAgain;
      },
    };
  }

  function flip(team_id: string): boolean {
    const was = isEven.get(team_id) ?? false;
    isEven.delete(team_id);
    isEven.set(team_id, !was);
    for (const oldest of isEven.keys()) {
      if (isEven.size <= mostRemembered) break;
      isEven.delete(oldest);
    }
    return was;
  }

  return {
    choose(team_id, { now, waiting, next_at }) {
      const order = isEven.get(team_id) === true ? newestFirst(waiting) : waiting;
      let soonest = next_at ?? Number.POSITIVE_INFINITY;
      for (const each of order) {
        const group = each.session_seq ?? numbers.get(`${each.project_id} 0`);
        const at = dueAt(waitingOf(each), batching, {
          now,
          lastCallAt: group === undefined ? null : lastCallAt(group),
        });
        if (at > now) {
          soonest = Math.min(soonest, at);
          continue;
        }
        const free = freeGroup(each);
        if (free !== undefined) return take(team_id, free, each);
      }
      if (soonest === Number.POSITIVE_INFINITY) return { wait: null };
      return { wait: Math.min(Math.max(soonest - now, 50), longestWaitMs) };
    },
  };
}

function newestFirst(waiting: readonly WaitingJobs[]): WaitingJobs[] {
  return [...waiting].sort((one, other) => other.newest_at - one.newest_at);
}

function waitingOf(jobs: WaitingJobs) {
  return {
    count: jobs.count,
    oldestAt: jobs.oldest_at,
    hasSummarize: jobs.has_summary,
    isRetry: jobs.is_retry,
    isCompleted: jobs.is_completed,
  };
}
