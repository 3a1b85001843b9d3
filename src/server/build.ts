// Builds the hosted server: creates every part once and hands it to those that need it. Nothing listens yet.

import type { RouteOptions } from "fastify";
import { createInTurn } from "../capture/in-turn.ts";
import { createThreadCleaner } from "../capture/thread-cleaner.ts";
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { packageFile } from "../core/paths.ts";
import { version } from "../core/version.ts";
import { createRequestGuard } from "../http/plugins/request-guard.ts";
import type { App } from "../http/plugins/zod.ts";
import { buildServerHttp } from "../http/v1/app.ts";
import { createClientAddress } from "../http/v1/client-address.ts";
import type { HealthPorts } from "../http/v1/health.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import type { ServerSettings } from "../settings/server.ts";
import { createEventWriter } from "../store/postgres/event-writer.ts";
import type { Listening } from "../store/postgres/listen.ts";
import { schemaVersionOf, serverSchemaVersion } from "../store/postgres/migrate.ts";
import type { Database } from "../store/postgres/open.ts";
import { createAuthentication } from "../tenancy/keys/authenticate.ts";
import { createCompatibility } from "./compatibility.ts";
import { createServerHub, hearHubChanges } from "./hub/server-hub.ts";
import { createEvents } from "./intake/events.ts";
import { createJobs } from "./intake/jobs.ts";
import { createProjectScope, createProjects } from "./intake/projects.ts";
import { createSessions } from "./intake/sessions.ts";
import { createKeyLookup, createKeys, hearRevocations } from "./keys.ts";
import { createLimits } from "./limits.ts";
import type { ServerMetrics } from "./metrics.ts";
import { noMeaning } from "./search/meaning.ts";
import { createRecall } from "./search/recall.ts";
import { createAudit, createDeletion, createLocalTeam, createTeam } from "./team.ts";
import type { HostedVectors } from "./vectors/hosted-vectors.ts";

export interface ServerDeps {
  database: Database;
  /** `http` answers, `generate` makes observations and answers for its health alone, `all` does both. */
  role: "all" | "http" | "generate";
  settings: ServerSettings;
  log: Log;
  clock: Clock;
  /** Left out: search is by words alone. */
  vectors?: Pick<HostedVectors, "meaning" | "inWords"> | undefined;
  /** Left out when metrics are off. */
  metrics?: Pick<ServerMetrics, "answered" | "stored" | "watch">;
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
  const parts = buildParts(deps);
  const { authentication, cleaner, eventWriter, hub, limits, recall, withKeys } = parts;
  deps.metrics?.watch({
    authentication: authentication.counts,
    guardsSkipped: () => limits.admission?.skipped() ?? 0,
    usageLost: () => limits.meter?.lost() ?? 0,
    auditLost: recall.audit.failures,
  });
  const { app, routes } = buildHttp(deps, parts);
  const { database, log } = deps;
  const listens = deps.role !== "generate";
  const listening: Listening[] = [];
  return {
    app,
    routes,
    async ready() {
      await app.ready();
      if (listens) listening.push(hearHubChanges({ database, log, channel: hub.channel }));
      if (listens && withKeys)
        listening.push(hearRevocations({ database, log, recheck: authentication.recheck }));
      await Promise.all([...listening.map(({ tried }) => tried), limits.ready()]);
    },
    async close() {
      await app.close();
      await cleaner.close();
      await Promise.all(listening.map((each) => each.close()));
      await eventWriter.close();
      await recall.audit.settled();
      await Promise.all([authentication.settled(), limits.close()]);
    },
  };
}

/** What the routes share, and what the server closes. */
function buildParts({ database, settings, log, clock, vectors }: ServerDeps) {
  const projects = createProjectScope(database);
  return {
    projects,
    withKeys: settings.get("MEM_AUTH_MODE") === "api-key",
    localTeam: createLocalTeam(database),
    eventWriter: createEventWriter(database),
    authentication: createAuthentication({
      keys: createKeyLookup(database),
      clock,
      failuresPerMinute: settings.get("MEM_AUTH_FAILURES_PER_MIN"),
    }),
    recall: createRecall({
      database,
      clock,
      projects,
      meaning: vectors?.meaning ?? noMeaning,
      onAuditFailure: (cause, rows) =>
        log.warn({ err: cause, rows }, "reads were not written to the audit log"),
    }),
    limits: createLimits({ database, settings, log, clock }),
    cleaner: createThreadCleaner({
      script: packageFile("dist", "clean-thread.cjs"),
      warn: (sentence) => log.warn(sentence),
    }),
    inTurn: createInTurn(),
    hub: createServerHub({ database, settings, clock }),
  };
}

function buildHttp(deps: ServerDeps, parts: ReturnType<typeof buildParts>) {
  const { database, settings, log, clock, address } = deps;
  const { authentication, cleaner, inTurn, limits, projects, withKeys } = parts;
  const { app } = database;
  const onStored = (events: number) => deps.metrics?.stored(events);
  return buildServerHttp({
    log,
    onAnswered: deps.metrics?.answered ?? null,
    healthOnly: deps.role === "generate",
    gate: withKeys
      ? { is: "keys" }
      : { is: "local", guard: createRequestGuard({ address, isPipe: () => false }) },
    authenticate: withKeys ? authentication.authenticate : parts.localTeam.caller,
    clientAddress: createClientAddress(settings.get("MEM_TRUSTED_PROXIES")),
    guards: limits.guards,
    usage: limits.usage,
    deletion: createDeletion(database, projects),
    audit: createAudit(database, projects),
    team: createTeam(database, settings),
    health: createHealth(database, deps.vectors?.inWords),
    projects: createProjects(database, projects),
    hostedSessions: createSessions({ app, projects }),
    jobs: createJobs({ app, projects }),
    events: createEvents({ app, writer: parts.eventWriter, projects, cleaner, inTurn, onStored }),
    keys: createKeys({ database, clock, onRevoked: authentication.recheck }),
    publicUrl: settings.get("MEM_PUBLIC_URL"),
    isLocal: () => isLoopbackHost(address().host),
    recall: parts.recall.ports,
    hub: parts.hub,
    compatibility: createCompatibility({
      ...{ clock, address, app, projects, cleaner, inTurn, onStored },
      recall: parts.recall.ports,
    }),
  });
}

/** `vectors` is the state of the search by meaning, for the reply. */
export function createHealth({ owner }: Pick<Database, "owner">, vectors?: string): HealthPorts {
  let asked: Promise<number> | undefined;

  // Needs no key, so concurrent requests share one query.
  function currentVersion(): Promise<number> {
    asked ??= schemaVersionOf(owner).finally(() => (asked = undefined));
    return asked;
  }

  return {
    version,
    vectors,
    async demandReady() {
      // A newer schema is fine: migrations only add, and nodes of two versions run together during a deployment.
      if ((await currentVersion()) >= serverSchemaVersion) return;
      throw new MemError("storage_failed", {
        message: "The database does not have the schema of this version.",
        hint: "Run `mem server migrate`.",
      });
    },
  };
}
