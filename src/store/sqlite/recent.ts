// What context is made of: the newest observations of a project's last sessions, and what the agent said last.
import { type Observation, parseLists, type SessionSummary } from "../../core/records/records.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";

export interface ContextRequest {
  project: string;
  limit: number;
  /** How many of the newest sessions to draw from. */
  sessions: number;
  /** Null for every type; concepts likewise, else at least one of them. */
  types: readonly string[] | null;
  concepts: readonly string[] | null;
  /** False leaves routine work out. */
  routine: boolean;
}

export interface Recent {
  /** Newest first; none that was rejected. */
  forContext(request: ContextRequest): Observation[];
  /** Those that the user pinned and that still hold, newest first. */
  pinned(project: string, limit: number): Observation[];
  /** The agent's last message of the project's newest session that ended a turn. */
  lastMessage(project: string): string | undefined;
  /** True when an observation of the summary's session, from before it, was rejected. */
  isDoubted(summary: Pick<SessionSummary, "sdk_session_id" | "created_at_epoch">): boolean;
}

export function createRecent(db: Sqlite): Recent {
  const newest = db.prepare<[string, number, number], Observation>(
    `select ${observationColumns}
     from observations
     where project = ?
     order by created_at_epoch desc, id desc
     limit ? offset ?`,
  );
  // Without the index on what is pinned every record of the project would be looked at.
  const pinned = db.prepare<[string, number], Observation>(
    `select ${observationColumns}
     from observations indexed by observations_pinned
     where project = ? and pinned = 1 and status = 'active'
     order by created_at_epoch desc, id desc
     limit ?`,
  );
  const lastMessage = db.prepare<[string, number], { message: unknown }>(
    `select json_extract(e.payload, '$.last_assistant_message') as message
     from (select id from sessions where project = ? order by id desc limit ?) s
     join raw_events e on e.session_id = s.id
     where e.kind = 'summarize' and json_valid(e.payload)
     order by e.id desc
     limit 1`,
  );
  const rejected = db.prepare<[string, number], { id: number }>(
    `select id
     from observations
     where sdk_session_id = ? and status = 'rejected' and created_at_epoch <= ?
     limit 1`,
  );

  return {
    isDoubted: ({ sdk_session_id, created_at_epoch }) =>
      rejected.get(sdk_session_id, created_at_epoch) !== undefined,
    forContext(request) {
      const chosen: Observation[] = [];
      const sessions = new Set<string>();
      // By pages: rows one by one take twice as long. Mostly the first has all that is wanted.
      for (let walked = 0; walked < mostRowsWalked && chosen.length < request.limit; ) {
        const page = newest.all(request.project, walked === 0 ? request.limit : pageRows, walked);
        if (page.length === 0) break;
        walked += page.length;
        for (const observation of page) {
          if (chosen.length >= request.limit) return chosen;
          if (!isWanted(observation, request)) continue;
          if (!sessions.has(observation.sdk_session_id) && sessions.size >= request.sessions) continue;
          sessions.add(observation.sdk_session_id);
          chosen.push(observation);
        }
      }
      return chosen;
    },
    pinned: (project, limit) => pinned.all(project, limit),
    lastMessage(project) {
      const message = lastMessage.get(project, sessionsForMessage)?.message;
      return typeof message === "string" && message !== "" ? message : undefined;
    },
  };
}

// The walk ends as soon as enough is found; a filter that fits nothing ends it here, not at the first row of a year.
const mostRowsWalked = 2000;
const pageRows = 250;
const sessionsForMessage = 10;

function isWanted(observation: Observation, { types, concepts, routine }: ContextRequest): boolean {
  if (observation.status === "rejected" || (observation.routine === 1 && !routine)) return false;
  if (types !== null && !types.includes(observation.obs_type)) return false;
  return concepts === null || parseLists(observation).concepts.some((concept) => concepts.includes(concept));
}
