// Builds the hosted server: creates every part once and hands it to those that need it. Nothing listens yet.
import type { RouteOptions } from "fastify";
import type { Clock } from "../clock.ts";
import { createDoor } from "../http/plugins/door.ts";
import type { App } from "../http/plugins/zod.ts";
import { buildServerHttp } from "../http/v1/app.ts";
import { createAuthentication } from "../keys/authenticate.ts";
import type { Log } from "../log.ts";
import type { ServerSettings } from "../settings/server.ts";
import type { Database } from "../store/postgres/open.ts";
import { createHealth } from "./health.ts";
import { createKeyLookup, createKeyPorts } from "./key-ports.ts";
import { createLocalTeam } from "./local-team.ts";
import { createProjectPorts } from "./project-ports.ts";

export interface ServerDeps {
  database: Database;
  /** `http` answers, `generate` makes observations and answers for its health alone, `all` does both. */
  role: "all" | "http" | "generate";
  settings: ServerSettings;
  log: Log;
  clock: Clock;
  /** What it is bound to; asked for from the first request on. */
  address(): { host: string; port: number };
}

export interface HostedServer {
  app: App;
  routes: readonly RouteOptions[];
  /** Resolves when it may listen. */
  ready(): Promise<void>;
  /** Finishes replies and what they began. The database stays open. */
  close(): Promise<void>;
}

export function buildServer(deps: ServerDeps): HostedServer {
  const { database, settings, log } = deps;
  const withKeys = settings.get("MEM_AUTH_MODE") === "api-key";
  const localTeam = createLocalTeam(database);
  const authentication = createAuthentication({
    keys: createKeyLookup(database),
    clock: deps.clock,
    failuresPerMinute: settings.get("MEM_AUTH_FAILURES_PER_MIN"),
  });
  const { app, routes } = buildServerHttp({
    log,
    healthOnly: deps.role === "generate",
    gate: withKeys
      ? { is: "keys" }
      : { is: "local", door: createDoor({ address: deps.address, isPipe: () => false }) },
    authenticate: withKeys ? authentication.authenticate : localTeam.caller,
    guards: [],
    health: createHealth(database),
    projects: createProjectPorts(database),
    keys: createKeyPorts({ database, clock: deps.clock, onRevoked: authentication.recheck }),
    publicUrl: settings.get("MEM_PUBLIC_URL"),
  });
  return {
    app,
    routes,
    async ready() {
      await app.ready();
    },
    async close() {
      await app.close();
      await authentication.settled();
    },
  };
}
