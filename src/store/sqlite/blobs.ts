// The git blob ids that the files of an observation had when it was stored.
import type { Sqlite } from "./open.ts";

interface Blob {
  observation_id: number;
  path: string;
  place: string;
  blob_id: string;
  size: number;
  mtime_ns: string | null;
}

export interface Blobs {
  /** With the directory of the session that each is from. */
  of(observations: readonly number[]): (Blob & { cwd: string | null })[];
  /** What is kept already stays, and nothing is kept of an observation that is gone. */
  keep(blobs: readonly Blob[]): void;
  /** The directory of a session. */
  cwdOf(sdkSessionId: string): string | null;
}

export function createBlobs(db: Sqlite): Blobs {
  // A record that was made again may have other files now.
  const of = db.prepare<[string], Blob & { cwd: string | null }>(
    `select b.observation_id, b.path, b.place, b.blob_id, b.size, b.mtime_ns, s.cwd
     from json_each(?) wanted
     cross join observation_blobs b on b.observation_id = wanted.value
     left join observations o on o.id = b.observation_id
     left join sessions s on s.sdk_session_id = o.sdk_session_id
     where exists (select 1 from observation_files f where f.path = b.path and f.observation_id = b.observation_id)`,
  );
  const insert = db.prepare<Blob>(
    `insert into observation_blobs (observation_id, path, place, blob_id, size, mtime_ns)
     select @observation_id, @path, @place, @blob_id, @size, @mtime_ns
     where exists (select 1 from observations where id = @observation_id)
     on conflict (observation_id, path) do nothing`,
  );
  const cwdOf = db.prepare<[string], { cwd: string | null }>(
    "select cwd from sessions where sdk_session_id = ?",
  );
  return {
    of: (observations) => of.all(JSON.stringify(observations)),
    keep(blobs) {
      for (const { observation_id, path, place, blob_id, size, mtime_ns } of blobs)
        insert.run({ observation_id, path, place, blob_id, size, mtime_ns });
    },
    cwdOf: (sdkSessionId) => cwdOf.get(sdkSessionId)?.cwd ?? null,
  };
}
