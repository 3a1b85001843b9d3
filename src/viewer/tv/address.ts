// The address of the TV page: the token is taken out of it before anything else runs; the filters stay.

/** What the address asks for. */
export interface TvAddress {
  /** Empty when the page was opened without one, as on the worker's own machine. */
  token: string;
  /** Observations of this project only; empty for all. */
  project: string;
  /** Observations of sessions of this host agent only; empty for all. */
  source: string;
}

/** Read when the module is loaded, so that no later code, history entry or picture of the screen has the token. */
export const tvAddress: TvAddress = takeAddress();

function takeAddress(): TvAddress {
  const { pathname, search, hash } = location;
  const query = new URLSearchParams(search);
  const taken = {
    token: query.get("token") ?? "",
    project: query.get("project") ?? "",
    source: query.get("source") ?? "",
  };
  if (query.has("token")) {
    query.delete("token");
    const rest = query.size === 0 ? "" : `?${query}`;
    history.replaceState(null, "", `${pathname}${rest}${hash}`);
  }
  return taken;
}
