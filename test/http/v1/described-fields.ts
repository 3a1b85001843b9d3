// Every field and parameter of every route, as the server itself describes them.
import { isJsonObject, type Json, type JsonObject } from "../../../src/text/json.ts";
import type { TestServer } from "../../helpers/hosted-server.ts";

export interface DescribedRoute {
  /** `POST /v1/events`. */
  name: string;
  method: string;
  url: string;
  writes: boolean;
  path: string[];
  query: string[];
  /** Null where it takes no body. */
  body: string[] | null;
}

export async function describedRoutes({ app }: Pick<TestServer, "app">): Promise<DescribedRoute[]> {
  const answer = await app.inject({ method: "GET", url: "/v1/openapi.json", headers: { host: "x" } });
  const document: JsonObject = answer.json();
  const schemas = objectAt(document, "components", "schemas");
  return Object.entries(objectAt(document, "paths")).flatMap(([path, operations]) =>
    Object.entries(isJsonObject(operations) ? operations : {}).map(([method, operation]): DescribedRoute => {
      const url = path.replaceAll(/\{(\w+)\}/g, ":$1");
      const described = isJsonObject(operation) ? operation : {};
      const schema = objectAt(described, "requestBody", "content", "application/json", "schema");
      return {
        name: `${method.toUpperCase()} ${url}`,
        method: method.toUpperCase(),
        url,
        writes: JSON.stringify(described.security ?? "").includes("memories:write"),
        path: namesIn(described.parameters, "path"),
        query: namesIn(described.parameters, "query"),
        body: described.requestBody === undefined ? null : Object.keys(propertiesOf(schema, schemas)),
      };
    }),
  );
}

function propertiesOf(schema: JsonObject, schemas: JsonObject): JsonObject {
  const name = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
  const own = objectAt(name === undefined ? schema : objectAt(schemas, name), "properties");
  return { ...own };
}

function namesIn(parameters: Json | undefined, place: string): string[] {
  if (!Array.isArray(parameters)) return [];
  return parameters.flatMap((one) =>
    isJsonObject(one) && one.in === place && typeof one.name === "string" ? [one.name] : [],
  );
}

function objectAt(value: JsonObject, ...names: string[]): JsonObject {
  let found: JsonObject = value;
  for (const name of names) {
    const next = found[name];
    found = isJsonObject(next) ? next : {};
  }
  return found;
}
