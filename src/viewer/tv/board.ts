// The newest observations for a display: read from the list, filtered by project and source, a bounded number.
import type { Reads } from "../api.ts";
import type { TvAddress } from "./address.ts";
import { TvRefusal } from "./connection.ts";

export type TvObservation = Reads["/api/observations"]["items"][number];

/** More than any screen shows. */
const shown = 30;
const pageSize = 100;
// A source that was quiet for longer shows what there is.
const mostPages = 5;
const deadlineMs = 30_000;

/** Headers with the token. A header keeps it out of addresses, and so out of logs and histories. */
export function tokenHeaders({ token }: Pick<TvAddress, "token">): Record<string, string> {
  return token === "" ? {} : { authorization: `Bearer ${token}` };
}

/** The newest observations that fit the address, newest first. */
export async function readBoard(address: TvAddress): Promise<TvObservation[]> {
  const fitting: TvObservation[] = [];
  for (let page = 0; page < mostPages && fitting.length < shown; page++) {
    const { items, hasMore } = await readPage(address, page * pageSize);
    fitting.push(...items.filter((item) => fits(item, address)));
    if (!hasMore) break;
  }
  return fitting.slice(0, shown);
}

function fits({ project, host, status }: TvObservation, address: TvAddress): boolean {
  return (
    status !== "rejected" &&
    (address.project === "" || project === address.project) &&
    (address.source === "" || host === address.source)
  );
}

async function readPage(address: TvAddress, offset: number): Promise<Reads["/api/observations"]> {
  const query = new URLSearchParams({ limit: String(pageSize), offset: String(offset) });
  if (address.project !== "") query.set("project", address.project);
  const answer = await fetch(`/api/observations?${query}`, {
    headers: { accept: "application/json", ...tokenHeaders(address) },
    cache: "no-store",
    signal: AbortSignal.timeout(deadlineMs),
  });
  if (!answer.ok) throw new TvRefusal(answer.status);
  return (await answer.json()) as Reads["/api/observations"];
}
