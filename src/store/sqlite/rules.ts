// Where a rule is from, and where it applies.
import type { Observation } from "../../core/records/records.ts";
import type { Reach } from "../../core/records/statement.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";

export interface RuleRecords {
  /** By observation: the id of the prompt that it is from, where that is known and not private. */
  promptIds(ids: readonly number[]): Map<number, number>;
  /** Undefined when no observation has the id. */
  setReach(id: number, reach: Reach): Observation | undefined;
}

export function createRuleRecords(db: Sqlite): RuleRecords {
  const setReach = db.prepare<{ id: number; reach: Reach }, Observation>(
    `update observations
     set reach = @reach, revision = revision + 1, synced_at = null
     where id = @id
     returning ${observationColumns}`,
  );
  const promptIds = db.prepare<[string], { id: number; prompt: number }>(
    `select o.id, p.id as prompt
     from json_each(?) one
     cross join observations o on o.id = one.value
     cross join user_prompts p on p.session_id = o.session_id and p.prompt_number = o.prompt_number
     where p.private = 0`,
  );
  return {
    promptIds: (ids) =>
      new Map(promptIds.all(JSON.stringify(ids)).map(({ id, prompt }) => [id, prompt] as const)),
    setReach: (id, reach) => setReach.get({ id, reach }),
  };
}
