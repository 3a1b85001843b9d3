// Order in which records are embedded: teams take turns, and so do the projects of a team.
import type { ProjectScope } from "../../core/records/tenancy.ts";

/** A walk through a project's records, from the newest below `before` down to `after`. */
export interface Walk extends ProjectScope {
  before: number;
  after: number;
  /** True when it began at the newest record and ends at the oldest; a walk through new records never counts. */
  isWhole: boolean;
}

export type EmbedQueue = ReturnType<typeof createEmbedQueue>;

export const newest = Number.MAX_SAFE_INTEGER;

export function createEmbedQueue() {
  // In the order in which teams take turns.
  const teams = new Map<string, Walk[]>();

  function walksOf(team_id: string): Walk[] {
    const walks = teams.get(team_id) ?? [];
    teams.set(team_id, walks);
    return walks;
  }

  return {
    /** The next walk of the next team; the team then waits behind the others. */
    take(): Walk | undefined {
      const [next] = teams;
      if (next === undefined) return undefined;
      const [team_id, walks] = next;
      teams.delete(team_id);
      const walk = walks.shift();
      if (walks.length > 0) teams.set(team_id, walks);
      return walk;
    },
    /** Appends a walk to its team's. */
    put: (walk: Walk) => void walksOf(walk.team_id).push(walk),
    /** Appends a walk through a part, unless the same one is queued. */
    putOnce(walk: Omit<Walk, "isWhole">) {
      const walks = walksOf(walk.team_id);
      const { project_id, before, after } = walk;
      const isQueued = walks.some(
        (each) => each.project_id === project_id && each.before === before && each.after === after,
      );
      if (!isQueued) walks.push({ ...walk, isWhole: false });
    },
    /** Queues projects with new records before their team's walks through older ones. */
    addNew(projects: readonly ProjectScope[], after: number) {
      for (const { team_id, project_id } of projects) {
        const walks = walksOf(team_id);
        const queued = walks.find((walk) => walk.project_id === project_id && walk.before === newest);
        if (queued === undefined)
          walks.unshift({ team_id, project_id, before: newest, after, isWhole: false });
        else queued.after = Math.min(queued.after, after);
      }
    },
    clear: () => teams.clear(),
  };
}
