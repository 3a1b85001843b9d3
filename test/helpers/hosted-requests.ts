// Requests to the hosted server of a test, with a key, and rows counted behind its back.
import type { TestKey, TestServer } from "./hosted-server.ts";

/** Requests with `key`, unless a request names another one. */
export function requestsTo({ app }: Pick<TestServer, "app">, key: TestKey) {
  async function send(request: {
    method: "GET" | "POST";
    url: string;
    by: TestKey;
    headers?: Record<string, string>;
    payload?: string;
  }) {
    const { method, url, by, headers, payload } = request;
    const answer = await app.inject({
      method,
      url,
      headers: { host: "x", authorization: `Bearer ${by.apiKey}`, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json(), text: answer.body };
  }
  return {
    get: (url: string, by = key) => send({ method: "GET", url, by }),
    /** A text is sent as it is, anything else as JSON. */
    post: (
      url: string,
      body: unknown,
      { by = key, headers = {} }: { by?: TestKey; headers?: Record<string, string> } = {},
    ) =>
      send({
        method: "POST",
        url,
        by,
        headers: { "content-type": "application/json", ...headers },
        payload: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

/** Rows of a table, across teams. */
export async function countRows(
  { database }: Pick<TestServer, "database">,
  table: "agent_events" | "audit_log" | "generation_jobs" | "idempotency_keys" | "sessions",
  id?: { column: string; value: string },
): Promise<number> {
  const { rows } = await database.system.query<{ n: number }>({
    text: `select count(*)::int as n from ${table} where $1::text is null or ${id?.column ?? "id"}::text = $1`,
    values: [id?.value ?? null],
  });
  return rows[0]?.n ?? 0;
}
