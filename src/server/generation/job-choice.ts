// Chooses the jobs of a team's task: the jobs of one session, or of one project without a session.
//
// | task  | group                 | jobs without a session       |
// | ----- | --------------------- | ---------------------------- |
// | odd   | due for longest       | oldest first, retries before |
// | even  | with the newest job   | newest first, retries last   |
//
// So neither a backlog nor new jobs wait for the other to end.
import { contentKey } from "../../core/ids.ts";
import { RecentMap } from "../../core/recent-map.ts";
import { type Batching, dueAt } from "../../generate/batching.ts";
import type { TeamWork, WaitingJobs } from "../../store/postgres/job-leases.ts";

/** A choice of work, until `done`. */
export interface ChosenJobs {
  /** The session's number, or a negative number for a project. */
  group: number;
  jobs: WaitingJobs;
  newestFirst: boolean;
  /** True when another task wanted the group meanwhile. */
  done(): boolean;
}

const longestWaitMs = 60_000;
const maxRemembered = 10_000;

export function createJobChoice(batching: Batching) {
  // Chosen groups: their jobs look free until they are claimed.
  const taken = new Map<number, { isWantedAgain: boolean }>();
  const isEven = new RecentMap<string, boolean>(maxRemembered);

  // Jobs without a session are independent: whole batches of them may run at the same time.
  function freeGroup({ session_seq, project_id, count }: WaitingJobs): number | undefined {
    for (let lane = 0; ; lane += 1) {
      const group = session_seq ?? numberOf(project_id, lane);
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
    const newestFirst = isEven.get(team_id) ?? false;
    isEven.set(team_id, !newestFirst);
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

  return {
    /** The jobs to work on, or how long to wait for some; null: until a new job comes. */
    choose(team_id: string, { now, waiting, next_at }: TeamWork): ChosenJobs | { wait: number | null } {
      const order = isEven.get(team_id) === true ? newestFirst(waiting) : waiting;
      let soonest = next_at ?? Number.POSITIVE_INFINITY;
      for (const each of order) {
        const at = dueAt(waitingOf(each), batching, now);
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

// Six bytes of a hash: the same in every process, without a list of projects.
function numberOf(project_id: string, lane: number): number {
  return -1 - Number.parseInt(contentKey(project_id, String(lane)).slice(0, 12), 16);
}

function newestFirst(waiting: readonly WaitingJobs[]): WaitingJobs[] {
  return [...waiting].sort((one, other) => other.newest_at - one.newest_at);
}

function waitingOf({ count, newest_at, has_summary, is_retry, is_completed }: WaitingJobs) {
  return { count, newestAt: newest_at, isOver: has_summary || is_retry || is_completed };
}
