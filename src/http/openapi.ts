// The OpenAPI document, made of the same schemas that the routes check with, the first time it is asked for.
import { STATUS_CODES } from "node:http";
import type { FastifySchema, RouteOptions } from "fastify";
import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import type { App } from "./plugins/zod.ts";
import { readErrors } from "./schemas/error.ts";
import { type OpenapiDocument, openapiAnswer } from "./schemas/openapi.ts";

/** Adds `GET /api/openapi.json`; `routes` may still grow until it is first asked for. */
export function openapiRoute(
  app: App,
  { routes, version }: { routes: readonly RouteOptions[]; version: () => string },
): void {
  let document: OpenapiDocument | undefined;
  app.get(
    "/api/openapi.json",
    { schema: { summary: "This document.", response: { 200: openapiAnswer, ...readErrors } } },
    () => {
      document ??= openapiDocument(routes, version());
      return document;
    },
  );
}

// Named schemas stand once, under `components`.
function openapiDocument(routes: readonly RouteOptions[], version: string): OpenapiDocument {
  const schemas: JsonObject = {};
  const paths: { [path: string]: JsonObject } = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, "{$1}");
    const operation = operationOf(route.schema ?? {}, schemas);
    for (const method of [route.method].flat()) {
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "mem worker", version, description: "The memory of coding agents, on this machine." },
    paths,
    components: { schemas },
  };
}

function operationOf(schema: FastifySchema, schemas: JsonObject): JsonObject {
  const parameters = [
    ...parametersOf("path", schema.params, schemas),
    ...parametersOf("query", schema.querystring, schemas),
    ...parametersOf("header", schema.headers, schemas),
  ];
  return {
    ...(schema.summary === undefined ? {} : { summary: schema.summary }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(schema.body === undefined ? {} : { requestBody: bodyOf(schema.body, schemas) }),
    responses: responsesOf(schema.response, schemas),
  };
}

function parametersOf(place: "path" | "query" | "header", part: unknown, schemas: JsonObject): Json[] {
  if (part === undefined) return [];
  const { properties, required } = jsonSchemaOf(part, "input", schemas);
  const mustBeSent = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === "path" || mustBeSent.has(name),
    schema,
  }));
}

function bodyOf(body: unknown, schemas: JsonObject): JsonObject {
  return { content: { "application/json": { schema: jsonSchemaOf(body, "input", schemas) } } };
}

function responsesOf(response: unknown, schemas: JsonObject): JsonObject {
  const answers: JsonObject = {};
  if (typeof response !== "object" || response === null) return answers;
  for (const [status, answer] of Object.entries(response)) {
    const content: JsonObject = {};
    for (const [mediaType, schema] of contentOf(answer)) {
      content[mediaType] = { schema: jsonSchemaOf(schema, "output", schemas) };
    }
    answers[status] = { description: STATUS_CODES[status] ?? status, content };
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

function jsonSchemaOf(schema: unknown, io: "input" | "output", schemas: JsonObject): JsonObject {
  if (!(schema instanceof z.ZodType)) throw new TypeError("a route's schemas are zod schemas");
  const made = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  // Through text: zod's named parts are moved to where OpenAPI looks for them, with every reference to them.
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _dialect, $defs, ...rest }: JsonObject = JSON.parse(text);
  if (isJsonObject($defs)) Object.assign(schemas, $defs);
  return rest;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
