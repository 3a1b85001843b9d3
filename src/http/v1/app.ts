// The hosted server's HTTP app: authentication before bodies, one error body, every route.
import type { RouteOptions } from "fastify";
import type { Hub } from "../../hub/hub.ts";
import { type DescribedService, openapiRoute } from "../openapi.ts";
import type { App, DescribedHeaders } from "../plugins/zod.ts";
import { errorBody } from "../schemas/error.ts";
import { type AuditPorts, auditRoutes } from "./audit.ts";
import { type Authenticate, type Guard, installAuthentication } from "./authentication.ts";
import type { ClientAddress } from "./client-address.ts";
import { type CompatibilityPorts, compatibilityRoutes } from "./compatibility.ts";
import { connectRoutes } from "./connect.ts";
import { type DeletionPorts, deletionRoutes } from "./deletion.ts";
import { type EventPorts, eventRoutes } from "./events.ts";
import { type HealthPorts, healthRoutes } from "./health.ts";
import { type AssembleOptions, assembleApp, openapiPath, type ServerHttp } from "./hosted-app.ts";
import { type JobPorts, jobRoutes } from "./jobs.ts";
import { type KeyPorts, keyRoutes } from "./keys.ts";
import { mcpRoutes } from "./mcp.ts";
import { recallTools } from "./mcp-tools.ts";
import { type AgentRecordPorts, writingTools } from "./mcp-writing-tools.ts";
import { type MemoryPorts, memoryRoutes } from "./memories.ts";
import { type ProjectPorts, projectRoutes } from "./projects.ts";
import { type RecallPorts, recallRoutes } from "./recall.ts";
import { type HostedSessionPorts, hostedSessionRoutes } from "./sessions.ts";
import { hubTokens, syncRoutes } from "./sync.ts";
import { type TeamPorts, teamRoutes, type UsagePorts, usageRoutes } from "./team.ts";

/** Every port that the routes reach. */
export interface ServerHttpDeps extends Pick<AssembleOptions, "log" | "onAnswered" | "gate"> {
  /** True for a process that only generates: it serves health routes only. */
  healthOnly: boolean;
  authenticate: Authenticate;
  /** In order: metering, rate limit, request cap, token cap; empty when none is set. */
  guards: readonly Guard[];
  clientAddress: ClientAddress;
  health: HealthPorts;
  projects: ProjectPorts;
  usage: UsagePorts;
  deletion: DeletionPorts;
  audit: AuditPorts;
  team: TeamPorts;
  events: EventPorts;
  hostedSessions: HostedSessionPorts;
  jobs: JobPorts;
  keys: KeyPorts;
  /** Whether only this machine reaches the server, as it is bound. */
  isLocal(): boolean;
  /** MEM_PUBLIC_URL; empty takes the address from the request. */
  publicUrl: string;
  recall: RecallPorts & MemoryPorts & AgentRecordPorts;
  compatibility: CompatibilityPorts;
  hub: Hub;
}

/** Builds the app; nothing listens yet. `app.close()` waits for replies, then cuts open connections. */
export function buildServerHttp(deps: ServerHttpDeps): ServerHttp {
  return assembleApp({
    ...deps,
    prepare: (app) => installAuthentication(app, deps),
    addRoutes: (app, routes) => addRoutes(app, deps, routes),
  });
}

function addRoutes(app: App, deps: ServerHttpDeps, routes: readonly RouteOptions[]): void {
  healthRoutes(app, deps.health);
  if (deps.healthOnly) return;
  openapiRoute(app, describe(deps), routes);
  projectRoutes(app, deps.projects);
  usageRoutes(app, deps.usage);
  deletionRoutes(app, deps.deletion);
  auditRoutes(app, deps.audit);
  teamRoutes(app, deps.team);
  eventRoutes(app, deps.events);
  hostedSessionRoutes(app, deps.hostedSessions);
  jobRoutes(app, deps.jobs);
  keyRoutes(app, deps);
  connectRoutes(app, deps);
  recallRoutes(app, deps.recall);
  memoryRoutes(app, deps.recall);
  mcpRoutes(app, {
    version: deps.health.version(),
    publicUrl: deps.publicUrl,
    isLocal: deps.isLocal,
    tools: [...recallTools(deps.recall), ...writingTools(deps.recall)],
  });
  syncRoutes(app, deps);
  compatibilityRoutes(app, deps);
}

function describe({ gate, health }: ServerHttpDeps): DescribedService {
  const keyed = gate.is === "keys";
  return {
    path: openapiPath,
    title: "mem server",
    description:
      "The memory of a team's coding agents. Times are epoch milliseconds; an error names its code. A path outside /api and /sessions that is there answers 405 with Allow to a method that it has not, and 413 to a body above 5 MB; a request that is no HTTP, or too slow, is 400, 408 or 431.",
    headersOf: answerHeaders,
    version: health.version,
    config: { access: "none" },
    ...(keyed ? { keys: "An API key, `mem_…`, with the scope that the operation names." } : {}),
    hubTokens,
    always: { 400: errorBody, ...(keyed ? {} : { 403: errorBody }), 415: errorBody, 500: errorBody },
  };
}

/** Headers of an answer with that status, for routes with and without a key. */
function answerHeaders(status: number, isKeyed: boolean): DescribedHeaders {
  const isCounted = isKeyed && (status < 300 || status === 402 || status === 429);
  return {
    "X-Request-Id": "Names the request in the audit log and in the server's own log.",
    ...(status === 401 ? { "WWW-Authenticate": "`Bearer`: how a key is sent." } : {}),
    ...(status === 429 || status === 503 ? { "Retry-After": "Seconds to wait before another try." } : {}),
    ...(isCounted ? rate : {}),
  };
}

const rate: DescribedHeaders = {
  "X-RateLimit-Limit": "Requests of the key in a minute; sent where the server has a rate limit.",
  "X-RateLimit-Remaining": "How many of them are left; sent where the server has a rate limit.",
  "X-RateLimit-Reset": "When all of them are free again, in epoch seconds; sent where there is a rate limit.",
};
