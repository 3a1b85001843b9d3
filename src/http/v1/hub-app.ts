// The HTTP app of `mem hub`: the sync routes, health, and the OpenAPI document.
import * as z from "zod";
import type { Hub } from "../../hub/hub.ts";
import { openapiRoute } from "../openapi.ts";
import type { App } from "../plugins/zod.ts";
import { errorBody } from "../schemas/error.ts";
import type { ClientAddress } from "./client-address.ts";
import { type AssembleOptions, assembleApp, openapiPath, type ServerHttp } from "./hosted-app.ts";
import { hubTokens, syncRoutes } from "./sync.ts";

export interface HubHttpDeps extends Pick<AssembleOptions, "log"> {
  hub: Hub;
  clientAddress: ClientAddress;
  version(): string;
  /** Resolves when the database answers. Throws why not. */
  demandReady(): Promise<void>;
}

/** Builds the app; nothing listens yet. */
export function buildHubHttp({ log, hub, clientAddress, version, demandReady }: HubHttpDeps): ServerHttp {
  return assembleApp({
    log,
    onAnswered: null,
    gate: { is: "keys" },
    prepare: logRequests,
    addRoutes(app, routes) {
      app.get(
        "/healthz",
        {
          exposeHeadRoute: true,
          config: { access: "none" },
          schema: { summary: "The hub's database answers.", response: { 200: health, 503: errorBody } },
        },
        async () => {
          await demandReady();
          return { status: "ok" as const, version: version() };
        },
      );
      const description =
        "Device sync: one append-only log per account. Times are epoch milliseconds; an error names its code.";
      const common = {
        path: openapiPath,
        title: "mem hub",
        description,
        config: { access: "none" },
      } as const;
      const always = { 400: errorBody, 415: errorBody, 500: errorBody };
      openapiRoute(app, { ...common, version, hubTokens, always }, routes);
      syncRoutes(app, { hub, clientAddress });
    },
  });
}

const health = z.object({ status: z.literal("ok"), version: z.string() });

// The template of the path, without query, address or headers.
function logRequests(app: App): void {
  app.addHook("onResponse", (request, reply, done) => {
    reply.log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? "none",
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        account: request.hubCaller?.account_id,
      },
      "answered",
    );
    done();
  });
}
