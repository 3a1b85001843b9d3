// The hub of `mem server`: its store in PostgreSQL, and the changes that other server processes announce.
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { createHub, type Hub } from "../../hub/hub.ts";
import type { LiveChannel } from "../../hub/live-channel.ts";
import type { HubStore } from "../../hub/store.ts";
import { createHubUpkeep, type HubUpkeep } from "../../hub/upkeep.ts";
import type { ServerSettings } from "../../settings/server.ts";
import { createHubAccounts } from "../../store/postgres/hub-accounts.ts";
import { createHubLog, hubChanges } from "../../store/postgres/hub-log.ts";
import { createHubUpkeepSteps } from "../../store/postgres/hub-upkeep.ts";
import type { Listening } from "../../store/postgres/listen.ts";
import type { Database } from "../../store/postgres/open.ts";

/** The store of the hub in the server's database. */
export function createServerHubStore(database: Pick<Database, "app" | "system">): HubStore {
  const { system } = database;
  return { ...createHubLog(database), ...createHubUpkeepSteps(system), ...createHubAccounts(system) };
}

interface HubDeps {
  database: Pick<Database, "app" | "system">;
  settings: ServerSettings;
  clock: Clock;
}

export function createServerHub({ database, settings, clock }: HubDeps): Hub {
  return createHub({
    store: createServerHubStore(database),
    clock,
    failuresPerMinute: settings.get("MEM_AUTH_FAILURES_PER_MIN"),
    requestsPerMinute: settings.get("MEM_HUB_RATE_LIMIT_PER_MIN"),
  });
}

export function createServerHubUpkeep({
  database,
  log,
  clock,
}: Pick<HubDeps, "database" | "clock"> & { log: Log }): HubUpkeep {
  return createHubUpkeep({
    store: createServerHubStore(database),
    clock,
    onCompacted: (bodies) => log.info({ bodies }, "replaced revisions were removed from the hub's logs"),
  });
}

interface Heard {
  database: Pick<Database, "listen">;
  log: Log;
  channel: LiveChannel;
}

/** Listens until closed. Without a connection, live connections end: devices then read over HTTP. */
export function hearHubChanges({ database, log, channel }: Heard): Listening {
  let wasDeaf = false;
  return database.listen({
    channel: hubChanges,
    hear: (account_id) => channel.changed(account_id),
    onListening() {
      if (wasDeaf) log.info("listening for changes of the hub again");
      wasDeaf = false;
      channel.setListening(true);
    },
    onDeaf({ message }) {
      wasDeaf = true;
      channel.setListening(false);
      log.warn({ reason: message }, "not listening for changes of the hub: live connections ended");
    },
  });
}
