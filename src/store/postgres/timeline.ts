// Observations, session summaries and prompts around a moment, ordered by time.
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import type { TimelineKind, TimelineRow, TimelineWindow } from "../../core/records/timeline.ts";
import type { Connections, Queryable } from "./open.ts";
import {
  observationColumns,
  type PromptRow,
  promptColumns,
  promptOf,
  summaryColumns,
} from "./record-rows.ts";
import { inTenant } from "./tenant.ts";

type Moment = Pick<TimelineWindow, "at" | "anchor">;
type Side = "before" | "after";

/** The rows before and after the moment, each oldest first, without the anchor. */
export function rowsAround(
  app: Connections,
  tenant: Tenant,
  moment: Moment & { before: number; after: number },
): Promise<{ before: TimelineRow[]; after: TimelineRow[] }> {
  return inTenant(app, tenant, async (connection) => {
    const exact = { ...moment, time: await exactTime(connection, tenant, moment) };
    const before = await walk(connection, tenant, { ...exact, side: "before", limit: moment.before });
    const after = await walk(connection, tenant, { ...exact, side: "after", limit: moment.after });
    return { before, after };
  });
}

type Walk = Moment & { time: string; side: Side; limit: number };

// Stored times have microseconds, answers milliseconds: the time of an anchor is looked up, a bare moment is used as is.
async function exactTime(
  connection: Queryable,
  { team_id, project_id }: Tenant,
  { at, anchor }: Moment,
): Promise<string> {
  const [table, column] =
    anchor?.kind === "prompt" ? ["agent_events", "occurred_at"] : ["observations", "created_at"];
  const { rows } = await connection.query<{ time: string }>({
    name: `timeline-time-in-${table}`,
    text: `select coalesce((
        select r.${column}
        from ${table} r
        where r.team_id = $1 and ($2::uuid is null or r.project_id = $2) and r.seq = $3),
      to_timestamp($4::float8 / 1000))::text as time`,
    values: [team_id, project_id, anchor?.id ?? null, at],
  });
  return rows[0]?.time ?? "";
}

async function walk(connection: Queryable, tenant: Tenant, step: Walk): Promise<TimelineRow[]> {
  if (step.limit === 0) return [];
  const read = async <R extends object>(kind: TimelineKind): Promise<R[]> => {
    const { rows } = await connection.query<R>({
      name: `timeline-${step.side}-${kind}`,
      text: texts[kind][step.side],
      values: [tenant.team_id, tenant.project_id, step.time, numberBound(kind, step), step.limit],
    });
    return rows;
  };
  const prompts = await read<PromptRow>("prompt");
  const observations = await read<Observation>("observation");
  const summaries = await read<SessionSummary>("session");
  const rows: TimelineRow[] = [
    ...prompts.map((row): { kind: "prompt"; record: UserPrompt } => ({
      kind: "prompt",
      record: promptOf(row),
    })),
    ...observations.map((record) => ({ kind: "observation" as const, record })),
    ...summaries.map((record) => ({ kind: "session" as const, record })),
  ];
  rows.sort(inOrder);
  return step.side === "before" ? rows.slice(-step.limit) : rows.slice(0, step.limit);
}

// At the same time: prompt, then observations, then summary.
const order: readonly TimelineKind[] = ["prompt", "observation", "session"];

// Rows of the same time are ordered by kind, then by number.
function numberBound(kind: TimelineKind, { anchor }: Moment): number {
  if (anchor === null) return -1;
  if (kind === anchor.kind) return anchor.id;
  return order.indexOf(kind) < order.indexOf(anchor.kind) ? Number.MAX_SAFE_INTEGER : -1;
}

function inOrder(left: TimelineRow, right: TimelineRow): number {
  return (
    left.record.created_at_epoch - right.record.created_at_epoch ||
    order.indexOf(left.kind) - order.indexOf(right.kind) ||
    left.record.id - right.record.id
  );
}

interface Source {
  columns: string;
  table: "observations" | "agent_events";
  row: "o" | "e";
  time: "created_at" | "occurred_at";
  ofKind: string;
  session: string;
}

const records: Pick<Source, "table" | "row" | "time" | "session"> = {
  table: "observations",
  row: "o",
  time: "created_at",
  session: "",
};

const texts = {
  observation: bothSides({ ...records, columns: observationColumns, ofKind: "r.kind <> 'session_summary'" }),
  session: bothSides({ ...records, columns: summaryColumns, ofKind: "r.kind = 'session_summary'" }),
  prompt: bothSides({
    columns: promptColumns,
    table: "agent_events",
    row: "e",
    time: "occurred_at",
    ofKind: `r.event_type = 'user_prompt' and not r.metadata @> '{"private":true}'`,
    session: "left join sessions s on s.team_id = $1 and s.project_id = e.project_id and s.id = e.session_id",
  }),
} as const;

function bothSides(source: Source): Record<Side, string> {
  return { before: textOf(source, "<", "desc"), after: textOf(source, ">", "asc") };
}

function textOf(source: Source, side: "<" | ">", direction: "asc" | "desc"): string {
  const { columns, table, row, time, ofKind, session } = source;
  return `select ${columns}
    from projects p
    cross join lateral (
      select r.*
      from ${table} r
      where r.team_id = $1 and r.project_id = p.id and ${ofKind}
        and (r.${time}, r.seq) ${side} ($3::timestamptz, $4::bigint)
      order by r.${time} ${direction}, r.seq ${direction}
      limit $5) ${row}
    ${session}
    where p.team_id = $1 and ($2::uuid is null or p.id = $2)
    order by ${row}.${time} ${direction}, ${row}.seq ${direction}
    limit $5`;
}
