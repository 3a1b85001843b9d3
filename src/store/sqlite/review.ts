// The user's review of observations: status, pin and reach. Each change raises the revision, so that it is synced again.
import type { Observation } from "../../core/records/records.ts";
import type { Reach } from "../../core/records/statement.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

type Standing = Pick<Observation, "status" | "pinned" | "superseded_by">;

export function createReviewRecords(db: Sqlite) {
  const sql = createSql(db);
  const update = (columns: string) =>
    `update observations
     set ${columns}, revision = revision + 1, synced_at = null
     where id = @id
     returning ${observationColumns}`;
  const setStanding = sql.get<[Standing & { id: number }], Observation>(
    update("status = @status, pinned = @pinned, superseded_by = @superseded_by"),
  );
  const setReach = sql.get<[{ id: number; reach: Reach }], Observation>(update("reach = @reach"));
  const promptIds = sql.all<[ids: string], { id: number; prompt: number }>(
    `select o.id, p.id as prompt
     from json_each(?) one
     cross join observations o on o.id = one.value
     cross join user_prompts p on p.session_id = o.session_id and p.prompt_number = o.prompt_number
     where p.private = 0`,
  );
  return {
    /** Undefined when no observation has the id; likewise `setReach`. */
    setStanding: (id: number, { status, pinned, superseded_by }: Standing) =>
      setStanding({ id, status, pinned, superseded_by }),
    setReach: (id: number, reach: Reach) => setReach({ id, reach }),
    /** By observation: the id of its prompt, if known and not private. */
    promptIds: (ids: readonly number[]) =>
      new Map(promptIds(JSON.stringify(ids)).map(({ id, prompt }) => [id, prompt] as const)),
  };
}
