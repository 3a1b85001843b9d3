// What happened around a moment: observations, session summaries and prompts in one order of time.
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { TimelineKind, TimelineRow, TimelineWindow } from "../../core/records/timeline.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { promptColumns } from "./prompts.ts";
import { summaryColumns } from "./summaries.ts";

export interface TimelineStore {
  /** The rows right before the moment, oldest first. */
  before(window: TimelineWindow): TimelineRow[];
  /** The rows right behind the moment, oldest first; what stands at the moment itself is behind it. */
  after(window: TimelineWindow): TimelineRow[];
}

/** A reader of the three kinds; each is walked along its index from the moment on. */
export function createTimeline(db: Sqlite): TimelineStore {
  const kinds = {
    prompt: createWalk<UserPrompt>(db, "user_prompts", promptColumns, "private = 0"),
    observation: createWalk<Observation>(db, "observations", observationColumns, "status <> 'rejected'"),
    session: createWalk<SessionSummary>(db, "session_summaries", summaryColumns, "true"),
  };

  function walk(direction: "before" | "after", window: TimelineWindow): TimelineRow[] {
    if (window.limit === 0) return [];
    const rows: TimelineRow[] = [
      ...kinds.prompt(direction, window, idBound("prompt", window)).map(asRow("prompt")),
      ...kinds.observation(direction, window, idBound("observation", window)).map(asRow("observation")),
      ...kinds.session(direction, window, idBound("session", window)).map(asRow("session")),
    ];
    rows.sort(inOrder);
    return direction === "before" ? rows.slice(-window.limit) : rows.slice(0, window.limit);
  }

  return { before: (window) => walk("before", window), after: (window) => walk("after", window) };
}

// Of one moment: the prompt causes the observations, the summary closes them.
const order: readonly TimelineKind[] = ["prompt", "observation", "session"];

// Rows of the moment itself stand before the anchor when their kind does, or their id among its own kind.
function idBound(kind: TimelineKind, { anchor }: TimelineWindow): number {
  if (anchor === null) return -1;
  if (kind === anchor.kind) return anchor.id;
  return order.indexOf(kind) < order.indexOf(anchor.kind) ? Number.MAX_SAFE_INTEGER : -1;
}

type Walk<R> = (direction: "before" | "after", window: TimelineWindow, id: number) => R[];

interface WalkRow {
  at: number;
  id: number;
  limit: number;
  project: string | null;
}

function createWalk<R>(
  db: Sqlite,
  table: "observations" | "session_summaries" | "user_prompts",
  columns: string,
  always: string,
): Walk<R> {
  const prepared = (ofProject: string, side: "<" | ">", direction: "desc" | "asc") =>
    db.prepare<WalkRow, R>(
      `select ${columns}
       from ${table}
       where ${ofProject} and ${always} and (created_at_epoch, id) ${side} (@at, @id)
       order by created_at_epoch ${direction}, id ${direction}
       limit @limit`,
    );
  const both = (ofProject: string) => ({
    before: prepared(ofProject, "<", "desc"),
    after: prepared(ofProject, ">", "asc"),
  });
  const ofAll = both("@project is null");
  const ofProject = both("project = @project");
  return (direction, { at, limit, project }, id) =>
    (project === null ? ofAll : ofProject)[direction].all({ at, id, limit, project });
}

function asRow<K extends TimelineKind, R>(kind: K): (record: R) => { kind: K; record: R } {
  return (record) => ({ kind, record });
}

function inOrder(left: TimelineRow, right: TimelineRow): number {
  return (
    left.record.created_at_epoch - right.record.created_at_epoch ||
    order.indexOf(left.kind) - order.indexOf(right.kind) ||
    left.record.id - right.record.id
  );
}
