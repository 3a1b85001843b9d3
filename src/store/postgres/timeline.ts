// Observations, session summaries and prompts around a moment, ordered by time.
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import type { TimelineKind, TimelineRow, TimelineWindow } from "../../core/records/timeline.ts";
import type { Connections, Queryable } from "./open.ts";
import { matchingText, orderedText, sources } from "./record-rows.ts";
import { inTenant, rowsIn, rowsInTenant } from "./tenant.ts";

/** A record to start from. Its stored time has microseconds, the record milliseconds. */
export interface PlacedRow {
  row: TimelineRow;
  scope: ProjectScope;
  time: string;
}

export async function placedRow(
  app: Connections,
  tenant: Tenant,
  { kind, id }: NonNullable<TimelineWindow["anchor"]>,
): Promise<PlacedRow | undefined> {
  const source = sourceOf(kind);
  const columns = `${source.columns}, o.project_id, o.${source.time}::text as exact_time`;
  const [row] = await rowsInTenant<{ project_id: string; exact_time: string }>(app, tenant, {
    name: `timeline-${kind}`,
    text: matchingText({ ...source, columns }, "o.seq = $3"),
    values: [id],
  });
  if (row === undefined) return undefined;
  const { project_id, exact_time: time, ...record } = row;
  return { row: rowOf(kind, record), scope: { team_id: tenant.team_id, project_id }, time };
}

/** A record, or a moment in epoch milliseconds. */
type Start = PlacedRow | number;

/** The rows before and after the start, each oldest first, without the record itself. */
export function rowsAround(
  app: Connections,
  tenant: Tenant,
  { from, before, after }: { from: Start; before: number; after: number },
): Promise<{ before: TimelineRow[]; after: TimelineRow[] }> {
  return inTenant(app, tenant, async (connection) => {
    const earlier = await walk(connection, tenant, { from, side: "before", limit: before });
    const later = await walk(connection, tenant, { from, side: "after", limit: after });
    return { before: earlier, after: later };
  });
}

interface Walk {
  from: Start;
  side: "before" | "after";
  limit: number;
}

async function walk(
  connection: Queryable,
  tenant: Tenant,
  { from, side, limit }: Walk,
): Promise<TimelineRow[]> {
  const start = typeof from === "number" ? [null, from] : [from.time, null];
  const rows: TimelineRow[] = [];
  for (const kind of limit === 0 ? [] : order) {
    const found = await rowsIn<object>(connection, tenant, {
      name: `timeline-${side}-${kind}`,
      text: sideText(kind, side),
      values: [...start, numberBound(kind, from), limit],
    });
    rows.push(...found.map((row) => rowOf(kind, row)));
  }
  rows.sort(inOrder);
  return side === "before" ? rows.slice(-limit) : rows.slice(0, limit);
}

function sideText(kind: TimelineKind, side: Walk["side"]): string {
  const source = sourceOf(kind);
  const [beyond, direction] = side === "before" ? ["<", "desc"] : [">", "asc"];
  return orderedText(source, {
    where: `(o.${source.time}, o.seq) ${beyond}
        (coalesce($3::timestamptz, to_timestamp($4::float8 / 1000)), $5::bigint)`,
    order: `o.${source.time} ${direction}, o.seq ${direction}`,
    most: "$6",
    page: "limit $6",
  });
}

function sourceOf(kind: TimelineKind) {
  return { prompt: sources.prompts, observation: sources.observations, session: sources.summaries }[kind];
}

function rowOf(kind: TimelineKind, row: object): TimelineRow {
  return { kind, record: sourceOf(kind).recordOf(row) } as TimelineRow;
}

// At the same time: prompt, then observations, then summary.
const order: readonly TimelineKind[] = ["prompt", "observation", "session"];

// Rows of the same time are ordered by kind, then by number.
function numberBound(kind: TimelineKind, from: Start): number {
  if (typeof from === "number") return -1;
  if (kind === from.row.kind) return from.row.record.id;
  return order.indexOf(kind) < order.indexOf(from.row.kind) ? Number.MAX_SAFE_INTEGER : -1;
}

function inOrder(left: TimelineRow, right: TimelineRow): number {
  return (
    left.record.created_at_epoch - right.record.created_at_epoch ||
    order.indexOf(left.kind) - order.indexOf(right.kind) ||
    left.record.id - right.record.id
  );
}
