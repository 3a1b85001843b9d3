// Records as one line of a list, from every shape that the API and the stream have for them.
import type {
  FeedAnswer,
  RulesAnswer,
  SearchAnswer,
  SessionRecords,
  TimelineAnswer,
  TrashPage,
} from "../../client/worker-client.ts";
import type { StreamEvent } from "../../core/records/events.ts";
import { oneList } from "../../core/records/found-list.ts";
import type { QueuedMessage } from "../../core/records/queue.ts";
import { recordName } from "../../core/records/record-name.ts";
import type { Observation, Session } from "../../core/records/records.ts";
import { counted } from "../../text/quantities.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { branchMarks, type Placed, speakerMarks, statusMarks } from "../record-marks.ts";

/** Kinds of records, as the viewer calls them. */
export type RecordKind = "observation" | "summary" | "prompt";

/** What a line of a list shows. Its texts are safe for a terminal. */
export interface Row {
  /** Unique among all kinds. */
  key: string;
  kind: RecordKind | "session" | "message" | "trash";
  id: number;
  /** As commands take it: `12`, `S12`, `P12`. */
  name: string;
  at: number;
  /** Type of an observation, else the kind. */
  type: string;
  title: string;
  project: string;
  marks: readonly string[];
  isPinned: boolean;
  /** Review status of an observation. */
  status: Observation["status"];
  /** True for the record that a timeline is about. */
  isAnchor?: boolean;
}

/** The hits of a search as one list, best first. */
export function searchRows(answer: SearchAnswer): Row[] {
  return oneList(answer).map(({ kind, found }) => {
    if (!("preview" in found)) throw new TypeError("a search result in index form has a preview");
    if (kind === "observation") return observationRow(found);
    return plainRow(kind === "session" ? "summary" : "prompt", found);
  });
}

type TimelineItem = TimelineAnswer[number];

/** A record of the feed or of a timeline. */
export function itemRow(item: TimelineItem | FeedAnswer["items"][number]): Row {
  const anchor = item.anchor === true ? { isAnchor: true } : {};
  switch (item.type) {
    case "observation":
      return { ...observationRow(item), ...anchor };
    case "session":
      return { ...plainRow("summary", { ...item, title: item.request || item.summary_text }), ...anchor };
    case "prompt":
      return { ...plainRow("prompt", { ...item, title: item.prompt_text }), ...anchor };
    default:
      return item satisfies never;
  }
}

/** A record of a session. */
export function sessionRecordRow(item: SessionRecords["items"][number]): Row {
  switch (item.kind) {
    case "observation":
      return observationRow(item.record);
    case "summary":
      return plainRow("summary", { ...item.record, title: item.record.request || item.record.summary_text });
    case "prompt":
      return plainRow("prompt", { ...item.record, title: item.record.prompt_text });
    default:
      return item satisfies never;
  }
}

/** The row of an event that created or changed a record; undefined for other events. */
export function eventRow(event: StreamEvent): Row | undefined {
  switch (event.type) {
    case "observation_created":
    case "observation_changed":
      return observationRow(event.observation);
    case "summary_created":
    case "summary_changed": {
      const { summary } = event;
      return plainRow("summary", { ...summary, title: summary.request || summary.summary_text });
    }
    case "new_prompt":
    case "prompt_changed":
      return plainRow("prompt", { ...event, title: event.prompt_text });
    default:
      return undefined;
  }
}

export function rowKey(kind: Row["kind"], id: number): string {
  return `${kind} ${id}`;
}

/** A rule or proposal is an observation, shown with where it applies. */
export function ruleRow(rule: RulesAnswer["rules"][number]): Row {
  const { id, text, project, reach, created_at_epoch, times_said, status, proposed } = rule;
  return {
    ...observationRow({ id, project, created_at_epoch, title: text, obs_type: "rule", status }),
    project: reach === "everywhere" ? "all projects" : terminalLine(project),
    marks: [...(proposed ? ["proposal"] : []), ...(times_said > 1 ? [`said ${times_said} times`] : [])],
  };
}

export function sessionRow(session: Session): Row {
  const { id, project, host, status, prompt_count, last_active_at_epoch, claude_session_id } = session;
  const title = session.title || session.user_prompt || `Session ${claude_session_id}`;
  return {
    ...common("session", id, { project, created_at_epoch: last_active_at_epoch, title }),
    name: String(id),
    type: status === "active" ? "active" : "ended",
    marks: [terminalLine(host), ...(prompt_count === 0 ? [] : [counted(prompt_count, "prompt")])],
  };
}

export function messageRow(message: QueuedMessage): Row {
  const { id, project, kind, tool_name, status, created_at_epoch, last_error } = message;
  const what = kind === "summarize" ? "Summary" : (tool_name ?? "Tool use");
  return {
    ...common("message", id, {
      project,
      created_at_epoch,
      title: last_error === null ? what : `${what}: ${last_error}`,
    }),
    name: String(id),
    type: { dead: "failed", processing: "running", pending: "waiting" }[status],
  };
}

/** An entry of the trash; its number is the one that restores it. */
export function trashRow(entry: TrashPage["items"][number], nowEpochMs: number): Row {
  const { trash_id, kind, action, at_epoch, undo_until_epoch, forget, title, project } = entry;
  const days = Math.max(0, Math.ceil((undo_until_epoch - nowEpochMs) / dayMs));
  return {
    ...common("trash", trash_id, { project, created_at_epoch: at_epoch, title }),
    name: String(trash_id),
    type: forget !== undefined ? "forget" : action === "edited" ? "edit" : kind,
    marks: [days === 0 ? "last day" : `${counted(days, "day")} left`],
  };
}

interface LinedObservation extends Placed {
  id: number;
  project: string;
  created_at_epoch: number;
  obs_type: string;
  title: string;
  status?: Observation["status"] | undefined;
  superseded_by?: number | null | undefined;
  pinned?: 0 | 1;
  said_by?: Observation["said_by"] | undefined;
  statement_kind?: Observation["statement_kind"] | undefined;
  standing?: 0 | 1 | undefined;
  routine?: 0 | 1 | undefined;
}

/** An observation in any of the shapes that answers have. */
export function observationRow(record: LinedObservation): Row {
  return {
    ...common("observation", record.id, record),
    type: terminalLine(record.obs_type),
    marks: [
      ...speakerMarks(record),
      ...statusMarks({ ...record, ...(record.pinned !== undefined && { pinned: record.pinned }) }),
      ...branchMarks(record).map(terminalLine),
      ...(record.routine === 1 ? ["routine"] : []),
    ],
    isPinned: record.pinned === 1,
    status: record.status ?? "active",
  };
}

function plainRow(
  kind: "summary" | "prompt",
  record: Parameters<typeof common>[2] & Placed & { id: number },
): Row {
  return { ...common(kind, record.id, record), marks: branchMarks(record).map(terminalLine) };
}

function common(
  kind: Row["kind"],
  id: number,
  { project, created_at_epoch, title }: { project: string; created_at_epoch: number; title: string },
): Row {
  const named = kind === "summary" ? "session" : kind === "prompt" ? "prompt" : "observation";
  return {
    key: rowKey(kind, id),
    kind,
    id,
    name: recordName({ kind: named, id }),
    at: created_at_epoch,
    type: kind,
    // A prompt may be a pasted log: no screen shows more of its first line.
    title: terminalLine(title.slice(0, longestTitle)),
    project: terminalLine(project),
    marks: [],
    isPinned: false,
    status: "active",
  };
}

const longestTitle = 1_000;
const dayMs = 24 * 60 * 60 * 1_000;
