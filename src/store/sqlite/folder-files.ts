// Context files in folders of projects: what they are made of, and which ones we have written into.
import type { Sqlite } from "./open.ts";

/** A file that we have written into. */
export interface FolderFileRow {
  path: string;
  project: string;
  written_at_epoch: number;
}

/** A record of one file of a project. */
export interface FileRecordRow {
  id: number;
  title: string;
  obs_type: string;
  created_at_epoch: number;
  path: string;
}

export interface FolderFiles {
  all(): FolderFileRow[];
  put(file: FolderFileRow): void;
  remove(path: string): void;
  /** What was done to the project's files, newest first; a row for each file of a record. */
  records(project: string, limit: number): FileRecordRow[];
}

export function createFolderFiles(db: Sqlite): FolderFiles {
  const all = db.prepare<[], FolderFileRow>(
    "select path, project, written_at_epoch from folder_files order by path",
  );
  const put = db.prepare<FolderFileRow>(
    `insert into folder_files (path, project, written_at_epoch)
     values (@path, @project, @written_at_epoch)
     on conflict (path) do update
     set project = excluded.project, written_at_epoch = excluded.written_at_epoch`,
  );
  const remove = db.prepare<[string]>("delete from folder_files where path = ?");
  // A local record of a file that was only read says no more than that, so it is left out.
  const records = db.prepare<[string, number], FileRecordRow>(
    `select o.id, o.title, o.obs_type, o.created_at_epoch, f.path
     from observations o
     cross join observation_files f on f.observation_id = o.id
     where o.project = ?
       and o.status = 'active'
       and o.provenance not in ('web', 'mcp')
       and (f.access = 'modified' or o.generator <> 'local')
     order by o.created_at_epoch desc, o.id desc, f.path
     limit ?`,
  );
  return {
    all: () => all.all(),
    put: (file) => void put.run(file),
    remove: (path) => void remove.run(path),
    records: (project, limit) => records.all(project, limit),
  };
}
