// Writes what the user says of an observation, and raises its revision so that it is synced again.
import type { Observation } from "../../core/records/records.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";

type Standing = Pick<Observation, "status" | "pinned" | "superseded_by">;

export interface Truth {
  setStanding(id: number, standing: Standing): Observation | undefined;
}

export function createTruth(db: Sqlite): Truth {
  const set = db.prepare<Standing & { id: number }, Observation>(
    `update observations
     set status = @status, pinned = @pinned, superseded_by = @superseded_by,
       revision = revision + 1, synced_at = null
     where id = @id
     returning ${observationColumns}`,
  );
  return {
    setStanding: (id, { status, pinned, superseded_by }) => set.get({ id, status, pinned, superseded_by }),
  };
}
