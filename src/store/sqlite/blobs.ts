// The git blob hashes that the files of an observation had when it was stored.
import { wellFormedText } from "../../text/storable.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

interface Blob {
  observation_id: number;
  path: string;
  place: string;
  blob_id: string;
  size: number;
  mtime_ns: string | null;
  /** Hashes of the named parts, as JSON. */
  spans: string | null;
}

export function createBlobs(db: Sqlite) {
  const sql = createSql(db);
  // A regenerated observation may have other files now.
  const read = sql.all<[ids: string], Blob & { cwd: string | null }>(
    `select b.observation_id, b.path, b.place, b.blob_id, b.size, b.mtime_ns, b.spans, s.cwd
     from json_each(?) wanted
     cross join observation_blobs b on b.observation_id = wanted.value
     left join observations o on o.id = b.observation_id
     left join sessions s on s.sdk_session_id = o.sdk_session_id
     where exists (select 1 from observation_files f where f.path = b.path and f.observation_id = b.observation_id)`,
  );
  const insert = sql.run<[Blob]>(
    `insert into observation_blobs (observation_id, path, place, blob_id, size, mtime_ns, spans)
     select @observation_id, @path, @place, @blob_id, @size, @mtime_ns, @spans
     where exists (select 1 from observations where id = @observation_id)
     on conflict (observation_id, path) do nothing`,
  );
  const cwdOf = sql.value<[sdkSessionId: string], string | null>(
    "select cwd from sessions where sdk_session_id = ?",
  );
  return {
    /** Hashes of the observations' files, each with the directory of its session. */
    of: (observations: readonly number[]) => read(JSON.stringify(observations)),
    /** Existing rows stay; rows of an observation that is gone are not stored. */
    keep(blobs: readonly Blob[]): void {
      for (const { observation_id, path, place, blob_id, size, mtime_ns, spans } of blobs)
        insert({ observation_id, path: wellFormedText(path), place, blob_id, size, mtime_ns, spans });
    },
    /** The directory of a session. */
    cwdOf: (sdkSessionId: string) => cwdOf(sdkSessionId) ?? null,
  };
}
