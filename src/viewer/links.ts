// Addresses of pages: the path and query after `#`, since the worker answers exact paths only.

/** `#/search?q=port` is path `/search` with query `q`. */
export interface Place {
  path: string;
  query: URLSearchParams;
}

/** What a page gets: the parts of its path that its route names with `:`, and the query. */
export interface PageProps {
  parts: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** The place that a hash names. */
export function parsePlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  return { path: path.startsWith("/") ? path : "/", query: new URLSearchParams(query) };
}

/** The link to a page. Parameters that are undefined or empty are left out. */
export function linkTo(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  return parameters.size === 0 ? `#${path}` : `#${path}?${parameters}`;
}
