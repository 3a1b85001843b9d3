// Tokens used by provider calls, as events and as monthly totals.
import type { Connections, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";

export interface TokenUse {
  team_id: string;
  project_id: string;
  input_tokens: number;
  output_tokens: number;
  provider: string;
  model: string;
  /** `ok`, or the kind of failure. */
  outcome: string;
}

/** Records one provider call, also a failed one that was billed. */
export function recordTokens(app: Connections, use: TokenUse): Promise<void> {
  const { team_id, project_id } = use;
  return inTenant(app, { team_id, project_id }, async (connection) => {
    await connection.query({
      name: "record-tokens",
      text: `with event as (
          insert into usage_events (team_id, project_id, kind, quantity, metadata)
          values ($1, $2, 'tokens', $3, $4::jsonb))
        insert into usage_rollups as r (team_id, month, kind, total)
        values ($1, date_trunc('month', now() at time zone 'UTC')::date, 'tokens', $3)
        on conflict (team_id, month, kind) do update set total = r.total + excluded.total`,
      values: [
        team_id,
        project_id,
        wholeTokens(use.input_tokens) + wholeTokens(use.output_tokens),
        JSON.stringify({
          inputTokens: wholeTokens(use.input_tokens),
          outputTokens: wholeTokens(use.output_tokens),
          provider: use.provider,
          model: use.model,
          outcome: use.outcome,
        }),
      ],
    });
  });
}

/** Tokens of the team in this UTC month. */
export async function tokensThisMonth(system: Queryable, team_id: string): Promise<number> {
  const { rows } = await system.query<{ total: number }>({
    name: "tokens-this-month",
    text: `select total::float8 as total
      from usage_rollups
      where team_id = $1 and month = date_trunc('month', now() at time zone 'UTC')::date and kind = 'tokens'`,
    values: [team_id],
  });
  return rows[0]?.total ?? 0;
}

// The provider reports the count: an invalid one counts as 0 and never lowers the total.
function wholeTokens(count: number): number {
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
