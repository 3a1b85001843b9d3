// Observations: stored with their sources and search index row in one statement, read by id and by time.
import {
  contentOf,
  type HostedObservation,
  type NewHostedObservation,
  type ObservationFilter,
} from "../../core/records/hosted-record.ts";
import { packTerms } from "../../core/records/record-terms.ts";
import { searchCodes } from "../../core/records/search-codes.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import { storableJson } from "../../text/storable.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Queryable } from "./open.ts";

/** A newly stored observation. */
export interface InsertedObservation {
  id: string;
  seq: number;
  created_at_epoch: number;
}

/**
 * Stores observations inside the caller's transaction; skips those whose generation key exists. The caller holds the
 * project (`for share`) and has cleaned the texts.
 */
export async function insertObservations(
  connection: Queryable,
  observations: readonly NewHostedObservation[],
): Promise<InsertedObservation[]> {
  if (observations.length === 0) return [];
  const { rows } = await connection.query<InsertedObservation>({
    name: "insert-observations",
    text: insertText,
    values: [observations.map(rowOf), observations.flatMap(sourcesOf)].map((rows) =>
      JSON.stringify(storableJson(rows)),
    ),
  });
  return rows;
}

/** The project's observation with this id. */
export async function observationById(
  connection: Queryable,
  { team_id, project_id }: { team_id: string; project_id: string | null },
  id: string,
): Promise<HostedObservation | undefined> {
  const { rows } = await connection.query<HostedObservation>({
    name: "observation-by-id",
    text: `select ${recordColumns}
      from observations o
      where o.team_id = $1 and ($2::uuid is null or o.project_id = $2) and o.id = $3`,
    values: [team_id, project_id, id],
  });
  return rows[0];
}

/** The newest observations of a project, newest first. */
export async function recentObservations(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { filter, limit }: { filter: ObservationFilter; limit: number },
): Promise<HostedObservation[]> {
  const { rows } = await connection.query<HostedObservation>({
    name: "recent-observations",
    text: `select ${recordColumns}
      from observations o
      left join sessions s on s.team_id = $1 and s.project_id = $2 and s.id = o.session_id
      where o.team_id = $1 and o.project_id = $2
        and ($3::text is null or o.kind = $3)
        and ($4::text is null or o.obs_type = $4)
        and ($5::text is null or s.platform_source = $5)
      order by o.seq desc
      limit $6`,
    values: [team_id, project_id, filter.kind, filter.obs_type, filter.platform_source, limit],
  });
  return rows;
}

/** A time range; both ends are inclusive epoch milliseconds. */
interface TimeRange {
  filter: ObservationFilter;
  limit: number;
  start: number;
  end: number;
}

/** Observations created in the time range, newest first. */
export async function observationsOfTime(
  connection: Queryable,
  scope: ProjectScope,
  asked: TimeRange,
): Promise<HostedObservation[]> {
  const { rows } = await connection.query<HostedObservation>({
    name: "observations-of-time",
    text: ofTimeText(recordColumns),
    values: ofTimeValues(scope, asked),
  });
  return rows;
}

/** The `seq`s of `observationsOfTime`. */
export async function seqsOfTime(
  connection: Queryable,
  scope: ProjectScope,
  asked: TimeRange,
): Promise<number[]> {
  const { rows } = await connection.query<{ seq: number }>({
    name: "seqs-of-time",
    text: ofTimeText("o.seq::float8 as seq"),
    values: ofTimeValues(scope, asked),
  });
  return rows.map(({ seq }) => seq);
}

/** The project's observations with these numbers, unordered. */
export async function observationsBySeq(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  seqs: readonly number[],
): Promise<HostedObservation[]> {
  const { rows } = await connection.query<{ records: HostedObservation[] | null }>({
    name: "observations-by-seq",
    // One JSON text: parsing twenty rows with their arrays took twice as long.
    text: `select json_agg(record) as records
      from (
        select ${recordColumns}
        from observations o
        where o.team_id = $1 and o.project_id = $2 and o.seq = any($3::bigint[])
      ) record`,
    values: [team_id, project_id, seqs],
  });
  return rows[0]?.records ?? [];
}

/** SQL, true for a row of `observations o` that is neither superseded nor ended by a later turn. */
export const stillHolds = "not o.ended and o.superseded_by is null";

/** Columns of a `HostedObservation`, of `observations o`. */
export const recordColumns = `o.id, o.seq::float8 as seq, o.team_id, o.project_id, o.session_id, o.kind, o.obs_type, o.title,
  o.subtitle, o.summary, o.narrative, o.facts, o.concepts, o.files_read, o.files_modified, o.content, o.metadata,
  o.generator, o.provenance, o.prompt_number, o.said_by, o.statement_kind, o.standing, o.reach, o.salience, o.routine,
  case when ${stillHolds} then 'active' else 'superseded' end as status,
  ${epochMs("o.created_at")} as created_at_epoch,
  ${epochMs("o.updated_at")} as updated_at_epoch`;

/** Columns of a `QuotedRecord` but for its summary; `revision` is the time of the last change. */
export const quotedColumns = `o.seq::float8 as id, coalesce(o.session_id::text, '') as sdk_session_id, o.prompt_number,
  o.obs_type, o.title, o.subtitle, o.provenance, o.said_by, o.statement_kind, o.standing::integer as standing, o.reach, o.salience,
  ${epochMs("o.created_at")} as created_at_epoch, ${epochMs("o.updated_at")} as revision`;

// No join with sessions: on tables without statistics the planner started with them and sorted everything.
function ofTimeText(columns: string): string {
  return `select ${columns}
      from observations o
      where o.team_id = $1 and o.project_id = $2
        and o.created_at >= to_timestamp($3::float8 / 1000) and o.created_at < to_timestamp(($4::float8 + 1) / 1000)
        and ($5::text is null or o.kind = $5)
        and ($6::text is null or o.obs_type = $6)
        and ($7::text is null or o.session_id = any(array(
          select s.id
          from sessions s
          where s.team_id = $1 and s.project_id = $2 and s.platform_source = $7
        )))
      order by o.created_at desc, o.seq desc
      limit $8`;
}

function ofTimeValues({ team_id, project_id }: ProjectScope, { filter, limit, start, end }: TimeRange) {
  const { kind, obs_type, platform_source } = filter;
  return [team_id, project_id, start, end, kind, obs_type, platform_source, limit];
}

// One round trip for all tables; `seq` follows the order of the input.
const insertText = `with given as (
    select *
    from jsonb_to_recordset($1::jsonb) as g (
      place integer, id uuid, team_id uuid, project_id uuid, session_id uuid, kind text, obs_type text, title text,
      subtitle text, summary text, narrative text, facts text[], concepts text[], files_read text[],
      files_modified text[], content text, metadata jsonb, generator text, provenance text, prompt_number integer,
      discovery_tokens integer, generation_key text, created_by_job_id uuid, memory_epoch bigint,
      created_at_epoch float8, said_by text, statement_kind text, standing boolean, reach text, salience float8, routine boolean,
      ended boolean, families text[], terms text, codes bigint[])
  ),
  inserted as (
    insert into observations (id, team_id, project_id, session_id, kind, obs_type, title, subtitle, summary, narrative,
      facts, concepts, files_read, files_modified, content, metadata, generator, provenance, prompt_number,
      discovery_tokens, generation_key, created_by_job_id, memory_epoch, created_at, said_by,
      statement_kind, standing, reach, salience, routine, ended)
    select id, team_id, project_id, session_id, kind, obs_type, title, subtitle, summary, narrative, facts, concepts,
      files_read, files_modified, content, metadata, generator, provenance, prompt_number, discovery_tokens,
      generation_key, created_by_job_id, memory_epoch, coalesce(to_timestamp(created_at_epoch / 1000), now()),
      said_by, statement_kind, standing, reach, salience, routine, ended
    from given
    order by place
    on conflict (team_id, project_id, generation_key) do nothing
    returning id, seq, team_id, project_id, session_id, kind, obs_type, created_at
  ),
  sourced as (
    insert into observation_sources (id, team_id, project_id, observation_id, source_type, source_id,
      generation_job_id)
    select s.id, i.team_id, i.project_id, i.id, s.source_type, s.source_id, s.generation_job_id
    from jsonb_to_recordset($2::jsonb) as s (
      id uuid, observation_id uuid, source_type text, source_id uuid, generation_job_id uuid)
    join inserted i on i.id = s.observation_id
    on conflict do nothing
  ),
  fixing as (
    insert into fix_commands (team_id, project_id, family, observation_id)
    select i.team_id, i.project_id, family, i.id
    from inserted i
    join given g on g.id = i.id
    cross join unnest(g.families) family
    on conflict do nothing
  ),
  indexed as (
    insert into observation_search (team_id, project_id, seq, session_id, kind, obs_type, platform_source, created_at,
      terms, codes)
    select i.team_id, i.project_id, i.seq, i.session_id, i.kind, i.obs_type, coalesce(s.platform_source, ''),
      i.created_at, decode(g.terms, 'base64'), g.codes
    from inserted i
    join given g on g.id = i.id
    left join sessions s on s.team_id = i.team_id and s.project_id = i.project_id and s.id = i.session_id
  )
  select id, seq::float8 as seq, ${epochMs("created_at")} as created_at_epoch
  from inserted
  order by seq`;

function rowOf(observation: NewHostedObservation, place: number): JsonObject {
  const { sources: _own, statement, routine = false, ended = false, ...columns } = observation;
  const source = {
    ...columns,
    facts: JSON.stringify(observation.facts),
    files_touched: JSON.stringify([...new Set([...observation.files_read, ...observation.files_modified])]),
  };
  const terms = packTerms(source);
  // A statement is found by the prompt of its turn too.
  const found = packTerms({ ...source, narrative: `${source.narrative ?? ""}\n${source.subtitle ?? ""}` });
  return {
    ...columns,
    said_by: statement?.said_by ?? null,
    statement_kind: statement?.kind ?? null,
    standing: statement?.standing ?? false,
    reach: statement?.reach ?? "project",
    salience: statement?.salience ?? null,
    families: [...(statement?.families ?? [])],
    routine,
    ended,
    place,
    content: observation.content ?? contentOf(observation),
    terms: Buffer.from(terms).toString("base64"),
    codes: searchCodes(observation.project_id, found),
  };
}

function sourcesOf({ id, sources }: NewHostedObservation): JsonObject[] {
  return sources.map((source) => ({ ...source, observation_id: id }));
}
