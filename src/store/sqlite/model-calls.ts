// The ledger of model calls, summed by day, project, model and session.
import { localDays } from "../../core/local-days.ts";
import type { CallSums, CostGrouping, ModelCall } from "../../core/records/model-call.ts";
import type { Sqlite } from "./open.ts";

export interface CallRange {
  from: number;
  until: number;
}

const sumColumns = `count(*) as calls,
  sum(outcome <> 'ok') as failed,
  sum(input_tokens) as input_tokens,
  sum(output_tokens) as output_tokens,
  sum(cached_tokens) as cached_tokens,
  coalesce(sum(cost_micro_usd), 0) as cost_micro_usd,
  sum(cost_micro_usd is null) as unpriced`;

export function createModelCalls(db: Sqlite) {
  const insert = db.prepare<ModelCall>(
    `insert into model_calls (at_epoch, provider, model, session_id, project, messages, input_tokens, output_tokens,
       cached_tokens, cost_micro_usd, outcome)
     values (@at_epoch, @provider, @model, @session_id, @project, @messages, @input_tokens, @output_tokens,
       @cached_tokens, @cost_micro_usd, @outcome)`,
  );
  const tokensSince = db.prepare<[number], { tokens: number }>(
    `select coalesce(sum(input_tokens + output_tokens), 0) as tokens
     from model_calls
     where at_epoch >= ?`,
  );
  const total = db.prepare<CallRange, CallSums>(
    `select ${sumColumns}
     from model_calls
     where at_epoch >= @from and at_epoch < @until`,
  );
  const byColumn = (column: string) =>
    db.prepare<CallRange, CallSums & { key: string }>(
      `select cast(${column} as text) as key, ${sumColumns}
       from model_calls
       where at_epoch >= @from and at_epoch < @until and ${column} is not null
       group by ${column}
       order by sum(input_tokens + output_tokens) desc, ${column}`,
    );
  // Days first in the join, and no other bound of the time, so that each is one range of the index: a year of 200,000 calls
  // takes 0.14 s instead of 25 s.
  const byDay = db.prepare<{ days: string }, CallSums & { key: string }>(
    `select d.value ->> 'name' as key, ${sumColumns}
     from json_each(@days) d
     cross join model_calls c on c.at_epoch >= d.value ->> 'start' and c.at_epoch < d.value ->> 'end'
     group by d.key
     order by d.key`,
  );
  const by = { project: byColumn("project"), model: byColumn("model"), session: byColumn("session_id") };
  const firstAt = db.prepare<[], { at: number | null }>("select min(at_epoch) as at from model_calls");

  function daySums({ from, until }: CallRange): (CallSums & { key: string })[] {
    const first = firstAt.get()?.at ?? null;
    // Days before the first call are empty: a range from 1970 has 20,000 of them.
    if (first === null) return [];
    const days = localDays(Math.max(from, first), until).map(({ name, start, end }) => ({
      name,
      start: Math.max(start, from),
      end: Math.min(end, until),
    }));
    return byDay.all({ days: JSON.stringify(days) });
  }

  return {
    /** Runs in the store's commit. */
    record: (call: ModelCall) => void insert.run(call),
    /** Input and output tokens of all calls since `epochMs`. */
    tokensSince: (epochMs: number) => tokensSince.get(epochMs)?.tokens ?? 0,
    /** Sums of the calls from `from` to `until` (not included) by `by`: days oldest first, the others largest first. */
    sums: (grouping: CostGrouping, range: CallRange) =>
      grouping === "day" ? daySums(range) : by[grouping].all(range),
    total: (range: CallRange) => withoutNulls(total.get(range)),
    /** Epoch of the first call, or null. */
    firstAt: () => firstAt.get()?.at ?? null,
  };
}

// A sum over no rows is null.
function withoutNulls(sums: CallSums | undefined): CallSums {
  return {
    calls: sums?.calls ?? 0,
    failed: sums?.failed ?? 0,
    input_tokens: sums?.input_tokens ?? 0,
    output_tokens: sums?.output_tokens ?? 0,
    cached_tokens: sums?.cached_tokens ?? 0,
    cost_micro_usd: sums?.cost_micro_usd ?? 0,
    unpriced: sums?.unpriced ?? 0,
  };
}
