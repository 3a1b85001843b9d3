// The timeline: records before and after a record or a moment, in order of time.
import { MemError } from "../core/errors.ts";
import { type RecordName, recordName } from "../core/records/record-name.ts";
import {
  type Observation,
  parseLists,
  type SessionSummary,
  type UserPrompt,
} from "../core/records/records.ts";
import type { TimelineRow, TimelineWindow } from "../core/records/timeline.ts";
import { excerpt } from "../text/excerpt.ts";
import { type LineMarks, marksOf, type PlaceMarks, placeOf } from "./hits.ts";
import type { Search } from "./search.ts";
import type { AskedAt } from "./search-port.ts";

/** The center of a timeline: a record, or a moment in epoch milliseconds. */
export type TimelineAnchor = RecordName | { kind: "time"; at: number };

export interface TimelineRequest {
  /** Required without `query`, which uses its best observation. */
  anchor?: TimelineAnchor | undefined;
  query?: string | undefined;
  depth_before: number;
  depth_after: number;
  /** Default: the record's project, or all projects around a moment. */
  project?: string | undefined;
  /** Records made on this git branch; the anchor may be of another one. */
  branch?: string | undefined;
  /** Directory of the reader, if known. */
  cwd?: string | undefined;
}

interface Base extends PlaceMarks {
  id: number;
  project: string;
  created_at_epoch: number;
  /** Set on the record that was asked for. */
  anchor?: true;
}

/** A record of a timeline in short form. A `session` is a session summary. */
export type TimelineItem =
  | (Base & { type: "observation" } & Pick<
        Observation,
        | "sdk_session_id"
        | "obs_type"
        | "title"
        | "subtitle"
        | "summary"
        | "prompt_number"
        | "status"
        | "superseded_by"
        | "provenance"
      > &
      LineMarks & { files_touched: string[] })
  | (Base & { type: "session" } & Pick<
        SessionSummary,
        "sdk_session_id" | "summary_text" | "request" | "learned" | "completed" | "next_steps"
      >)
  | (Base & { type: "prompt" } & Pick<
        UserPrompt,
        "claude_session_id" | "sdk_session_id" | "prompt_number" | "prompt_text"
      >);

interface ById<R> {
  byId(id: number): R | undefined;
}

export interface TimelinePort {
  observations: ById<Observation>;
  summaries: ById<SessionSummary>;
  prompts: ById<UserPrompt>;
  before(window: TimelineWindow): TimelineRow[];
  after(window: TimelineWindow): TimelineRow[];
  /** The branch of each record that is not merged where somebody asks. Default: all are merged. */
  unmerged?:
    | ((kind: RecordName["kind"], ids: readonly number[], at: AskedAt) => ReadonlyMap<number, string>)
    | undefined;
}

export interface Timeline {
  /** Oldest first. Throws `not_found` when there is no such anchor, in that project when one is given. */
  around(request: TimelineRequest): Promise<TimelineItem[]>;
}

/** Timelines over the records that `port` reaches; `search` finds the anchor of a query. */
export function createTimeline(port: TimelinePort, search: Search): Timeline {
  return {
    async around(request) {
      const { project = null, depth_before, depth_after } = request;
      const anchor = request.anchor ?? (await bestFor(search, request));
      const row = anchor.kind === "time" ? null : rowOf(port, anchor);
      if (row === undefined || (row !== null && project !== null && row.record.project !== project)) {
        throw unknownAnchor(nameOf(anchor), project);
      }
      const at = anchor.kind === "time" ? anchor.at : (row?.record.created_at_epoch ?? 0);
      // Records of other projects at the same time are unrelated.
      const within = project ?? row?.record.project ?? null;
      const window = {
        at,
        anchor: anchor.kind === "time" ? null : anchor,
        project: within,
        branch: request.branch,
      };
      const items: TimelineItem[] = [
        ...port.before({ ...window, limit: depth_before }).map(timelineItem),
        ...(row === null || isRejected(row) ? [] : [{ ...timelineItem(row), anchor: true as const }]),
        ...port.after({ ...window, limit: depth_after }).map(timelineItem),
      ];
      return withMarks(port, items, request.cwd ?? null);
    },
  };
}

/** The same records; one on a branch that is not merged where `cwd` is has `merged: false`. */
export function withMarks(
  port: Pick<TimelinePort, "unmerged">,
  items: TimelineItem[],
  cwd: string | null,
): TimelineItem[] {
  const others = new Map(
    (["observation", "session", "prompt"] as const).map((kind) => {
      const ids = items.flatMap(({ type, id }) => (type === kind ? id : []));
      return [kind, port.unmerged?.(kind, ids, { project: null, cwd })] as const;
    }),
  );
  return items.map((item) => (others.get(item.type)?.has(item.id) ? { ...item, merged: false } : item));
}

async function bestFor(
  search: Search,
  { query = "", project, branch }: TimelineRequest,
): Promise<RecordName> {
  const { observations } = await search.search({
    query,
    project,
    branch,
    type: "observations",
    format: "index",
    limit: 1,
  });
  const best = observations[0];
  if (best !== undefined) return { kind: "observation", id: best.id };
  throw new MemError("not_found", {
    message: `No observation fits "${excerpt(query, 80)}"${inProject(project ?? null)}.`,
    hint: "Try other words, or give the id of a record as `anchor`.",
  });
}

function rowOf(port: TimelinePort, { kind, id }: RecordName): TimelineRow | undefined {
  switch (kind) {
    case "observation":
      return withRecord(kind, port.observations.byId(id));
    case "session":
      return withRecord(kind, port.summaries.byId(id));
    case "prompt":
      return withRecord(kind, port.prompts.byId(id));
    default:
      return kind satisfies never;
  }
}

function withRecord<K extends string, R>(kind: K, record: R | undefined): { kind: K; record: R } | undefined {
  return record && { kind, record };
}

// A rejected record is in no list, but can be the anchor.
function isRejected(row: TimelineRow): boolean {
  return row.kind === "observation" && row.record.status === "rejected";
}

function nameOf(anchor: TimelineAnchor): string {
  if (anchor.kind === "time") return "such moment";
  return `${anchor.kind === "session" ? "summary" : anchor.kind} ${recordName(anchor)}`;
}

function unknownAnchor(name: string, project: string | null): MemError {
  return new MemError("not_found", {
    message: `No ${name}${inProject(project)}.`,
    hint: "Find ids: `mem search <words>`. 12 is an observation, S12 a summary, P12 a prompt.",
  });
}

function inProject(project: string | null): string {
  return project === null ? "" : ` in the project ${excerpt(project, 80)}`;
}

// A prompt may be a pasted file; the whole text is read by its id.
const promptCharacters = 1000;

/** The short form of a record. */
export function timelineItem(row: TimelineRow): TimelineItem {
  const { id, project, created_at_epoch } = row.record;
  const base = { id, project, created_at_epoch, ...placeOf(row.record, true) };
  switch (row.kind) {
    case "observation": {
      const { sdk_session_id, obs_type, title, subtitle, summary, prompt_number } = row.record;
      const { status, superseded_by, provenance } = row.record;
      const { files_touched } = parseLists(row.record);
      const own = { sdk_session_id, obs_type, title, subtitle, summary, files_touched, prompt_number };
      const marks = { status, superseded_by, provenance, ...marksOf(row.record) };
      return { type: "observation", ...base, ...own, ...marks };
    }
    case "session": {
      const { sdk_session_id, summary_text, request, learned, completed, next_steps } = row.record;
      return {
        type: "session",
        ...base,
        ...{ sdk_session_id, summary_text, request, learned, completed, next_steps },
      };
    }
    case "prompt": {
      const { claude_session_id, sdk_session_id, prompt_number, prompt_text } = row.record;
      const shown = excerpt(prompt_text, promptCharacters);
      return {
        type: "prompt",
        ...base,
        claude_session_id,
        sdk_session_id,
        prompt_number,
        prompt_text: shown,
      };
    }
    default:
      return row satisfies never;
  }
}
