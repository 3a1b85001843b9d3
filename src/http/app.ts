// The worker's HTTP app: request guard, body parser, error handler, and every route.

import type { Socket } from "node:net";
import { type FastifyBaseLogger, fastify, LogController, type RouteOptions } from "fastify";
import type { AgentRecords } from "../capture/agent-records.ts";
import type { Explain } from "../context/explain.ts";
import type { Folders } from "../context/folders/folders.ts";
import type { Review } from "../context/freshness/review.ts";
import type { Rules } from "../context/freshness/rules.ts";
import { isJsonObject } from "../text/json.ts";
import { type BranchPorts, branchRoutes } from "./api/branch.ts";
import { type CompatibilityPorts, compatibilityRoutes } from "./api/compatibility.ts";
import { contextRoutes, explainRoutes } from "./api/context.ts";
import { deviceSyncRoutes, type SyncPorts } from "./api/device-sync.ts";
import { type ForgetPorts, forgetRoutes } from "./api/forget.ts";
import { hookRoutes, type ReceiveHook } from "./api/hooks.ts";
import { type ImportPorts, importRoutes } from "./api/import.ts";
import { folderRoutes, type ProjectPorts, projectRoutes } from "./api/projects.ts";
import { type QueuePorts, queueRoutes } from "./api/queue.ts";
import { recallRoutes, timelinePostRoute } from "./api/recall.ts";
import { recordRoutes } from "./api/records.ts";
import { type RegeneratePorts, regenerateRoutes } from "./api/regenerate.ts";
import { type RetentionPorts, retentionRoutes } from "./api/retention.ts";
import { agentRoutes, type EditPorts, editRoutes, reviewRoutes, ruleRoutes } from "./api/review.ts";
import { type ScrubPorts, scrubRoutes } from "./api/scrub.ts";
import { searchRoutes } from "./api/search.ts";
import { numberedSessionRoutes, sessionRoutes } from "./api/sessions.ts";
import { type McpPorts, mcpRoutes, type SettingsPorts, settingsRoutes } from "./api/settings.ts";
import {
  type CostPorts,
  costRoutes,
  type MaintenancePorts,
  maintenanceRoutes,
  type StatusPorts,
  statusRoutes,
} from "./api/status.ts";
import { type StreamHub, streamRoutes } from "./api/stream.ts";
import { type TeamPorts, teamRoutes } from "./api/team.ts";
import { type TrashPorts, trashRoutes } from "./api/trash.ts";
import { viewerRoutes } from "./api/viewer.ts";
import { type ViewPorts, viewRoutes } from "./api/views.ts";
import { type WorkerRecords, workerService } from "./api/worker-service.ts";
import { openapiRoute } from "./openapi.ts";
import { closeServer } from "./plugins/close-server.ts";
import { answerParserError, installErrors, sendError } from "./plugins/errors.ts";
import { installJsonBody, maxBodyBytes, refusedEncoding } from "./plugins/json-body.ts";
import { createDenialLog, loggedPath, type RemoteAccess } from "./plugins/remote-guard.ts";
import { createRequestGuard, keepAllHeaders, type RequestGuard } from "./plugins/request-guard.ts";
import { type App, installZod, withoutAjv } from "./plugins/zod.ts";

/** Every port the routes reach. */
export interface HttpDeps extends WorkerRecords {
  log: FastifyBaseLogger;
  sessions: WorkerRecords["sessions"] & CompatibilityPorts["sessions"];
  recordObservation: CompatibilityPorts["recordObservation"];
  status: StatusPorts & { compatibilityHealth: CompatibilityPorts["health"] };
  queue: QueuePorts;
  explain: Explain;
  folders: Folders;
  cost: CostPorts;
  review: Review;
  agentRecords: AgentRecords;
  rules: Rules;
  edits: EditPorts;
  projectDetails: ProjectPorts;
  maintenance: MaintenancePorts;
  mcp: McpPorts;
  branch: BranchPorts;
  sync: SyncPorts;
  team: TeamPorts;
  regenerate: RegeneratePorts;
  views: ViewPorts;
  trash: TrashPorts;
  forget: ForgetPorts;
  retention: RetentionPorts;
  scrub: ScrubPorts;
  imports: ImportPorts;
  settings: SettingsPorts;
  receiveHook: ReceiveHook;
  stream: StreamHub;
  /** The folder of the built viewer. */
  viewerDirectory: string;
  /** Access of other machines; none without it. */
  remote?: RemoteAccess;
  timeouts?: Partial<HttpTimeouts>;
}

/** How long a peer may take, in milliseconds; a slower one is disconnected. */
export interface HttpTimeouts {
  /** For the whole request. */
  requestMs: number;
  /** For its headers. */
  headersMs: number;
  /** Between two requests of a connection. */
  keepAliveMs: number;
  /** Interval of the timeout check: with Node's 30 s the other timeouts would last longer. */
  checkMs: number;
  /** For replies in progress when the app closes; then their connections are cut. */
  closeMs: number;
}

/** The app before it listens. */
export type Http = ReturnType<typeof buildHttp>;

/** Builds the app; nothing listens yet. `app.close()` ends streams, waits for replies, then cuts open connections. */
export function buildHttp(deps: HttpDeps) {
  const pipeSockets = new WeakSet<Socket>();
  const accepted = new Set<Socket>();
  const timeouts = { ...defaultTimeouts, ...deps.timeouts };
  const guard = createRequestGuard({
    address: deps.address,
    isPipe: (socket) => pipeSockets.has(socket),
    ...(deps.remote === undefined ? {} : { remote: deps.remote }),
    onDenied: createDenialLog((fields, message) => deps.log.warn(fields, message), deps.clock),
  });
  const app = createApp(deps.log, guard, timeouts);
  app.addHook("onRequest", (request, reply, done) => {
    done(guard(request, reply) ?? refusedEncoding(request.raw));
  });
  installZod(app);
  installJsonBody(app);
  installErrors(app);
  installTodaysProjects(app, deps.projectNamed);
  if (deps.log.level === "debug" || deps.log.level === "trace") logAnswers(app);
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    routes.push(route);
  });
  openapiRoute(
    app,
    {
      path: "/api/openapi.json",
      title: "mem worker",
      description:
        "The memory of coding agents, on this machine. Other machines reach nothing, or with MEM_TV_TOKEN only GET /tv, /tv.html, /stream and /api/observations: another method is 403, another path 404, a missing or wrong token 401.",
      version: deps.status.version,
    },
    routes,
  );
  addRoutes(app, deps);

  app.server.maxConnections = maxConnections;
  keepAllHeaders(app.server);
  app.addHook("preClose", () => {
    deps.stream.closeAll();
    return closeServer(app.server, timeouts.closeMs, accepted);
  });
  /** Serves a connection that another listener accepted. */
  function accept(connection: Socket): void {
    accepted.add(connection);
    connection.once("close", () => accepted.delete(connection));
    app.server.emit("connection", connection);
  }

  return {
    app,
    /** Every route with its schemas, as it was added. */
    routes,
    accept,
    /**
     * Serves a connection that was accepted on the worker's own socket file or pipe. Its peer has no address, and one
     * that lost its address must not pass for it, so the listener has to say so.
     */
    acceptPipe(connection: Socket) {
      pipeSockets.add(connection);
      accept(connection);
    },
  };
}

const defaultTimeouts: HttpTimeouts = {
  requestMs: 15_000,
  headersMs: 10_000,
  keepAliveMs: 5_000,
  checkMs: 1_000,
  closeMs: 5_000,
};
const maxConnections = 4096;

function createApp(log: FastifyBaseLogger, guard: RequestGuard, timeouts: HttpTimeouts): App {
  return fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request costs more than the rest of a small answer.
    childLoggerFactory: (parent) => parent,
    bodyLimit: maxBodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // Node's own refusal has no body and no security headers; the guard's has both.
      requireHostHeader: false,
    },
    trustProxy: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    schemaController: withoutAjv,
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      sendError(reply, guard(request, reply) ?? error);
    },
  });
}

function addRoutes(app: App, deps: HttpDeps): void {
  const service = workerService(deps);
  sessionRoutes(app, service);
  numberedSessionRoutes(app, service);
  recordRoutes(app, service);
  searchRoutes(app, service);
  recallRoutes(app, service);
  timelinePostRoute(app, service);
  contextRoutes(app, service, service.context);
  compatibilityRoutes(app, service, { ...deps, health: deps.status.compatibilityHealth });
  hookRoutes(app, deps.receiveHook);
  statusRoutes(app, deps.status);
  queueRoutes(app, deps.queue);
  explainRoutes(app, deps.explain);
  folderRoutes(app, deps.folders);
  costRoutes(app, deps.cost);
  regenerateRoutes(app, deps.regenerate);
  settingsRoutes(app, deps.settings);
  mcpRoutes(app, deps.mcp);
  branchRoutes(app, deps.branch);
  deviceSyncRoutes(app, deps.sync);
  teamRoutes(app, deps.team);
  reviewRoutes(app, deps.review);
  agentRoutes(app, deps.agentRecords);
  ruleRoutes(app, deps.rules, deps.edits.observation);
  editRoutes(app, deps.edits);
  projectRoutes(app, deps.projectDetails);
  maintenanceRoutes(app, deps.maintenance);
  viewRoutes(app, deps.views);
  trashRoutes(app, deps.trash);
  forgetRoutes(app, deps.forget);
  retentionRoutes(app, deps.retention);
  scrubRoutes(app, deps.scrub);
  importRoutes(app, deps.imports);
  streamRoutes(app, deps.stream);
  viewerRoutes(app, deps.viewerDirectory);
}

function logAnswers(app: App): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { method, url } = request;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    request.log.debug({ method, path: loggedPath(url), status: reply.statusCode, ms }, "answered");
    done();
  });
}

/** Replaces former labels in `project` and `projects` of every query, and of bodies that select records by project. */
function installTodaysProjects(app: App, projectNamed: (label: string) => string): void {
  app.addHook("preHandler", (request, _reply, done) => {
    rename(request.query, projectNamed);
    if (choosing.has(request.routeOptions.url ?? "")) rename(request.body, projectNamed);
    done();
  });
}

// In other bodies `project` is content, or intake maps it.
const choosing = new Set([
  "/api/context/explain",
  "/api/forget",
  "/api/forget/plan",
  "/api/observations/batch",
  "/api/regenerate",
  "/api/retention",
  "/api/retention/plan",
  "/api/search",
  "/api/timeline",
]);

function rename(parameters: unknown, projectNamed: (label: string) => string): void {
  if (!isJsonObject(parameters)) return;
  const { project, projects } = parameters;
  if (typeof project === "string") parameters.project = projectNamed(project);
  if (Array.isArray(projects))
    parameters.projects = projects.map((label) => (typeof label === "string" ? projectNamed(label) : label));
}
