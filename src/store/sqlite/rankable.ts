// What a prompt is compared with: the records of a project that say what came of the work, and what its users asked.
import type { QuotedRecord, UserPrompt } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";

export type AskedPrompt = Pick<UserPrompt, "id" | "sdk_session_id" | "prompt_number" | "prompt_text">;

export interface Rankable {
  /** Active records that are not routine, newest first; those that `local` wrote of one tool use are left out. */
  rankable(project: string, limit: number): QuotedRecord[];
  /** Prompts that are not private, newest first. */
  asked(project: string, limit: number): AskedPrompt[];
}

export function createRankable(db: Sqlite): Rankable {
  // Few columns, and the condition of the index: with every prompt, up to 2,000 of them are read.
  const records = db.prepare<[string, number], QuotedRecord>(
    `select id, sdk_session_id, prompt_number, obs_type, title, subtitle, summary, said_by, standing, reach, salience,
       created_at_epoch, revision, provenance, generator, pinned
     from observations
     where project = ? and status = 'active' and routine = 0 and (salience is not null or generator <> 'local')
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
