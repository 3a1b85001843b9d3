// Counts of records, injections and tokens by day.
import type { LocalDay } from "../../core/local-days.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export interface DayActivity {
  /** `2026-01-31`. */
  day: string;
  observations: number;
  summaries: number;
  prompts: number;
  injections: number;
  injected_tokens: number;
  /** Input and output tokens of model calls. */
  model_tokens: number;
}

interface Days {
  days: string;
  project: string | null;
}

/** Reads the days in their order; of one project when it is given. */
export function createActivity(db: Sqlite) {
  const sql = createSql(db);
  // Each day is one range of an index. Null would match any project in one statement, without the index of projects.
  const byDay = (table: string, sum: string, { time = "created_at_epoch", where = "true" } = {}) => {
    const counts = (ofProject: string) =>
      sql.all<[Days], { key: number; n: number }>(
        `select d.key, ${sum} as n
         from json_each(@days) d
         cross join ${table} r on r.${time} >= d.value ->> 'start' and r.${time} < d.value ->> 'end'
         where ${where} and ${ofProject}
         group by d.key`,
      );
    const all = counts("@project is null");
    const one = counts("r.project = @project");
    return (days: Days) => new Map((days.project === null ? all : one)(days).map(({ key, n }) => [key, n]));
  };
  const readers = {
    observations: byDay("observations", "count(*)"),
    summaries: byDay("session_summaries", "count(*)"),
    prompts: byDay("user_prompts", "count(*)", { where: "r.private = 0" }),
    model_tokens: byDay("model_calls", "sum(r.input_tokens + r.output_tokens)", { time: "at_epoch" }),
  };
  // The log has no index by time: a row more in it would cost every hook.
  const injected = sql.all<[{ from: number; project: string | null }], { at_epoch: number; tokens: number }>(
    `select i.at_epoch, i.tokens
     from injections i
     where i.at_epoch >= @from
       and (@project is null
         or exists (select 1 from sessions s where s.claude_session_id = i.session and s.project = @project))`,
  );
  return (days: readonly LocalDay[], project: string | null): DayActivity[] => {
    const asked = { days: JSON.stringify(days), project };
    const found = {
      observations: readers.observations(asked),
      summaries: readers.summaries(asked),
      prompts: readers.prompts(asked),
      model_tokens: readers.model_tokens(asked),
    };
    const injections = injected({ from: days[0]?.start ?? 0, project });
    return days.map(({ name, start, end }, key) => {
      const ofDay = injections.filter(({ at_epoch }) => at_epoch >= start && at_epoch < end);
      return {
        day: name,
        observations: found.observations.get(key) ?? 0,
        summaries: found.summaries.get(key) ?? 0,
        prompts: found.prompts.get(key) ?? 0,
        injections: ofDay.length,
        injected_tokens: ofDay.reduce((sum, { tokens }) => sum + tokens, 0),
        model_tokens: found.model_tokens.get(key) ?? 0,
      };
    });
  };
}
