// Whose records are embedded next: teams take turns, and the projects of a team do.
import type { ProjectScope } from "../core/records/tenancy.ts";

/** A walk through a project's records, from the newest below `before` down to `after`. */
export interface EmbedTurn extends ProjectScope {
  before: number;
  after: number;
  /** It began at the newest record and ends at the oldest. A walk through new ones may end there too, and is none. */
  isWhole: boolean;
}

export interface EmbedTurns {
  /** The next team's next walk; the team then waits behind the others. */
  take(): EmbedTurn | undefined;
  /** The walk goes on when its project has its turn again. */
  put(turn: EmbedTurn): void;
  /** A walk through a part, unless that very one waits already. */
  putOnce(turn: Omit<EmbedTurn, "isWhole">): void;
  /** Projects with new records: those go before the team's walks through older ones. */
  addNew(projects: readonly ProjectScope[], after: number): void;
  /** Forgets every walk. */
  clear(): void;
}

export const newest = Number.MAX_SAFE_INTEGER;

export function createEmbedTurns(): EmbedTurns {
  // In the order of their turns.
  const teams = new Map<string, EmbedTurn[]>();

  function of(team_id: string): EmbedTurn[] {
    const turns = teams.get(team_id) ?? [];
    teams.set(team_id, turns);
    return turns;
  }

  return {
    take() {
      const [next] = teams;
      if (next === undefined) return undefined;
      const [team_id, turns] = next;
      teams.delete(team_id);
      const turn = turns.shift();
      if (turns.length > 0) teams.set(team_id, turns);
      return turn;
    },
    put: (turn) => void of(turn.team_id).push(turn),
    putOnce(turn) {
      const turns = of(turn.team_id);
      const { project_id, before, after } = turn;
      const isThere = turns.some(
        (each) => each.project_id === project_id && each.before === before && each.after === after,
      );
      if (!isThere) turns.push({ ...turn, isWhole: false });
    },
    addNew(projects, after) {
      for (const { team_id, project_id } of projects) {
        const turns = of(team_id);
        const same = turns.find((turn) => turn.project_id === project_id && turn.before === newest);
        if (same === undefined) turns.unshift({ team_id, project_id, before: newest, after, isWhole: false });
        else same.after = Math.min(same.after, after);
      }
    },
    clear: () => teams.clear(),
  };
}
