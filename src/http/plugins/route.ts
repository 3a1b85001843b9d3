// Adds a route from one object with its schemas and its handler.
import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from "fastify";
import type * as z from "zod";
import type { App, ZodTypes } from "./zod.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

interface Schemas<P, Q, B, H, R> {
  params?: z.ZodType<P>;
  querystring?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  headers?: z.ZodType<H>;
  /** The answer of each status. */
  response: R;
}

interface Answered<S extends FastifySchema>
  extends Pick<RouteShorthandOptions, "errorHandler" | "exposeHeadRoute" | "onRequest" | "preValidation"> {
  config?: FastifyContextConfig;
  handler: RouteHandlerMethod<
    RawServerDefault,
    IncomingMessage,
    ServerResponse,
    RouteGenericInterface,
    ContextConfigDefault,
    S,
    ZodTypes,
    FastifyBaseLogger
  >;
}

/** Adds `GET /path`; the handler is typed by the schemas. */
export function route<P, Q, B, H, R>(
  app: App,
  name: `${Method} ${string}`,
  options: Pick<FastifySchema, "summary" | "readsHeaders" | "setsHeaders"> &
    Schemas<P, Q, B, H, R> &
    Answered<Required<Schemas<P, Q, B, H, R>>>,
): void {
  const { config, errorHandler, exposeHeadRoute, onRequest, preValidation, handler, ...schema } = options;
  const given = { config, errorHandler, exposeHeadRoute, onRequest, preValidation, handler };
  const [method = "", url = ""] = name.split(" ");
  app.route({ method, url, schema, ...given } as Parameters<App["route"]>[0]);
}
