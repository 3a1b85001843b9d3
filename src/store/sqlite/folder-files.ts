// Context files in project folders: the files that we wrote, and the records they are made from.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

interface FolderFileRow {
  path: string;
  project: string;
  written_at_epoch: number;
}

/** A record and one file of it. */
interface FileRecordRow {
  id: number;
  title: string;
  obs_type: string;
  created_at_epoch: number;
  path: string;
}

export function createFolderFiles(db: Sqlite) {
  const sql = createSql(db);
  return {
    all: sql.all<[], FolderFileRow>("select path, project, written_at_epoch from folder_files order by path"),
    put: sql.run<[FolderFileRow]>(
      `insert into folder_files (path, project, written_at_epoch)
       values (@path, @project, @written_at_epoch)
       on conflict (path) do update
       set project = excluded.project, written_at_epoch = excluded.written_at_epoch`,
    ),
    remove: sql.run<[path: string]>("delete from folder_files where path = ?"),
    /**
     * What was done to the project's files, newest first; a row for each file of a record. A local record of a file
     * that was only read is left out: it says no more than that.
     */
    records: sql.all<[project: string, limit: number], FileRecordRow>(
      `select o.id, o.title, o.obs_type, o.created_at_epoch, f.path
       from observations o
       cross join observation_files f on f.observation_id = o.id
       where o.project = ?
         and o.status = 'active'
         and o.provenance not in ('web', 'mcp')
         and (f.access = 'modified' or o.generator <> 'local')
       order by o.created_at_epoch desc, o.id desc, f.path
       limit ?`,
    ),
  };
}
