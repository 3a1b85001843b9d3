// Lists of records that pass the filters, newest first. A long scan runs in steps, so that the worker answers others.
import { setImmediate } from "node:timers/promises";
import type { RecordFilter, ScanPlace, ScanStep } from "../core/records/search.ts";
import type { Retriever } from "./retrievers.ts";
import type { Chosen, SearchedKind, SearchPort, SearchQuery } from "./search-port.ts";

/** Lists the newest records of each kind. */
export async function listRecent(port: SearchPort, query: SearchQuery): Promise<Retriever> {
  const { kinds, filter, page } = query;
  const found = new Map<unknown, Chosen[]>();
  const read = async <R>(kind: SearchedKind<R>) => {
    // Without filters an index has the page.
    const ids = isFiltered(filter)
      ? (await scan(kind, filter, page.offset + page.limit)).slice(page.offset)
      : kind.newest(filter, page);
    found.set(
      kind,
      ids.map((id) => ({ id, matched_by: ["filters"] })),
    );
  };
  if (kinds.observations) await read(port.observations);
  if (kinds.sessions) await read(port.summaries);
  if (kinds.prompts) await read(port.prompts);
  const chosen = (kind: unknown): Chosen[] => found.get(kind) ?? [];
  return { observations: chosen, others: chosen };
}

/**
 * The query with the ids that its filters pass, if these read records and pass few: a match then reads those alone
 * instead of every record with a word of it.
 */
export async function withFewIds(port: SearchPort, query: SearchQuery): Promise<SearchQuery> {
  const { filter, kinds } = query;
  const isNarrow = filter.branch !== undefined || filter.concepts.length + filter.files.length > 0;
  if (!kinds.observations || !isNarrow) return query;
  const only = await scan(port.observations, filter, fewRecords);
  if (only.length === fewRecords) return query;
  return { ...query, only, kinds: { ...kinds, observations: only.length > 0 } };
}

/** The query with the newest ids that its filters pass, as many as a search inside words reads. */
export async function withNewestIds(port: SearchPort, query: SearchQuery): Promise<SearchQuery> {
  const { filter, kinds } = query;
  if (!kinds.observations || !isFiltered(filter)) return query;
  const only = await scan(port.observations, filter, readInsideWords);
  return { ...query, only, kinds: { ...kinds, observations: only.length > 0 } };
}

// As many as the statement that searches inside words reads.
const readInsideWords = 5_000;
// A filter that passes much reaches this number among the newest records, so the scan ends early.
const fewRecords = 1_000;

function isFiltered({ obs_type, concepts, files, dateStart, dateEnd, branch }: RecordFilter): boolean {
  const isNarrow = branch !== undefined || concepts.length + files.length > 0;
  return obs_type !== null || dateStart !== null || dateEnd !== null || isNarrow;
}

async function scan(
  kind: Pick<SearchedKind<unknown>, "scan">,
  filter: RecordFilter,
  count: number,
): Promise<number[]> {
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
