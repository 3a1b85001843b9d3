// Records about a file.
import type { Observation } from "../../core/records/records.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { createSql, inBothForms, listOf } from "./sql.ts";
import { notProposed } from "./statements.ts";

interface ByFileRequest {
  project: string;
  /** The same file under every spelling it may be stored with. */
  paths: readonly string[];
  /** Session whose own records are left out. */
  exceptSession: string | null;
  limit: number;
}

interface FileRecords {
  observations: Observation[];
  /** The total without `limit`. */
  total: number;
}

type TotalRow = Observation & { total: number };

/** Reads a file's records, newest first; those that changed the file come before those that read it. */
export function createByFile(db: Sqlite): (request: ByFileRequest) => FileRecords {
  // A local record of a file that was only read says no more than that, so it is left out.
  const find = createSql(db).all<[Omit<ByFileRequest, "paths"> & { paths: string }], TotalRow>(
    // The order needs ids alone: records are wide, and only a few of them are read.
    `with found as materialized (
       select o.id, row_number() over (
         order by o.status = 'superseded', o.pinned desc, f.modified desc, o.created_at_epoch desc, o.id desc
       ) as place
       from (
         select observation_id, max(access = 'modified') as modified
         from observation_files
         where path in (select value from json_each(@paths))
         group by observation_id
       ) f
       cross join observations o on o.id = f.observation_id
       where o.project = @project
         and o.status <> 'rejected' and ${notProposed}
         and (@exceptSession is null or o.sdk_session_id <> @exceptSession)
         and (f.modified = 1 or o.generator <> 'local')
     )
     select ${observationColumns}, (select count(*) from found) as total
     from found
     cross join observations using (id)
     where place <= @limit
     order by place`,
  );
  return ({ paths, ...request }) => withTotal(find({ ...request, paths: listOf(inBothForms(paths)) }));
}

function withTotal(rows: readonly TotalRow[]): FileRecords {
  return {
    observations: rows.map(({ total: _total, ...observation }) => observation),
    total: rows[0]?.total ?? 0,
  };
}

interface FileTimelineRequest {
  /** The file's path in every spelling. */
  paths: readonly string[];
  /** Endings of longer paths, and the full-text match that finds those; null for none. */
  ends: { paths: readonly string[]; match: string } | null;
  /** Labels; empty for all projects. */
  projects: readonly string[];
  limit: number;
}

interface TimelineRow {
  paths: string;
  projects: string | null;
  limit: number;
}

/** Reads all records about a file, newest first. */
export function createFileTimeline(db: Sqlite): (request: FileTimelineRequest) => FileRecords {
  const sql = createSql(db);
  const exact =
    "select observation_id as id from observation_files where path in (select value from json_each(@paths))";
  const whole = sql.all<[TimelineRow], TotalRow>(timelineOf(exact));
  // The words of the path find the few records that can end with it; each path is then compared.
  const ending = sql.all<[TimelineRow & { match: string; ends: string }], TotalRow>(
    timelineOf(
      `${exact}
       union
       select f.observation_id
       from (
         select rowid as id
         from observations_fts
         where observations_fts match @match
         order by rowid desc
         limit ${mostEnding}
       ) t
       cross join observation_files f on f.observation_id = t.id
       join json_each(@ends) e
         on substr(f.path, -length(e.value) - 1) in ('/' || e.value, '\\' || e.value)`,
    ),
  );
  return ({ paths, ends, projects, limit }) => {
    const row = {
      paths: listOf(inBothForms(paths)),
      projects: projects.length === 0 ? null : listOf(projects),
      limit,
    };
    return withTotal(
      ends === null
        ? whole(row)
        : ending({ ...row, match: ends.match, ends: listOf(inBothForms(ends.paths)) }),
    );
  };
}

// Only the newest records with the path's words: among 100,000, a bare index.ts is in more than a request can wait for.
const mostEnding = 1000;

function timelineOf(candidates: string): string {
  return `select ${observationColumns}, count(*) over () as total
     from observations
     where id in (${candidates})
       and (@projects is null or project in (select value from json_each(@projects)))
       and status <> 'rejected'
     order by created_at_epoch desc, id desc
     limit @limit`;
}
