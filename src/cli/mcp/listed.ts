// The one-line form of a record in lists.
import type { SearchAnswer, TimelineAnswer } from "../../client/worker-client.ts";
import { unmergedNote } from "../../context/branches.ts";
import { plainLine } from "../../context/quote.ts";
import { isoTime } from "../../core/clock.ts";
import { dayName } from "../../core/local-days.ts";
import { oneList } from "../../core/records/found-list.ts";
import { type RecordName, recordName } from "../../core/records/record-name.ts";
import type { Observation, Parsed, SessionSummary } from "../../core/records/records.ts";

/** The short form of a record. */
export interface Listed {
  /** 12 is an observation, S12 a session summary, P12 a prompt. */
  id: string;
  kind: "observation" | "session" | "prompt";
  /** Of an observation: bugfix, decision, ... */
  type?: string;
  title: string;
  /** ISO time in UTC; lines have the local day. */
  date: string;
  project: string;
  /** Its review, such as what replaced it, and its source. */
  note?: string;
}

/** The hits of a search in their order. */
export function listedHits(answer: SearchAnswer): Listed[] {
  return oneList(answer).map(({ kind, found }) => {
    if ("title" in found) return listedOf(kind, found, found.title);
    return listedOf(kind, found, "prompt_text" in found ? found.prompt_text : titleOf(found));
  });
}

export function listedItem(item: TimelineAnswer[number]): Listed & { anchor?: true } {
  const shown = listedOf(item.type, item, itemTitle(item));
  return item.anchor === true ? { ...shown, anchor: true } : shown;
}

/** Summaries and observations, newest first. */
export function listedRecent(recent: {
  summaries: Parsed<SessionSummary>[];
  observations: Parsed<Observation>[];
}): Listed[] {
  const all = [
    ...recent.summaries.map((one) => ({
      at: one.created_at_epoch,
      is: listedOf("session", one, titleOf(one)),
    })),
    ...recent.observations.map((one) => ({
      at: one.created_at_epoch,
      is: listedOf("observation", one, one.title),
    })),
  ];
  return all.sort((left, right) => right.at - left.at).map(({ is }) => is);
}

/** The line of a record. */
export function listedLine({ id, kind, type, title, date, project, note }: Listed): string {
  const mark = note === undefined ? "" : ` (${note})`;
  return `- ${id} ${dayName(Date.parse(date))} ${type ?? kind} in ${project}: ${title}${mark}`;
}

const maxTitleChars = 200;
const maxNameChars = 80;
// Titles from the web or another MCP server may hold instructions: they are cut short.
const maxOutsideChars = 60;

interface Listable {
  id: number;
  project: string;
  created_at_epoch: number;
  obs_type?: string;
  status?: Observation["status"] | undefined;
  superseded_by?: number | null | undefined;
  provenance?: Observation["provenance"] | undefined;
  branch?: string | null | undefined;
  merged?: boolean | undefined;
}

function listedOf(kind: RecordName["kind"], record: Listable, title: string): Listed {
  const { id, project, created_at_epoch, obs_type } = record;
  const { provenance, branch, merged } = record;
  const isOutside = provenance === "web" || provenance === "mcp";
  const place = merged === false && branch ? unmergedNote(branch) : undefined;
  const note = [noteOf(record), isOutside ? `from ${provenance}` : undefined, place]
    .filter((said) => said !== undefined)
    .join("; ");
  return {
    id: recordName({ kind, id }),
    kind,
    ...(obs_type === undefined ? {} : { type: plainLine(obs_type, maxNameChars) }),
    title: plainLine(title, isOutside ? maxOutsideChars : maxTitleChars) || "(untitled)",
    date: isoTime(created_at_epoch),
    project: plainLine(project, maxNameChars),
    ...(note === "" ? {} : { note }),
  };
}

/** The review of an observation; undefined while it is active. */
export function noteOf({
  status,
  superseded_by,
}: Pick<Listable, "status" | "superseded_by">): string | undefined {
  if (status === undefined || status === "active") return undefined;
  if (status === "rejected") return "rejected by the user: wrong";
  return superseded_by ? `superseded by ${superseded_by}` : "superseded";
}

type SummaryParts = Pick<SessionSummary, "request" | "completed" | "learned" | "summary_text">;

function titleOf({ request, completed, learned, summary_text }: SummaryParts): string {
  const parts = [request, completed || learned].filter((part) => part !== null && part !== "");
  return parts.length === 0 ? summary_text : parts.join(": ");
}

function itemTitle(item: TimelineAnswer[number]): string {
  switch (item.type) {
    case "observation":
      return item.title;
    case "session":
      return titleOf(item);
    case "prompt":
      return item.prompt_text;
    default:
      return item satisfies never;
  }
}
