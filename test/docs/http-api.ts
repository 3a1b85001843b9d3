// Writes docs/http-api.md from the OpenAPI documents of the worker and the server.
export interface OpenapiOperation {
  summary?: string;
  parameters?: readonly { name: string; in: string; required?: boolean }[];
  requestBody?: { content?: Readonly<Record<string, { schema?: BodySchema }>> };
  security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface BodySchema {
  properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
}

export interface OpenapiPaths {
  paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
}

/** The whole document. `npm run docs` writes it to disk. */
export function httpApiDocument(worker: OpenapiPaths, server: OpenapiPaths): string {
  return [
    "# HTTP API",
    "",
    "<!-- Generated from the OpenAPI documents by `npm run docs`. -->",
    "",
    "`GET /api/openapi.json` (worker) and `GET /v1/openapi.json` (server) have every field, answer and error. An error is",
    '`{"error": {"code": "...", "message": "...", "hint": "..."}}`: a code of the catalog, what happened, the next step.',
    "In the tables below, a field in bold is required. A route without `/api` does the same as the one with it.",
    "",
    "## Worker",
    "",
    "On loopback, without a key. The request guard rejects web pages. `mem status` shows the port.",
    "",
    ...routeRows(worker),
    "",
    "## Server",
    "",
    "With `Authorization: Bearer <key>` unless `MEM_AUTH_MODE=local`. The routes under `/api` are compatibility routes: the",
    "worker's routes with the project of the key. The routes under `/v1/sync/` take a hub token, and `mem hub` has them too: see",
    "[sync](sync.md).",
    "",
    ...routeRows(server),
    "",
  ].join("\n");
}

function routeRows({ paths }: OpenapiPaths): string[] {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const cells = [`\`${method.toUpperCase()} ${path}\``, operation.summary ?? "", fieldsOf(operation)];
      return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    }),
  );
  return ["| route | purpose | fields |", "| --- | --- | --- |", ...rows];
}

function fieldsOf({ parameters = [], requestBody }: OpenapiOperation): string {
  const schema = requestBody?.content?.["application/json"]?.schema;
  const body = Object.keys(schema?.properties ?? {}).map((name) =>
    field(name, schema?.required?.includes(name) ?? false),
  );
  const query = parameters
    .filter((each) => each.in === "query")
    .map(({ name, required }) => field(name, required ?? false));
  return [...query, ...body].join(", ");
}

function field(name: string, required: boolean): string {
  return required ? `**${name}**` : name;
}
