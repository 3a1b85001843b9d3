// Calls of the worker's routes: parameters into addresses, and answers as what their schema says.
import { MemError } from "../core/errors.ts";
import { isJsonObject } from "../text/json.ts";
import type { Method, Transport } from "./transport.ts";

/** GET and POST of JSON over a connection. */
export type Calls = ReturnType<typeof callsOver>;

/** Parameters go into the address, bodies are JSON. */
export function callsOver(request: Transport["request"]) {
  // The schema of an answer is the worker's, whose own tests hold every answer against it.
  async function call<T>(method: Method, path: string, body?: object): Promise<T> {
    const answer = await request(method, path, body);
    if (!isJsonObject(answer))
      throw new MemError("internal", { message: `${path} answered no JSON object.` });
    return answer as T;
  }
  async function list<T>(method: Method, path: string, body?: object): Promise<T[]> {
    const answer = await request(method, path, body);
    if (!Array.isArray(answer)) throw new MemError("internal", { message: `${path} answered no list.` });
    return answer;
  }
  const get = <T>(path: string, parameters: object = {}) => call<T>("GET", path + queryString(parameters));
  const post = <T>(path: string, body: object) => call<T>("POST", path, body);
  /** GET, or POST where the parameters are too long for an address. */
  const ask = <T>(path: string, parameters: object) =>
    isLong(parameters) ? post<T>(path, parameters) : get<T>(path, parameters);
  return { request, call, list, get, post, ask };
}

/** True if the parameters do not fit an address: the worker reads 16 KB of request line and headers together. */
export function isLong(parameters: object): boolean {
  return queryString(parameters).length > 15_000;
}

/** With `?`; lists are comma lists, and what is undefined is left out. */
export function queryString(parameters: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    query.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}
