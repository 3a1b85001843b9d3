// The hosted server's HTTP app: authentication before bodies, one error body, every route.
import { type FastifyBaseLogger, fastify, LogController, type RouteOptions } from "fastify";
import { newId } from "../../core/ids.ts";
import { type DescribedService, openapiRoute } from "../openapi.ts";
import { closeServer } from "../plugins/close-server.ts";
import { answerParserError, installErrors, sendError } from "../plugins/errors.ts";
import { installJsonBody, refusedEncoding } from "../plugins/json-body.ts";
import { keepAllHeaders, securityHeaders } from "../plugins/request-guard.ts";
import { type App, type DescribedHeaders, installZod, withoutAjv } from "../plugins/zod.ts";
import { errorBody } from "../schemas/error.ts";
import { type AuditPorts, auditRoutes } from "./audit.ts";
import { type Authenticate, type Guard, installAuthentication } from "./authentication.ts";
import type { ClientAddress } from "./client-address.ts";
import { type CompatibilityPorts, compatibilityRoutes } from "./compatibility.ts";
import { connectRoutes } from "./connect.ts";
import { type DeletionPorts, deletionRoutes } from "./deletion.ts";
import { hostedErrorWords } from "./error-words.ts";
import { type EventPorts, eventRoutes } from "./events.ts";
import { type HealthPorts, healthRoutes } from "./health.ts";
import { type Gate, installHostCheck } from "./host-guard.ts";
import { type JobPorts, jobRoutes } from "./jobs.ts";
import { type KeyPorts, keyRoutes } from "./keys.ts";
import { mcpRoutes } from "./mcp.ts";
import { recallTools } from "./mcp-tools.ts";
import { type MemoryPorts, memoryRoutes } from "./memories.ts";
import { type ProjectPorts, projectRoutes } from "./projects.ts";
import { type RecallPorts, recallRoutes } from "./recall.ts";
import { type HostedSessionPorts, hostedSessionRoutes } from "./sessions.ts";
import { type TeamPorts, teamRoutes, type UsagePorts, usageRoutes } from "./team.ts";

/** Every port that the routes reach. */
export interface ServerHttpDeps {
  log: FastifyBaseLogger;
  /** Called for every answered request; null without metrics. */
  onAnswered: ((request: AnsweredRequest) => void) | null;
  /** True for a process that only generates: it serves health routes only. */
  healthOnly: boolean;
  gate: Gate;
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
  recall: RecallPorts & MemoryPorts;
  compatibility: CompatibilityPorts;
}

export interface ServerHttp {
  app: App;
  /** Every route with its schemas, as it was added. */
  routes: readonly RouteOptions[];
}

const maxBodyBytes = 5 * 1024 * 1024;
const maxConnections = 4096;
const closeMs = 5_000;

/** Builds the app; nothing listens yet. `app.close()` waits for replies, then cuts open connections. */
export function buildServerHttp(deps: ServerHttpDeps): ServerHttp {
  const app = createApp(deps.log);
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    routes.push(route);
  });
  if (deps.onAnswered !== null) installRequestMetrics(app, deps.onAnswered);
  installHostCheck(app, deps.gate);
  installAuthentication(app, deps);
  app.addHook("onRequest", (request, _reply, done) => {
    done(refusedEncoding(request.raw));
  });
  installZod(app);
  installJsonBody(app);
  installErrors(app, { words: hostedErrorWords, openapi: openapiPath, methodsOf: createMethodsOf(routes) });
  addRoutes(app, deps, routes);
  app.server.maxConnections = maxConnections;
  keepAllHeaders(app.server);
  app.addHook("preClose", () => closeServer(app.server, closeMs));
  return { app, routes };
}

function createApp(log: FastifyBaseLogger): App {
  return fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    genReqId: newId,
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    // Longer than the 60 s default of load balancers, which must be the ones to close.
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    trustProxy: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4_096 },
    schemaController: withoutAjv,
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, _request, reply) => {
      sendError(reply.headers(securityHeaders), error);
    },
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
    tools: recallTools(deps.recall),
  });
  compatibilityRoutes(app, deps);
}

const openapiPath = "/v1/openapi.json";

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

/**
 * The methods of the server's own routes that the path matches, in the alphabet's order; `routes` may grow until it is
 * first asked. Not of the older ones: what a worker has there beside them is not here, and answered like any unknown path.
 */
function createMethodsOf(routes: readonly RouteOptions[]): (path: string) => string[] {
  let known: { pattern: RegExp; methods: string[] }[] | undefined;
  return (path) => {
    known ??= routes.filter(isOwn).map(({ url, method }) => ({
      pattern: new RegExp(`^${url.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
      methods: [method].flat(),
    }));
    const found = known.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []));
    return [...new Set(found)].sort();
  };
}

function isOwn({ url }: RouteOptions): boolean {
  return !/^\/(?:api|sessions)\b/.test(url);
}

/** One answered request. No address, key or id of anybody. */
export interface AnsweredRequest {
  method: string;
  /** The template, for example `/v1/events/:id`; `none` for a path that no route has. */
  route: string;
  status: number;
  seconds: number;
}

/** Hands every answered request on. */
function installRequestMetrics(app: App, observe: (request: AnsweredRequest) => void): void {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url;
    observe({
      // Without a route the method is whatever a stranger made up.
      method: route === undefined ? "any" : request.method,
      route: route ?? "none",
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
    done();
  });
}
