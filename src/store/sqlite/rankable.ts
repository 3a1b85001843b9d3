// What a prompt is compared with: the records of a project that are more than routine, and what its users asked.
import type { Observation, UserPrompt } from "../../domain/records.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";

export type AskedPrompt = Pick<UserPrompt, "id" | "sdk_session_id" | "prompt_number" | "prompt_text">;

export interface Rankable {
  /** Active records that are not routine, newest first. */
  rankable(project: string, limit: number): Observation[];
  /** Prompts that are not private, newest first. */
  asked(project: string, limit: number): AskedPrompt[];
}

export function createRankable(db: Sqlite): Rankable {
  const records = db.prepare<[string, number], Observation>(
    `select ${observationColumns}
     from observations
     where project = ? and status = 'active' and routine = 0
     order by created_at_epoch desc, id desc
     limit ?`,
  );
  const prompts = db.prepare<[string, number], AskedPrompt>(
    `select id, sdk_session_id, prompt_number, prompt_text
     from user_prompts
     where project = ? and private = 0
     order by created_at_epoch desc, id desc
     limit ?`,
  );
  return {
    rankable: (project, limit) => records.all(project, limit),
    asked: (project, limit) => prompts.all(project, limit),
  };
}
