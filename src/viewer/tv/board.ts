// The newest observations for a display: read from the list, filtered by project and source, a bounded number.
import type { Reads } from "../api.ts";
import type { TvAddress } from "./address.ts";
import { TvRefusal } from "./connection.ts";

export type TvObservation = Reads["/api/observations"]["items"][number];

/** More than any screen shows. */
const shown = 30;
const pageSize = 100;
const deadlineMs = 30_000;

/** Headers with the token. A header keeps it out of addresses, and so out of logs and histories. */
export function tokenHeaders({ token }: Pick<TvAddress, "token">): Record<string, string> {
  return token === "" ? {} : { authorization: `Bearer ${token}` };
}

export interface TvBoard {
  /** The newest observations that fit the address, newest first. */
  items: readonly TvObservation[];
  /** Projects and sources of the newest observations, when none fits: the address may have a wrong name. */
  others: { projects: string[]; sources: string[] } | null;
}

export async function readBoard(address: TvAddress): Promise<TvBoard> {
  const fitting: TvObservation[] = [];
  for (let offset = 0, isAll = false; !isAll && fitting.length < shown; offset += pageSize) {
    const { items, hasMore } = await readPage(address, offset);
    fitting.push(...items.filter(({ status }) => status !== "rejected"));
    isAll = !hasMore;
  }
  const others = fitting.length === 0 ? await othersThan(address) : null;
  return { items: fitting.slice(0, shown), others };
}

async function othersThan(address: TvAddress): Promise<TvBoard["others"]> {
  if (address.project === "" && address.source === "") return null;
  const { items } = await readPage({ token: address.token, project: "", source: "" }, 0);
  const names = (asked: string, all: (string | null | undefined)[]) =>
    asked === ""
      ? []
      : [...new Set(all)]
          .filter((name) => typeof name === "string")
          .filter((name) => name !== asked)
          .slice(0, 8);
  return {
    projects: names(
      address.project,
      items.map(({ project }) => project),
    ),
    sources: names(
      address.source,
      items.map(({ host }) => host),
    ),
  };
}

async function readPage(address: TvAddress, offset: number): Promise<Reads["/api/observations"]> {
  const query = new URLSearchParams({ limit: String(pageSize), offset: String(offset) });
  if (address.project !== "") query.set("project", address.project);
  if (address.source !== "") query.set("source", address.source);
  const answer = await fetch(`/api/observations?${query}`, {
    headers: { accept: "application/json", ...tokenHeaders(address) },
    cache: "no-store",
    signal: AbortSignal.timeout(deadlineMs),
  });
  if (!answer.ok) throw new TvRefusal(answer.status);
  return (await answer.json()) as Reads["/api/observations"];
}
