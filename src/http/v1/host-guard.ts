// First check of every request: one plain Host, a path as target; without keys, this machine only.
import { isIPv4, isIPv6 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { MemError } from "../../core/errors.ts";
import type { RequestGuard } from "../plugins/request-guard.ts";
import { securityHeaders, tooManyHeaders } from "../plugins/request-guard.ts";
import type { App } from "../plugins/zod.ts";

/** `keys`: any host may ask and a key decides. `local`: no keys, so the worker's request guard applies. */
export type Gate = { is: "keys" } | { is: "local"; guard: RequestGuard };

/** Refuses malformed requests before authentication. */
export function installHostCheck(app: App, gate: Gate): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done(gate.is === "local" ? gate.guard(request, reply) : refusal(request, reply));
  });
}

function refusal({ raw }: FastifyRequest, reply: FastifyReply): MemError | undefined {
  reply.headers(securityHeaders).header("cache-control", "no-store");
  const crowded = tooManyHeaders(raw);
  if (crowded !== undefined) return crowded;
  if (!raw.url?.startsWith("/")) {
    return new MemError("invalid_request", { message: "The request target must be a path." });
  }
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length === 1 && isHost(raw.headers.host ?? "")) return undefined;
  return new MemError("invalid_request", {
    message: "The request needs exactly one Host header, a plain name.",
    hint: "Send the name or address of this server, with its port if it has one: mem.example.com.",
  });
}

/**
 * True for `name`, `name:port` and `[v6]:port`, which are safe in a shell command. A name that ends in a number must be
 * four decimal numbers: browsers and shell tools read `0x7f.1` as an address too.
 */
export function isHost(host: string): boolean {
  const [, name = "", v6, port] =
    /^([a-z0-9.-]{1,253}|\[([0-9a-f:.]{2,45})\])(?::(\d{1,5}))?$/i.exec(host) ?? [];
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) return false;
  if (v6 !== undefined) return isIPv6(v6);
  const labels = name.split(".");
  if (!labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))) return false;
  return !/^(?:\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? "") || isIPv4(name);
}
