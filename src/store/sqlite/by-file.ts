// The records about a file, newest first.
import type { Observation } from "../../core/records/records.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";

export interface ByFileRequest {
  project: string;
  /** The same file under every spelling it may be stored with. */
  paths: readonly string[];
  /** Session whose own records are left out. */
  exceptSession: string | null;
  limit: number;
}

export interface FileRecords {
  observations: Observation[];
  /** How many there are in all. */
  total: number;
}

/** A reader of a file's records; those that changed the file stand before those that read it. */
export function createByFile(db: Sqlite): (request: ByFileRequest) => FileRecords {
  // A local record of a file that was only read says no more than that, so it is left out.
  const find = db.prepare<Omit<ByFileRequest, "paths"> & { paths: string }, Observation & { total: number }>(
    // The order is made of ids alone: records are wide, and only a few of them are wanted.
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
         and o.status <> 'rejected'
         and (@exceptSession is null or o.sdk_session_id <> @exceptSession)
         and (f.modified = 1 or o.generator <> 'local')
     )
     select ${observationColumns}, (select count(*) from found) as total
     from found
     cross join observations using (id)
     where place <= @limit
     order by place`,
  );
  return ({ paths, ...request }) => {
    const rows = find.all({ ...request, paths: JSON.stringify(paths) });
    return {
      observations: rows.map(({ total: _total, ...observation }) => observation),
      total: rows[0]?.total ?? 0,
    };
  };
}

export interface FileTimelineRequest {
  /** Paths that are this file as they stand. */
  paths: readonly string[];
  /** Paths that a longer one may end with, and the full-text match that finds those; null for none. */
  ends: { paths: readonly string[]; match: string } | null;
  /** Labels; empty for all of them. */
  projects: readonly string[];
  limit: number;
}

/** A reader of everything that is known of a file, read or changed by whomever; newest first. */
export function createFileTimeline(db: Sqlite): (request: FileTimelineRequest) => FileRecords {
  const whole = db.prepare<TimelineRow, TotalRow>(
    timelineOf(
      "select observation_id as id from observation_files where path in (select value from json_each(@paths))",
    ),
  );
  // The words of the path find the few records that can end with it; that they do is asked of each path.
  const ending = db.prepare<TimelineRow & { match: string; ends: string }, TotalRow>(
    timelineOf(
      `select observation_id as id from observation_files where path in (select value from json_each(@paths))
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
      paths: JSON.stringify(paths),
      projects: projects.length === 0 ? null : JSON.stringify(projects),
      limit,
    };
    const rows =
      ends === null
        ? whole.all(row)
        : ending.all({ ...row, match: ends.match, ends: JSON.stringify(ends.paths) });
    return {
      observations: rows.map(({ total: _total, ...observation }) => observation),
      total: rows[0]?.total ?? 0,
    };
  };
}

// The newest records with the words of the path: among 100,000, a bare index.ts is in more than can be looked through
// while a request waits.
const mostEnding = 1000;

interface TimelineRow {
  paths: string;
  projects: string | null;
  limit: number;
}

type TotalRow = Observation & { total: number };

function timelineOf(candidates: string): string {
  return `select ${observationColumns}, count(*) over () as total
     from observations
     where id in (${candidates})
       and (@projects is null or project in (select value from json_each(@projects)))
       and status <> 'rejected'
     order by created_at_epoch desc, id desc
     limit @limit`;
}
