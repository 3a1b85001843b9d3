// Records within what a key reaches: newest first and filtered, or by their numbers.
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import type { Connections } from "./open.ts";
import {
  observationColumns,
  type PromptRow,
  promptColumns,
  promptOf,
  summaryColumns,
} from "./record-rows.ts";
import { inTenant } from "./tenant.ts";

/** Filters of a list. */
export interface RecordFilter {
  obs_type: string | null;
  /** One of them; empty is no restriction. */
  concepts: readonly string[];
  /** Paths that a file of the record is, or that it ends with; null is no restriction. */
  files: { are: readonly string[]; endWith: readonly string[] } | null;
  /** Epoch milliseconds, both ends included. */
  dateStart: number | null;
  dateEnd: number | null;
}

export interface ListPage {
  offset: number;
  limit: number;
}

/** The part of a filtered list to read. */
export interface Listed {
  filter: RecordFilter;
  page: ListPage;
}

export const noFilter: RecordFilter = {
  obs_type: null,
  concepts: [],
  files: null,
  dateStart: null,
  dateEnd: null,
};

/** The newest observations, including manual ones. */
export function newestObservations(
  app: Connections,
  tenant: Tenant,
  { filter, page }: Listed,
): Promise<Observation[]> {
  return listed<Observation>(app, tenant, {
    name: "list-observations",
    text: newestRecords(observationColumns, "r.kind <> 'session_summary'"),
    values: [...filterValues(filter), ...pageValues(page)],
  });
}

/** The newest session summaries; they have no type. */
export function newestSummaries(
  app: Connections,
  tenant: Tenant,
  { filter, page }: Listed,
): Promise<SessionSummary[]> {
  return listed<SessionSummary>(app, tenant, {
    name: "list-summaries",
    text: newestRecords(summaryColumns, "r.kind = 'session_summary'"),
    values: [...filterValues({ ...filter, obs_type: null }), ...pageValues(page)],
  });
}

/** Counts observations that pass the filter. */
export async function countObservations(
  app: Connections,
  tenant: Tenant,
  filter: RecordFilter,
): Promise<number> {
  const [row] = await listed<{ n: number }>(app, tenant, {
    name: "list-count",
    text: `select count(*)::float8 as n
      from observations r
      where r.team_id = $1 and ($2::uuid is null or r.project_id = $2) and r.kind <> 'session_summary'
        and ${filterConditions}`,
    values: filterValues(filter),
  });
  return row?.n ?? 0;
}

/** The newest prompts, without private ones. */
export async function newestPrompts(
  app: Connections,
  tenant: Tenant,
  { filter, page }: { filter: Pick<RecordFilter, "dateStart" | "dateEnd">; page: ListPage },
): Promise<UserPrompt[]> {
  const rows = await listed<PromptRow>(app, tenant, {
    name: "list-prompts",
    text: `select ${promptColumns}
      from projects p
      cross join lateral (
        select r.*
        from agent_events r
        where r.team_id = $1 and r.project_id = p.id and ${isPrompt}
          and ($3::float8 is null or r.occurred_at >= to_timestamp($3::float8 / 1000))
          and ($4::float8 is null or r.occurred_at < to_timestamp(($4::float8 + 1) / 1000))
        order by r.seq desc
        limit $5) e
      ${sessionOfEvent}
      where p.team_id = $1 and ($2::uuid is null or p.id = $2)
      order by e.seq desc
      limit $6 offset $7`,
    values: [filter.dateStart, filter.dateEnd, ...pageValues(page)],
  });
  return rows.map(promptOf);
}

/** Prompts among the newest 2,000 that contain the most of the parts (lower case), with their count. */
export async function promptsContaining(
  app: Connections,
  tenant: Tenant,
  asked: { parts: readonly string[]; filter: Pick<RecordFilter, "dateStart" | "dateEnd">; page: ListPage },
): Promise<{ prompt: UserPrompt; parts: number }[]> {
  const { parts, filter, page } = asked;
  const rows = await listed<PromptRow & { parts: number }>(app, tenant, {
    name: "list-prompts-containing",
    text: containingText,
    values: [filter.dateStart, filter.dateEnd, parts, page.limit, page.offset],
  });
  return rows.map(({ parts: held, ...row }) => ({ prompt: promptOf(row), parts: held }));
}

/** Observations of the numbers, in any order. */
export function observationsByNumber(
  app: Connections,
  tenant: Tenant,
  numbers: readonly number[],
): Promise<Observation[]> {
  return listed<Observation>(app, tenant, {
    name: "list-observations-by-number",
    text: byNumber(observationColumns, "o.kind <> 'session_summary'"),
    values: [numbers],
  });
}

export function summariesByNumber(
  app: Connections,
  tenant: Tenant,
  numbers: readonly number[],
): Promise<SessionSummary[]> {
  return listed<SessionSummary>(app, tenant, {
    name: "list-summaries-by-number",
    text: byNumber(summaryColumns, "o.kind = 'session_summary'"),
    values: [numbers],
  });
}

export async function promptByNumber(
  app: Connections,
  tenant: Tenant,
  number: number,
): Promise<UserPrompt | undefined> {
  const [row] = await listed<PromptRow>(app, tenant, {
    name: "list-prompt-by-number",
    text: `select ${promptColumns}
      from agent_events e
      join projects p on p.team_id = $1 and p.id = e.project_id
      ${sessionOfEvent}
      where e.team_id = $1 and ($2::uuid is null or e.project_id = $2) and e.seq = $3
        and e.event_type = 'user_prompt' and not e.metadata @> '{"private":true}'`,
    values: [number],
  });
  return row && promptOf(row);
}

async function listed<R extends object>(
  app: Connections,
  tenant: Tenant,
  { values, ...statement }: { name: string; text: string; values: readonly unknown[] },
): Promise<R[]> {
  return inTenant(app, tenant, async (connection) => {
    const bounds = [tenant.team_id, tenant.project_id];
    const { rows } = await connection.query<R>({ ...statement, values: [...bounds, ...values] });
    return rows;
  });
}

const isPrompt = `r.event_type = 'user_prompt' and not r.metadata @> '{"private":true}'`;

const sessionOfEvent = `left join sessions s
  on s.team_id = $1 and s.project_id = e.project_id and s.id = e.session_id`;

const filterConditions = `($3::text is null or r.obs_type = $3)
  and (cardinality($4::text[]) = 0 or r.concepts && $4::text[])
  and ($5::text[] is null or exists (
    select 1
    from unnest(r.files_read || r.files_modified) as f(path)
    where f.path = any ($5::text[])
      or exists (
        select 1
        from unnest($6::text[]) as w(path)
        where right(f.path, length(w.path) + 1) in ('/' || w.path, '\\' || w.path))))
  and ($7::float8 is null or r.created_at >= to_timestamp($7::float8 / 1000))
  and ($8::float8 is null or r.created_at < to_timestamp(($8::float8 + 1) / 1000))`;

function filterValues({ obs_type, concepts, files, dateStart, dateEnd }: RecordFilter): unknown[] {
  const paths = files === null ? [null, null] : [[...files.are, ...files.endWith], files.endWith];
  return [obs_type, concepts, ...paths, dateStart, dateEnd];
}

// Per project along its index; sorting a whole team would read all of it.
function newestRecords(columns: string, ofKind: string): string {
  return `select ${columns}
    from projects p
    cross join lateral (
      select r.*
      from observations r
      where r.team_id = $1 and r.project_id = p.id and ${ofKind}
        and ${filterConditions}
      order by r.seq desc
      limit $9) o
    where p.team_id = $1 and ($2::uuid is null or p.id = $2)
    order by o.seq desc
    limit $10 offset $11`;
}

function byNumber(columns: string, ofKind: string): string {
  return `select ${columns}
    from observations o
    join projects p on p.team_id = $1 and p.id = o.project_id
    where o.team_id = $1 and ($2::uuid is null or o.project_id = $2) and o.seq = any ($3::bigint[]) and ${ofKind}`;
}

function pageValues({ offset, limit }: ListPage): number[] {
  return [Math.min(offset + limit, Number.MAX_SAFE_INTEGER), limit, offset];
}

const containingText = `select ${promptColumns}, e.parts::float8 as parts
  from projects p
  cross join lateral (
    select r.*, (
      select count(*)
      from unnest($5::text[]) as part
      where position(part in lower(coalesce(r.payload ->> 'prompt', r.payload #>> '{}'))) > 0) as parts
    from (
      select r.*
      from agent_events r
      where r.team_id = $1 and r.project_id = p.id and ${isPrompt}
        and ($3::float8 is null or r.occurred_at >= to_timestamp($3::float8 / 1000))
        and ($4::float8 is null or r.occurred_at < to_timestamp(($4::float8 + 1) / 1000))
      order by r.seq desc
      limit 2000) r) e
  ${sessionOfEvent}
  where p.team_id = $1 and ($2::uuid is null or p.id = $2) and e.parts > 0
  order by e.parts desc, e.seq desc
  limit $6 offset $7`;
