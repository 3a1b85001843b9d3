// The newest records of a project, parsed: what `/api/context/recent` answers.
import { type Observation, type Parsed, parseLists, type SessionSummary } from "../core/records/records.ts";

/** A reader of the newest rows of one kind of record. */
export interface NewestRecords<R> {
  page(request: { offset: number; limit: number; project?: string | undefined }): { items: R[] };
}

export interface RecentRecords {
  summaries: Parsed<SessionSummary>[];
  observations: Parsed<Observation>[];
}

/** The newest `limit` summaries and observations, of one project when it is given. */
export function recentRecords(
  port: { observations: NewestRecords<Observation>; summaries: NewestRecords<SessionSummary> },
  { project, limit }: { project?: string | undefined; limit: number },
): RecentRecords {
  const page = { offset: 0, limit, project };
  return {
    summaries: port.summaries.page(page).items.map(parseLists),
    observations: newestHeld(port.observations, { project, limit }).map(parseLists),
  };
}

// What was rejected stands in the pages of the data routes, never in context.
function newestHeld(
  records: NewestRecords<Observation>,
  { project, limit }: { project?: string | undefined; limit: number },
): Observation[] {
  const held: Observation[] = [];
  for (let offset = 0; held.length < limit; offset += limit) {
    const { items } = records.page({ offset, limit, project });
    held.push(...items.filter(({ status }) => status !== "rejected"));
    if (items.length < limit) break;
  }
  return held.slice(0, limit);
}
