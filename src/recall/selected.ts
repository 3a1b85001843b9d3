// What filters let through, newest first, found step by step: in between the worker answers others.
import { setImmediate } from "node:timers/promises";
import type { RecordFilter, ScanPlace, ScanStep } from "../core/records/search.ts";
import type { Asked, Chosen, SearchedKind, SearchPort, Way } from "./ways.ts";

/** What a walk needs of one kind of record. */
export interface ScanPort {
  scan(filter: RecordFilter, limit: number, from: ScanPlace | null): ScanStep;
}

/** True when there is more to look at than the project: without that the newest are at hand. */
export function isFiltered({ obs_type, concepts, files, dateStart, dateEnd }: RecordFilter): boolean {
  return obs_type !== null || dateStart !== null || dateEnd !== null || concepts.length + files.length > 0;
}

/** The way of `newest`, for filters. */
export async function newestSelected(port: SearchPort, asked: Asked): Promise<Way> {
  const { kinds } = asked;
  const found = new Map<unknown, Chosen[]>();
  const look = async <R>(kind: SearchedKind<R>) => void found.set(kind, await pageOf(kind, asked));
  if (kinds.observations) await look(port.observations);
  if (kinds.sessions) await look(port.summaries);
  if (kinds.prompts) await look(port.prompts);
  const chosen = (kind: unknown): Chosen[] => found.get(kind) ?? [];
  return { observations: chosen, others: chosen };
}

/**
 * The search with what its filters let through, where these look into records and that is little: a match then looks up
 * those alone instead of every record with a word of it.
 */
export async function withSelected(port: SearchPort, asked: Asked): Promise<Asked> {
  const { filter, kinds } = asked;
  if (!kinds.observations || filter.concepts.length + filter.files.length === 0) return asked;
  const only = await walked(port.observations, filter, fewRecords);
  if (only.length === fewRecords) return asked;
  return { ...asked, only, kinds: { ...kinds, observations: only.length > 0 } };
}

/** The search with the newest of what its filters let through: all that a look into words takes in. */
export async function withNewest(port: SearchPort, asked: Asked): Promise<Asked> {
  const { filter, kinds } = asked;
  if (!kinds.observations || !isFiltered(filter)) return asked;
  const only = await walked(port.observations, filter, lookedInto);
  return { ...asked, only, kinds: { ...kinds, observations: only.length > 0 } };
}

// As many as the statement that looks into them takes.
const lookedInto = 5_000;
// Enough of them stand among the newest when a filter lets much through, so that nothing is looked at in vain.
const fewRecords = 1_000;

async function pageOf<R>(kind: SearchedKind<R>, { filter, page }: Asked): Promise<Chosen[]> {
  const ids = await walked(kind, filter, page.offset + page.limit);
  return ids.slice(page.offset).map((id) => ({ id, matched_by: ["filters"] }));
}

async function walked(kind: ScanPort, filter: RecordFilter, count: number): Promise<number[]> {
  const ids: number[] = [];
  let from: ScanPlace | null = null;
  for (;;) {
    const step: ScanStep = kind.scan(filter, count - ids.length, from);
    for (const id of step.ids) ids.push(id);
    if (step.next === null || ids.length >= count) return ids;
    from = step.next;
    await setImmediate();
  }
}
