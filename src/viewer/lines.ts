// Records as one line in a list, from every shape that the API and the stream have for them.
import type { StreamEvent } from "../core/records/events.ts";
import { oneList } from "../core/records/found-list.ts";
import { recordName } from "../core/records/record-name.ts";
import type { Observation, SessionSummary } from "../core/records/records.ts";
import { isProposal, type Reach, type StatementKind } from "../core/records/statement.ts";
import type { SearchAnswer } from "../http/schemas/search.ts";
import type { TimelineAnswer } from "../http/schemas/timeline.ts";
import { linkTo } from "./links.ts";

export const kinds = ["observation", "summary", "prompt"] as const;
export type Kind = (typeof kinds)[number];

/** What a row of a list shows. */
export interface Line {
  /** Unique among all kinds. */
  key: string;
  kind: Kind;
  id: number;
  project: string;
  /** True for a rule that applies in every project; then it matters little where it was said. */
  isEverywhere?: boolean;
  at: number;
  /** Type of an observation, else the kind. */
  type: string;
  title: string;
  detail: string | null;
  saidBy: string | null;
  /** `rule`, `proposal`, `replaced`, `rejected`, `routine`. */
  marks: readonly string[];
  /** Its git branch, where that is not merged. */
  branch?: string | undefined;
}

/** The project of a record as it is shown. */
export function projectIn({ project, isEverywhere }: Pick<Line, "project" | "isEverywhere">): string {
  return isEverywhere === true ? "all projects" : project;
}

/** The page of a record. */
export function recordLink(kind: Kind, id: number): string {
  return linkTo(`/record/${kind}/${id}`);
}

export function lineKey(kind: Kind, id: number): string {
  return `${kind} ${id}`;
}

/** The record's name in the API. */
export function lineName({ kind, id }: Pick<Line, "kind" | "id">): string {
  return recordName({ kind: kind === "summary" ? "session" : kind, id });
}

/** Lines of a timeline, newest first. */
export function timelineLines(items: TimelineAnswer): Line[] {
  return items.map(timelineLine).reverse();
}

/** The line of an event that created or changed a record; undefined for other events. */
export function eventLine(event: StreamEvent): Line | undefined {
  switch (event.type) {
    case "observation_created":
    case "observation_changed":
      return observationLine(event.observation);
    case "summary_created":
    case "summary_changed":
      return summaryLine(event.summary);
    case "new_prompt":
    case "prompt_changed":
      return promptLine(event);
    default:
      return undefined;
  }
}

/** Newest first; at one moment the summary, then observations, then the prompt. */
export function newestFirst(left: Line, right: Line): number {
  return (
    right.at - left.at || kindOrder.indexOf(left.kind) - kindOrder.indexOf(right.kind) || right.id - left.id
  );
}

const kindOrder: readonly Kind[] = ["summary", "observation", "prompt"];

/** Both lists as one in order, each record once; where both have it, the line of `fresh` stays. */
export function mergeLines(lines: readonly Line[], fresh: readonly Line[]): Line[] {
  const keys = new Set(fresh.map(({ key }) => key));
  const merged = [...fresh, ...lines.filter(({ key }) => !keys.has(key))];
  const [first, second] = merged;
  // Nearly every line that comes alone is newer than all others.
  if (fresh.length === 1 && first && second && newestFirst(first, second) < 0) return merged;
  return merged.sort(newestFirst);
}

type TimelineItem = TimelineAnswer[number];

/** The line of a record in short form. */
export function timelineLine(item: TimelineItem): Line {
  switch (item.type) {
    case "observation":
      return observationLine(item);
    case "session":
      return summaryLine(item);
    case "prompt":
      return promptLine(item);
  }
}

type LinedObservation = Pick<
  Observation,
  "id" | "project" | "created_at_epoch" | "obs_type" | "title" | "subtitle" | "summary" | "status"
> &
  Placed & {
    said_by?: string | null | undefined;
    statement_kind?: StatementKind | null | undefined;
    standing?: 0 | 1 | undefined;
    reach?: Reach | undefined;
    routine?: 0 | 1 | undefined;
    pinned?: 0 | 1 | undefined;
  };

export function observationLine(record: LinedObservation): Line {
  const { obs_type, title, subtitle, summary, standing, reach } = record;
  return {
    ...base("observation", record),
    isEverywhere: standing === 1 && reach === "everywhere",
    type: obs_type,
    title,
    detail: [subtitle, summary].find((text) => text && text !== title) ?? null,
    saidBy: record.said_by ?? null,
    marks: [
      ...(record.pinned === 1 ? ["pinned"] : []),
      ...(record.standing === 1 ? ["rule"] : isProposal(record) ? ["proposal"] : []),
      ...(record.status === "superseded" ? ["replaced"] : []),
      ...(record.status === "rejected" ? ["rejected"] : []),
      ...(record.routine === 1 ? ["routine"] : []),
    ],
  };
}

type LinedSummary = Pick<
  SessionSummary,
  "id" | "project" | "created_at_epoch" | "summary_text" | "request" | "learned" | "completed" | "next_steps"
> &
  Placed;

export function summaryLine(record: LinedSummary): Line {
  const { summary_text, request, learned, completed, next_steps } = record;
  return {
    ...base("summary", record),
    type: "summary",
    title: request || summary_text,
    detail: completed || learned || next_steps,
    saidBy: null,
    marks: [],
  };
}

type Hit = SearchAnswer["observations" | "sessions" | "prompts"][number];

/** The lines of a search in its order. */
export function searchLines(answer: SearchAnswer): Line[] {
  return oneList(answer).map(({ kind, found }) => hitLine(kind === "session" ? "summary" : kind, found));
}

/** The line of a search result in index form. */
function hitLine(kind: Kind, hit: Hit): Line {
  if (!("preview" in hit)) throw new TypeError("a search result in index form has a preview");
  const { title, preview } = hit;
  const detail = preview === title ? "" : preview;
  if ("obs_type" in hit) {
    const status = hit.status ?? "active";
    return observationLine({ ...hit, title, status, subtitle: null, summary: detail });
  }
  return { ...base(kind, hit), type: kind, title, detail: detail || null, saidBy: null, marks: [] };
}

interface Placed {
  branch?: string | null | undefined;
  merged?: boolean | undefined;
}

/** The branch of a record that is not merged where its project is. */
export function unmergedBranch({ branch, merged }: Placed): string | undefined {
  return merged === false && branch ? branch : undefined;
}

interface LinedPrompt extends Placed {
  id: number;
  project: string;
  created_at_epoch: number;
  prompt_text: string;
}

export function promptLine(record: LinedPrompt): Line {
  return {
    ...base("prompt", record),
    type: "prompt",
    title: record.prompt_text,
    detail: null,
    saidBy: null,
    marks: [],
  };
}

function base(kind: Kind, record: Omit<LinedPrompt, "prompt_text">) {
  const { id, project, created_at_epoch: at } = record;
  return { key: lineKey(kind, id), kind, id, project, at, branch: unmergedBranch(record) };
}
