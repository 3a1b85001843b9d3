// Authentication: the key of a request becomes its caller before anything else is read.
import type { FastifyReply, FastifyRequest } from "fastify";
import { MemError } from "../../core/errors.ts";
import type { Caller, Scope } from "../../core/records/tenancy.ts";
import { isJsonObject } from "../../text/json.ts";
import type { App } from "../plugins/zod.ts";
import type { ClientAddress } from "./client-address.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The scope that the route requires; `none` needs no key, `hub` a hub token instead. Required on every route. */
    access?: Scope | "none" | "hub";
    /**
     * Answered also over quota: usage, and routes that only delete or revoke. The request is still counted, and the
     * rate limit of its key applies.
     */
    openOverQuota?: true;
  }
  interface FastifyRequest {
    /** Set before the handler of every route that needs a key. */
    caller: Caller | null;
  }
}

/** Finds the caller. Throws `unauthenticated`, the same whatever is wrong with the key, and `rate_limited`. */
export type Authenticate = (presented: { key: string | null; address: string }) => Promise<Caller>;

/** Runs after authentication and before the body is read. Throws `rate_limited` or `quota_exceeded`. */
export type Guard = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<void>;

/**
 * Adds the check to every route: 401 with `WWW-Authenticate` without a valid key, then the guards in their order,
 * then 403 without the scope. A route that names no access cannot be added.
 */
export function installAuthentication(
  app: App,
  {
    authenticate,
    guards,
    clientAddress,
  }: { authenticate: Authenticate; guards: readonly Guard[]; clientAddress: ClientAddress },
): void {
  app.decorateRequest("caller", null);
  app.addHook("onRoute", ({ url, config }) => {
    if (config?.access === undefined) throw new TypeError(`${url} does not say which scope it needs`);
  });
  app.addHook("onRequest", async (request, reply) => {
    const { access } = request.routeOptions.config;
    // Unknown routes answer the same with and without a key.
    if (access === undefined || access === "none" || access === "hub") return;
    const caller = await authenticate({
      key: presentedKey(request),
      address: clientAddress(request.raw),
    }).catch((cause: unknown) => {
      reply.headers(refusalHeaders(cause));
      throw cause;
    });
    // Guards before scopes: refused calls count against the limits too.
    for (const guard of guards) await guard(request, reply, caller);
    if (!caller.scopes.includes(access))
      throw new MemError("insufficient_scope", { message: `The API key does not have the scope ${access}.` });
    request.caller = caller;
  });
}

/** The refusal of a caller whose key was revoked during the request. */
export function keyEnded(reply: FastifyReply): MemError {
  const refusal = new MemError("unauthenticated");
  reply.headers(refusalHeaders(refusal));
  return refusal;
}

/** Headers of a refused credential. */
export function refusalHeaders(cause: unknown): Record<string, string> {
  if (!(cause instanceof MemError)) return {};
  if (cause.status === 401) return { "www-authenticate": "Bearer" };
  const { details } = cause;
  if (cause.status !== 429 || !isJsonObject(details)) return {};
  return { "retry-after": String(details.retryAfterSeconds) };
}

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new MemError("internal", { message: "A route has no caller." });
  return request.caller;
}

/** The credential of the request. Exactly one: two that disagree could pass a proxy that reads the other one. */
export function presentedKey({ raw }: FastifyRequest): string | null {
  const names = raw.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  if (names.filter((name) => name === "authorization").length !== 1) return null;
  return /^bearer ([\x21-\x7e]{1,200})$/i.exec(raw.headers.authorization ?? "")?.[1] ?? null;
}
