// Timeline over the store: reads the anchor and the rows around it, then renders as the worker.

import type { Tenant } from "../../core/records/tenancy.ts";
import type { TimelineRow } from "../../core/records/timeline.ts";
import type { Search } from "../../recall/search.ts";
import {
  createTimeline,
  type TimelineAnchor,
  type TimelineItem,
  type TimelinePort,
  type TimelineRequest,
} from "../../recall/timeline.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { placedRow, rowsAround } from "../../store/postgres/timeline.ts";
import { emptySearch } from "./record-search.ts";

/** Oldest first. Throws `not_found` as the worker does; a null reach has no records. */
export async function timelineAround(
  app: Connections,
  { reach, search }: { reach: Tenant | null; search: Search },
  request: TimelineRequest,
): Promise<TimelineItem[]> {
  const anchor = reach === null ? request.anchor : await anchorOf(search, request);
  const nothingFound = createTimeline(portOf(null, { before: [], after: [] }), emptySearch);
  if (anchor === undefined || reach === null) return nothingFound.around(request);
  const from = anchor.kind === "time" ? anchor.at : await placedRow(app, reach, anchor);
  if (from === undefined) return nothingFound.around({ ...request, query: undefined, anchor });
  // Only records of the anchor's project.
  const [row, within] = typeof from === "number" ? [null, reach] : [from.row, from.scope];
  const { depth_before: before, depth_after: after } = request;
  // No record of a server has a branch.
  const around =
    request.branch === undefined
      ? await rowsAround(app, within, { from, before, after })
      : { before: [], after: [] };
  // The label is part of the reach already, and may differ from the project's name.
  const { project: _, query: __, ...rest } = request;
  return createTimeline(portOf(row, around), emptySearch).around({ ...rest, anchor });
}

async function anchorOf(search: Search, request: TimelineRequest): Promise<TimelineAnchor | undefined> {
  if (request.anchor !== undefined) return request.anchor;
  const { observations } = await search.search({
    query: request.query,
    type: "observations",
    format: "index",
    limit: 1,
  });
  const [best] = observations;
  return best && { kind: "observation", id: best.id };
}

function portOf(
  row: TimelineRow | null,
  { before, after }: { before: TimelineRow[]; after: TimelineRow[] },
): TimelinePort {
  return {
    observations: { byId: () => (row?.kind === "observation" ? row.record : undefined) },
    summaries: { byId: () => (row?.kind === "session" ? row.record : undefined) },
    prompts: { byId: () => (row?.kind === "prompt" ? row.record : undefined) },
    before: () => before,
    after: () => after,
  };
}
