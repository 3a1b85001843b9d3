// The OpenAPI document, built from the routes' own schemas at the first request.
import { STATUS_CODES } from "node:http";
import type { FastifyContextConfig, RouteOptions } from "fastify";
import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import type { App, DescribedHeaders } from "./plugins/zod.ts";
import { readErrors } from "./schemas/error.ts";
import { anyJson } from "./schemas/fields.ts";

/** The service that a document describes. */
export interface DescribedService {
  /** Path of the document. */
  path: string;
  title: string;
  description: string;
  version(): string;
  /** Options of the document's own route. */
  config?: FastifyContextConfig;
  /** How a key is sent; left out for a service without keys. */
  keys?: string;
  /** How a hub token is sent; left out for a service without a hub. */
  hubTokens?: string;
  /** Statuses that come before any route is reached, so that every route may answer with them. */
  always?: Readonly<Record<number, z.ZodType>>;
  /** Headers of an answer that come from no route. */
  headersOf?(status: number, isKeyed: boolean): DescribedHeaders;
}

/** Answer of `GET /api/openapi.json` and `/v1/openapi.json`. */
const openapiAnswer = z.lazy(() =>
  z.object({
    openapi: z.literal("3.1.0"),
    info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
    paths: z.record(z.string(), anyJson()),
    components: z.object({
      schemas: z.record(z.string(), anyJson()),
      headers: z.record(z.string(), anyJson()).optional(),
      securitySchemes: z.record(z.string(), anyJson()).optional(),
    }),
  }),
);

type OpenapiDocument = z.output<typeof openapiAnswer>;

/** Adds the document's route; `routes` may grow until the first request. */
export function openapiRoute(app: App, service: DescribedService, routes: readonly RouteOptions[]): void {
  let document: OpenapiDocument | undefined;
  app.get(
    service.path,
    {
      ...(service.config === undefined ? {} : { config: service.config }),
      schema: { summary: "This document.", response: { 200: openapiAnswer, ...readErrors } },
    },
    () => {
      document ??= openapiDocument(routes, service);
      return document;
    },
  );
}

// Named schemas stand once, under `components`.
function openapiDocument(routes: readonly RouteOptions[], service: DescribedService): OpenapiDocument {
  const shared: Shared = { schemas: {}, headers: {}, made: { input: new Map(), output: new Map() } };
  const { schemas, headers } = shared;
  const paths: { [path: string]: JsonObject } = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, "{$1}");
    const operation = {
      ...operationOf(route, service, shared),
      ...securityOf(route, service),
      ...quotaOf(route),
    };
    for (const method of [route.method].flat()) {
      const operationId = operationIdOf(method, route.url);
      paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId, ...operation } };
    }
  }
  const { title, description } = service;
  return {
    openapi: "3.1.0",
    info: { title, version: service.version(), description },
    paths,
    components: {
      schemas,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...schemesOf(service),
    },
  };
}

const keyScheme = "key";
const hubScheme = "hubToken";

function schemesOf({
  keys,
  hubTokens,
}: DescribedService): Pick<OpenapiDocument["components"], "securitySchemes"> {
  const schemes = Object.entries({ [keyScheme]: keys, [hubScheme]: hubTokens }).flatMap(
    ([name, description]) =>
      description === undefined ? [] : [[name, { type: "http", scheme: "bearer", description }] as const],
  );
  return schemes.length === 0 ? {} : { securitySchemes: Object.fromEntries(schemes) };
}

// Since 3.1 a bearer scheme may list the required scopes.
function securityOf({ config }: RouteOptions, { keys }: DescribedService): JsonObject {
  const access = config?.access ?? "none";
  if (access === "hub") return { security: [{ [hubScheme]: [] }] };
  if (keys === undefined) return {};
  return { security: access === "none" ? [] : [{ [keyScheme]: [access] }] };
}

function quotaOf({ config }: RouteOptions): JsonObject {
  if (config?.openOverQuota !== true) return {};
  return {
    description:
      "Answered also when the team's requests or tokens of the month are used up; it is counted, and the key's rate holds.",
  };
}

/** `GET /v1/events/:id` is `getV1EventsById`. */
function operationIdOf(method: string, url: string): string {
  const words = url.split("/").flatMap((part) => {
    const name = part.startsWith(":") ? `by-${part.slice(1)}` : part;
    return name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  });
  const named = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${method.toLowerCase()}${named.join("")}`;
}

/** Components, referred to by name. */
interface Shared {
  schemas: JsonObject;
  headers: JsonObject;
  /** JSON schemas by their zod schema: most answers of all routes are the same few errors. */
  made: Record<"input" | "output", Map<z.ZodType, JsonObject>>;
}

function operationOf(
  { schema = {}, config }: RouteOptions,
  { always = {}, headersOf, keys }: DescribedService,
  shared: Shared,
): JsonObject {
  const parameters = [
    ...parametersOf("path", schema.params, shared),
    ...parametersOf("query", schema.querystring, shared),
    ...headerParameters(schema.readsHeaders ?? {}),
  ];
  const own = isObject(schema.response) ? schema.response : {};
  const isKeyed = keys !== undefined && config?.access !== "none" && config?.access !== "hub";
  const described = (status: number): DescribedHeaders => ({
    ...headersOf?.(status, isKeyed),
    ...schema.setsHeaders?.[status],
  });
  return {
    ...(schema.summary === undefined ? {} : { summary: schema.summary }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(schema.body === undefined ? {} : { requestBody: bodyOf(schema.body, shared) }),
    responses: responsesOf({ ...always, ...own }, shared, (status) =>
      references(described(status), shared.headers),
    ),
  };
}

function headerParameters(described: DescribedHeaders): Json[] {
  return Object.entries(described).map(([name, description]) => ({
    ...{ name, in: "header", required: false, description },
    schema: { type: "string" },
  }));
}

function references(described: DescribedHeaders, headers: JsonObject): JsonObject {
  const entries = Object.entries(described).map(([name, description]) => {
    headers[name] = { description, schema: { type: "string" } };
    return [name, { $ref: `#/components/headers/${name}` }];
  });
  return entries.length === 0 ? {} : { headers: Object.fromEntries(entries) };
}

function parametersOf(place: "path" | "query", part: unknown, shared: Shared): Json[] {
  if (part === undefined) return [];
  const { properties, required } = jsonSchemaOf(part, "input", shared);
  const mustBeSent = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === "path" || mustBeSent.has(name),
    schema,
  }));
}

function bodyOf(body: unknown, shared: Shared): JsonObject {
  const content = { "application/json": { schema: jsonSchemaOf(body, "input", shared) } };
  // An empty body is read as `{}`.
  return body instanceof z.ZodType && !body.safeParse({}).success ? { required: true, content } : { content };
}

function responsesOf(
  response: object,
  shared: Shared,
  headersOf: (status: number) => JsonObject,
): JsonObject {
  const answers: JsonObject = {};
  for (const [status, answer] of Object.entries(response)) {
    const content: JsonObject = {};
    for (const [mediaType, schema] of contentOf(answer)) {
      content[mediaType] = { schema: jsonSchemaOf(schema, "output", shared) };
    }
    answers[status] = {
      description: STATUS_CODES[status] ?? status,
      ...headersOf(Number(status)),
      content,
    };
  }
  return answers;
}

// An answer is a schema, which means JSON, or `{ content: { <media type>: { schema } } }`.
function contentOf(answer: unknown): [string, unknown][] {
  if (answer instanceof z.ZodType) return [["application/json", answer]];
  if (!isObject(answer) || !isObject(answer.content)) return [];
  return Object.entries(answer.content).map(([type, entry]) => [
    type,
    isObject(entry) ? entry.schema : undefined,
  ]);
}

function jsonSchemaOf(schema: unknown, io: "input" | "output", { schemas, made: known }: Shared): JsonObject {
  if (!(schema instanceof z.ZodType)) throw new TypeError("a route's schemas are zod schemas");
  const before = known[io].get(schema);
  if (before !== undefined) return before;
  const made = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  // As text, so that references to zod's $defs point to OpenAPI's components.
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _dialect, $defs, ...rest }: JsonObject = JSON.parse(text);
  if (isJsonObject($defs)) Object.assign(schemas, $defs);
  known[io].set(schema, rest);
  return rest;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
