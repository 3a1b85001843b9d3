// Revocations of other processes, heard as they are committed: what this one remembers of the team's keys is then void.
import type { Log } from "../core/log.ts";
import { revocations } from "../store/postgres/api-keys.ts";
import type { Listening } from "../store/postgres/listen.ts";
import type { Database } from "../store/postgres/open.ts";

interface Deps {
  database: Pick<Database, "listen">;
  log: Log;
  /** Of one team's keys, or of all. */
  recheck(team_id?: string): void;
}

/** Listens until it is closed. While the connection is down, a key that ended elsewhere is still found out within ten seconds. */
export function hearRevocations({ database, log, recheck }: Deps): Listening {
  let wasDeaf = false;
  return database.listen({
    channel: revocations,
    hear: (team_id) => recheck(team_id),
    onListening() {
      if (wasDeaf) log.info("revocations of other processes are heard again");
      wasDeaf = false;
      recheck();
    },
    onDeaf({ message }) {
      wasDeaf = true;
      log.warn(
        { reason: message },
        "revocations of other processes are not heard now: their keys open for up to ten seconds",
      );
    },
  });
}
