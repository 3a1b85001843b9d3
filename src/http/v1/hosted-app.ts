// The frame of a hosted service's HTTP app: limits, host check, bodies, errors, closing. The service adds its routes.
import { type FastifyBaseLogger, fastify, LogController, type RouteOptions } from "fastify";
import { newId } from "../../core/ids.ts";
import { closeServer } from "../plugins/close-server.ts";
import { answerParserError, installErrors, sendError } from "../plugins/errors.ts";
import { installJsonBody, refusedEncoding } from "../plugins/json-body.ts";
import { keepAllHeaders, securityHeaders } from "../plugins/request-guard.ts";
import { type App, installZod, withoutAjv } from "../plugins/zod.ts";
import { hostedErrorWords } from "./error-words.ts";
import { type Gate, installHostCheck } from "./host-guard.ts";

export interface ServerHttp {
  app: App;
  /** Every route with its schemas, as it was added. */
  routes: readonly RouteOptions[];
}

export interface AssembleOptions {
  log: FastifyBaseLogger;
  /** Called for every answered request; null without metrics. */
  onAnswered: ((request: AnsweredRequest) => void) | null;
  gate: Gate;
  /** Adds hooks that run after the host check and before bodies are read. */
  prepare(app: App): void;
  addRoutes(app: App, routes: readonly RouteOptions[]): void;
}

/** One answered request. No address, key or id of anybody. */
export interface AnsweredRequest {
  method: string;
  /** The template, for example `/v1/events/:id`; `none` for a path that no route has. */
  route: string;
  status: number;
  seconds: number;
}

export const openapiPath = "/v1/openapi.json";

const maxBodyBytes = 5 * 1024 * 1024;
const maxConnections = 4096;
const closeMs = 5_000;

/** Builds the app; nothing listens yet. `app.close()` waits for replies, then cuts open connections. */
export function assembleApp({ log, onAnswered, gate, prepare, addRoutes }: AssembleOptions): ServerHttp {
  const app = createApp(log);
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    routes.push(route);
  });
  if (onAnswered !== null) installRequestMetrics(app, onAnswered);
  installHostCheck(app, gate);
  prepare(app);
  app.addHook("onRequest", (request, _reply, done) => {
    done(refusedEncoding(request.raw));
  });
  installZod(app);
  installJsonBody(app);
  installErrors(app, { words: hostedErrorWords, openapi: openapiPath, methodsOf: createMethodsOf(routes) });
  addRoutes(app, routes);
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

/**
 * The methods of the /v1 routes that match a path, sorted; `routes` may grow until the first call. Compatibility routes are
 * left out: a worker's route that the server lacks answers like any unknown path.
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

/** Hands every answered request on. */
function installRequestMetrics(app: App, observe: (request: AnsweredRequest) => void): void {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url;
    observe({
      // Without a route the client chooses the method: a label must have few values.
      method: route === undefined ? "any" : request.method,
      route: route ?? "none",
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
    done();
  });
}
