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

export interface TvBoard {
  /** The newest observations that fit the address, newest first. */
  items: readonly TvObservation[];
  /** How many of the newest were looked at, when there are older ones; null when all were. */
  newest: number | null;
  /** Projects and sources of the newest observations, when none fits: the address may have a wrong name. */
  others: { projects: string[]; sources: string[] } | null;
}

export async function readBoard(address: TvAddress): Promise<TvBoard> {
  const fitting: TvObservation[] = [];
  let read = 0;
  let isAll = false;
  for (let page = 0; page < mostPages && fitting.length < shown; page++) {
    const { items, hasMore } = await readPage(address, page * pageSize);
    fitting.push(...items.filter((item) => fits(item, address)));
    read += items.length;
    isAll = !hasMore;
    if (isAll) break;
  }
  const others = fitting.length === 0 ? await othersThan(address) : null;
  return { items: fitting.slice(0, shown), newest: isAll ? null : read, others };
}

async function othersThan(address: TvAddress): Promise<TvBoard["others"]> {
  if (address.project === "" && address.source === "") return null;
  const { items } = await readPage({ ...address, project: "" }, 0);
  const names = (all: (string | null | undefined)[], asked: string) =>
    [...new Set(all.filter((name) => typeof name === "string"))].filter((name) => name !== asked).slice(0, 8);
  return {
    projects:
      address.project === ""
        ? []
        : names(
            items.map(({ project }) => project),
            address.project,
          ),
    sources:
      address.source === ""
        ? []
        : names(
            items.map(({ host }) => host),
            address.source,
          ),
  };
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
