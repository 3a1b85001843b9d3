// Projects of all teams with records to embed. As `mem_system`.
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Queryable } from "./open.ts";
import type { VectorIdentity } from "./vector-work.ts";

/** Projects with records above `after` that lack a vector; `last` is the highest number looked at. */
export async function projectsWithNew(
  system: Queryable,
  { embedder, model, after, window }: VectorIdentity & { after: number; window: number },
): Promise<{ projects: ProjectScope[]; last: number }> {
  const { rows } = await system.query<{ projects: ProjectScope[] | null; last: number | null }>({
    name: "projects-with-new-records",
    text: `with recent as materialized (
        select o.team_id, o.project_id, o.seq
        from observations o
        where o.seq > $1::float8::bigint
        order by o.seq
        limit $2
      )
      select
        (select max(seq)::float8 from recent) as last,
        (select json_agg(json_build_object('team_id', p.team_id, 'project_id', p.project_id))
          from (
            select distinct r.team_id, r.project_id
            from recent r
            where not exists (
              select 1
              from observation_vectors v
              where v.team_id = r.team_id and v.project_id = r.project_id and v.seq = r.seq
                and v.embedder = $3 and v.model = $4)
          ) p) as projects`,
    values: [after, window, embedder, model],
  });
  return { projects: rows[0]?.projects ?? [], last: rows[0]?.last ?? after };
}

/** Every project that has records, and the number of the newest record. */
export async function projectsWithRecords(
  system: Queryable,
): Promise<{ projects: ProjectScope[]; last: number }> {
  const { rows } = await system.query<{ projects: ProjectScope[] | null; last: number }>({
    name: "projects-with-records",
    text: `select
        (select coalesce(max(seq), 0)::float8 from observations) as last,
        (select json_agg(json_build_object('team_id', p.team_id, 'project_id', p.id))
          from projects p
          where exists (select 1 from observations o where o.team_id = p.team_id and o.project_id = p.id))
          as projects`,
  });
  return { projects: rows[0]?.projects ?? [], last: rows[0]?.last ?? 0 };
}

/** Ranges of records whose claim has expired, for example because the process was killed. */
export async function abandonedClaims(
  system: Queryable,
  { embedder, model }: VectorIdentity,
): Promise<(ProjectScope & { before: number; after: number })[]> {
  const { rows } = await system.query<ProjectScope & { before: number; after: number }>({
    name: "abandoned-claims",
    text: `select team_id, project_id, max(seq)::float8 + 1 as before, min(seq)::float8 - 1 as after
      from observation_vectors
      where claim is not null and free_at < now() and embedder = $1 and model = $2
      group by team_id, project_id`,
    values: [embedder, model],
  });
  return rows;
}
