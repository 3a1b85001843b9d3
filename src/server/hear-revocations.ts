// Listens for revocations by other processes and expires the cached keys of the team.
import type { Log } from "../core/log.ts";
import { revocations } from "../store/postgres/api-keys.ts";
import type { Listening } from "../store/postgres/listen.ts";
import type { Database } from "../store/postgres/open.ts";

interface Deps {
  database: Pick<Database, "listen">;
  log: Log;
  /** Expires the cached keys of a team, or of all. */
  recheck(team_id?: string): void;
}

/** Listens until closed. Without a connection, a key revoked elsewhere is refused within ten seconds. */
export function hearRevocations({ database, log, recheck }: Deps): Listening {
  let wasDeaf = false;
  return database.listen({
    channel: revocations,
    hear: (team_id) => recheck(team_id),
    onListening() {
      if (wasDeaf) log.info("listening for revocations again");
      wasDeaf = false;
      recheck();
    },
    onDeaf({ message }) {
      wasDeaf = true;
      log.warn(
        { reason: message },
        "not listening for revocations: a key revoked elsewhere works for up to ten seconds",
      );
    },
  });
}
