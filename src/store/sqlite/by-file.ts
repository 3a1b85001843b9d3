// The records about a file, newest first.
import type { Observation } from "../../domain/records.ts";
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
  const find = db.prepare<
    Omit<ByFileRequest, "paths"> & { paths: string },
    Observation & { total: number; modified: number }
  >(
    `select ${observationColumns}, f.modified, count(*) over () as total
     from (
       select observation_id, max(access = 'modified') as modified
       from observation_files
       where path in (select value from json_each(@paths))
       group by observation_id
     ) f
     cross join observations o on o.id = f.observation_id
     where o.project = @project
       and (@exceptSession is null or o.sdk_session_id <> @exceptSession)
       and (f.modified = 1 or o.generator <> 'local')
     order by f.modified desc, o.created_at_epoch desc, o.id desc
     limit @limit`,
  );
  return ({ paths, ...request }) => {
    const rows = find.all({ ...request, paths: JSON.stringify(paths) });
    return {
      observations: rows.map(({ total: _total, modified: _modified, ...observation }) => observation),
      total: rows[0]?.total ?? 0,
    };
  };
}
