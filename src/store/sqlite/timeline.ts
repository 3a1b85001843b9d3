// Observations, session summaries and prompts around a moment, in order of time.
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { TimelineKind, TimelineRow, TimelineWindow } from "../../core/records/timeline.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { promptColumns } from "./prompts.ts";
import { createSql } from "./sql.ts";
import { summaryColumns } from "./summaries.ts";

/** Reads the records around a moment, each kind along its index. */
export function createTimeline(db: Sqlite) {
  const kinds = {
    prompt: createReader<UserPrompt>(db, "user_prompts", promptColumns, "private = 0"),
    observation: createReader<Observation>(db, "observations", observationColumns, "status <> 'rejected'"),
    session: createReader<SessionSummary>(db, "session_summaries", summaryColumns, "true"),
  };

  function read(direction: Direction, window: TimelineWindow): TimelineRow[] {
    if (window.limit === 0) return [];
    const rows = order.flatMap((kind) =>
      kinds[kind](direction, window, idBound(kind, window)).map(
        (record) => ({ kind, record }) as TimelineRow,
      ),
    );
    rows.sort(byTime);
    return direction === "before" ? rows.slice(-window.limit) : rows.slice(0, window.limit);
  }

  return {
    /** The rows right before the moment, oldest first. */
    before: (window: TimelineWindow) => read("before", window),
    /** The rows right after the moment, oldest first, beginning with the moment itself. */
    after: (window: TimelineWindow) => read("after", window),
  };
}

type Direction = "before" | "after";

// At one moment the prompt comes first and the summary last.
const order: readonly TimelineKind[] = ["prompt", "observation", "session"];

// Rows of the same moment come before the anchor by kind, then by id.
function idBound(kind: TimelineKind, { anchor }: TimelineWindow): number {
  if (anchor === null) return -1;
  if (kind === anchor.kind) return anchor.id;
  return order.indexOf(kind) < order.indexOf(anchor.kind) ? Number.MAX_SAFE_INTEGER : -1;
}

interface Bounds {
  at: number;
  id: number;
  limit: number;
  project: string | null;
  branch: string | null;
}

function createReader<R>(
  db: Sqlite,
  table: "observations" | "session_summaries" | "user_prompts",
  columns: string,
  always: string,
) {
  const sql = createSql(db);
  const reader = (ofProject: string, side: "<" | ">", direction: "desc" | "asc") =>
    sql.all<[Bounds], R>(
      `select ${columns}
       from ${table}
       where ${ofProject} and ${always} and (created_at_epoch, id) ${side} (@at, @id)
         and (@branch is null or branch = @branch)
       order by created_at_epoch ${direction}, id ${direction}
       limit @limit`,
    );
  const both = (ofProject: string) => ({
    before: reader(ofProject, "<", "desc"),
    after: reader(ofProject, ">", "asc"),
  });
  const ofAll = both("@project is null");
  const ofProject = both("project = @project");
  return (direction: Direction, { at, limit, project, branch }: TimelineWindow, id: number): R[] =>
    (project === null ? ofAll : ofProject)[direction]({ at, id, limit, project, branch: branch ?? null });
}

function byTime(left: TimelineRow, right: TimelineRow): number {
  return (
    left.record.created_at_epoch - right.record.created_at_epoch ||
    order.indexOf(left.kind) - order.indexOf(right.kind) ||
    left.record.id - right.record.id
  );
}
