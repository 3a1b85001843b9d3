// Records within what a key reaches: newest first and filtered, or by their numbers.
import type { UserPrompt } from "../../core/records/records.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import type { Connections } from "./open.ts";
import {
  matchingText,
  orderedText,
  type RecordKind,
  type RecordOf,
  type Source,
  sources,
} from "./record-rows.ts";
import { rowsInTenant } from "./tenant.ts";

/** Filters of a list. Prompts and sessions have no type, concepts or files. */
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

/** The part of a filtered list to read. */
export interface Listed {
  filter: RecordFilter;
  page: { offset: number; limit: number };
}

export const noFilter: RecordFilter = {
  obs_type: null,
  concepts: [],
  files: null,
  dateStart: null,
  dateEnd: null,
};

/** The newest records of a kind; observations include manual ones. */
export async function newest<K extends RecordKind>(
  app: Connections,
  tenant: Tenant,
  kind: K,
  { filter, page }: Listed,
): Promise<RecordOf[K][]> {
  const rows = await rowsInTenant<object>(app, tenant, {
    name: `newest-${kind}`,
    text: orderedText(sources[kind], {
      where: filterText(kind),
      order: "o.seq desc",
      most: "$9::bigint + $10::bigint",
      page: "limit $9 offset $10",
    }),
    values: [...filterValues(filter), page.limit, page.offset],
  });
  return rows.map(sources[kind].recordOf);
}

/** Counts observations that pass the filter. */
export async function countObservations(
  app: Connections,
  tenant: Tenant,
  filter: RecordFilter,
): Promise<number> {
  const [row] = await rowsInTenant<{ n: number }>(app, tenant, {
    name: "list-count",
    text: `select count(*)::float8 as n
      from observations o
      where o.team_id = $1 and ($2::uuid is null or o.project_id = $2) and ${sources.observations.is}
        and ${filterText("observations")}`,
    values: filterValues(filter),
  });
  return row?.n ?? 0;
}

/** Prompts among the newest 2,000 that contain the most of the parts (lower case), with their count. */
export async function promptsContaining(
  app: Connections,
  tenant: Tenant,
  { parts, filter, page }: Listed & { parts: readonly string[] },
): Promise<{ prompt: UserPrompt; parts: number }[]> {
  const rows = await rowsInTenant<{ parts: number }>(app, tenant, {
    name: "prompts-containing",
    text: orderedText(counted(sources.prompts), {
      where: filterText("prompts"),
      order: "o.seq desc",
      most: "2000",
      pageOrder: "held.parts desc, o.seq desc",
      page: "limit $9 offset $10",
    }),
    values: [...filterValues(filter), page.limit, page.offset, parts],
  });
  return rows.map(({ parts: held, ...row }) => ({ prompt: sources.prompts.recordOf(row), parts: held }));
}

/** Records of the numbers, in any order. */
export async function byNumbers<K extends RecordKind>(
  app: Connections,
  tenant: Tenant,
  kind: K,
  numbers: readonly number[],
): Promise<RecordOf[K][]> {
  const rows = await rowsInTenant<object>(app, tenant, {
    name: `${kind}-by-numbers`,
    text: matchingText(sources[kind], "o.seq = any ($3::bigint[])"),
    values: [numbers],
  });
  return rows.map(sources[kind].recordOf);
}

// A parameter for each value of `filterValues`.
function filterText(kind: RecordKind): string {
  const { table, time } = sources[kind];
  return `($3::float8 is null or o.${time} >= to_timestamp($3::float8 / 1000))
    and ($4::float8 is null or o.${time} < to_timestamp(($4::float8 + 1) / 1000))
    and ${table === "observations" ? describedText : undescribedText}`;
}

const describedText = `($5::text is null or o.obs_type = $5)
  and (cardinality($6::text[]) = 0 or o.concepts && $6::text[])
  and ($7::text[] is null or exists (
    select 1
    from unnest(o.files_read || o.files_modified) as f(path)
    where f.path = any ($7::text[])
      or exists (
        select 1
        from unnest($8::text[]) as w(path)
        where right(f.path, length(w.path) + 1) in ('/' || w.path, '\\' || w.path))))`;

const undescribedText =
  "$5::text is null and cardinality($6::text[]) = 0 and coalesce($7::text[], $8::text[]) is null";

function filterValues({ obs_type, concepts, files, dateStart, dateEnd }: RecordFilter): unknown[] {
  const paths = files === null ? [null, null] : [[...files.are, ...files.endWith], files.endWith];
  return [dateStart, dateEnd, obs_type, concepts, ...paths];
}

function counted(prompts: Source<UserPrompt>): Source<UserPrompt> {
  return {
    ...prompts,
    columns: `${prompts.columns}, held.parts`,
    join: `${prompts.join}
    join lateral (
      select count(*)::float8 as parts
      from unnest($11::text[]) as part
      where position(part in lower(coalesce(o.payload ->> 'prompt', o.payload #>> '{}'))) > 0
    ) held on held.parts > 0`,
  };
}
