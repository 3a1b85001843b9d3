// Builds `mem hub` on an open store. Nothing listens yet.
import type { Clock } from "../../core/clock.ts";
import { failOpenSync } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { version } from "../../core/version.ts";
import { createClientAddress } from "../../http/v1/client-address.ts";
import type { ServerHttp } from "../../http/v1/hosted-app.ts";
import { buildHubHttp } from "../../http/v1/hub-app.ts";
import { createHub } from "../../hub/hub.ts";
import { createHubUpkeep } from "../../hub/upkeep.ts";
import type { ServerSettings } from "../../settings/server.ts";
import type { openHubStore } from "../../store/sqlite/hub/hub-store.ts";

interface HubDeps {
  store: ReturnType<typeof openHubStore>;
  settings: ServerSettings;
  log: Log;
  clock: Clock;
}

export interface BuiltHub extends ServerHttp {
  /** Starts the background work. */
  start(): void;
  /** Finishes replies and background work. The store stays open. */
  close(): Promise<void>;
}

// How fast a revoked token or a reset ends live connections: the commands are other processes.
const watchEveryMs = 1_000;

export function buildHub({ store, settings, log, clock }: HubDeps): BuiltHub {
  const hub = createHub({
    store: { ...store, push: pushAndTell },
    clock,
    failuresPerMinute: settings.get("MEM_AUTH_FAILURES_PER_MIN"),
    requestsPerMinute: settings.get("MEM_HUB_RATE_LIMIT_PER_MIN"),
  });
  const upkeep = createHubUpkeep({
    store,
    clock,
    onCompacted: (bodies) => log.info({ bodies }, "replaced revisions were removed from the logs"),
  });
  const { app, routes } = buildHubHttp({
    log,
    hub,
    clientAddress: createClientAddress(settings.get("MEM_TRUSTED_PROXIES")),
    version,
    async demandReady() {
      await store.findToken(Buffer.alloc(32));
    },
  });
  let timer: NodeJS.Timeout | undefined;

  async function pushAndTell(push: Parameters<typeof store.push>[0]) {
    const verdict = await store.push(push);
    if (verdict?.is === "accepted" && verdict.added.length > 0) hub.channel.changed(push.account_id);
    return verdict;
  }

  return {
    app,
    routes,
    start() {
      upkeep.start();
      timer = setInterval(() => {
        const isChanged = failOpenSync("watching for changes by commands", store.changedElsewhere);
        if (isChanged !== false) hub.channel.changedSomewhere();
      }, watchEveryMs);
    },
    async close() {
      clearInterval(timer);
      await app.close();
      await upkeep.stop();
    },
  };
}
