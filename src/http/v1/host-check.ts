// The gate of every request: one plain Host, a path as its target; without keys, this machine only.
import type { FastifyReply, FastifyRequest } from "fastify";
import { MemError } from "../../errors.ts";
import type { Door } from "../plugins/door.ts";
import { securityHeaders } from "../plugins/door.ts";
import type { App } from "../plugins/zod.ts";

/** `keys`: anybody may knock, a key decides. `local`: the worker's door, since nothing else protects it. */
export type Gate = { is: "keys" } | { is: "local"; door: Door };

/** Refuses before authentication what no honest client sends. Health is asked for by address, so its Host is free. */
export function installHostCheck(app: App, gate: Gate): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done(gate.is === "local" ? gate.door(request, reply) : refusal(request, reply));
  });
}

function refusal({ raw }: FastifyRequest, reply: FastifyReply): MemError | undefined {
  reply.headers(securityHeaders).header("cache-control", "no-store");
  if (!raw.url?.startsWith("/")) {
    return new MemError("invalid_request", { message: "The request target must be a path." });
  }
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length === 1 && isHost(raw.headers.host ?? "")) return undefined;
  return new MemError("invalid_request", {
    message: "The request needs exactly one Host header, a plain name.",
  });
}

/** True for `name`, `name:port` and `[v6]:port`: what may stand in an address that a shell command carries. */
export function isHost(host: string): boolean {
  return /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host);
}
