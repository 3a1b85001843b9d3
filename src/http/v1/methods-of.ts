// Which methods a path has, for requests that come with another one.
import type { RouteOptions } from "fastify";

/**
 * The methods of the server's own routes that the path matches, in the alphabet's order; `routes` may grow until it is
 * first asked. Not of the older ones: what a worker has there beside them is not here, and answered like any unknown path.
 */
export function createMethodsOf(routes: readonly RouteOptions[]): (path: string) => string[] {
  let known: { pattern: RegExp; methods: string[] }[] | undefined;
  return (path) => {
    known ??= routes.filter(isOwn).map(({ url, method }) => ({
      pattern: new RegExp(`^${url.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
      methods: [method].flat(),
    }));
    const found = known.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []));
    return [...new Set(found)].sort();
  };
}

function isOwn({ url }: RouteOptions): boolean {
  return !/^\/(?:api|sessions)\b/.test(url);
}
