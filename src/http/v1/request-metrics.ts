// What is measured of each request: how it was asked, by the route's template, and how it was answered.
import type { App } from "../plugins/zod.ts";

/** One answered request. No address, key or id of anybody. */
export interface AnsweredRequest {
  method: string;
  /** The template, for example `/v1/events/:id`; `none` for a path that no route has. */
  route: string;
  status: number;
  seconds: number;
}

/** Hands every answered request on. */
export function installRequestMetrics(app: App, observe: (request: AnsweredRequest) => void): void {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url;
    observe({
      // Without a route the method is whatever a stranger made up.
      method: route === undefined ? "any" : request.method,
      route: route ?? "none",
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
    done();
  });
}
