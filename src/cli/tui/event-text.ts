// An event of the live stream as one plain line: time, what happened, the record and its project.
import type { StreamEvent } from "../../core/records/events.ts";
import { recordName } from "../../core/records/record-name.ts";
import { padToWidth, terminalLine } from "../../text/terminal-text.ts";
import { clockTime } from "../words.ts";
import { eventRow, type Row } from "./rows.ts";

/** The line of an event; null for events that only say how the queue is. */
export function eventText(event: StreamEvent, nowEpochMs: number): string | null {
  const told = eventWords(event);
  if (told === null) return null;
  const [what, name, type, text] = told;
  const cells = [clockTime(nowEpochMs), padToWidth(what, 8), padToWidth(name, 6), padToWidth(type, 10), text];
  return cells.join("  ").trimEnd();
}

type Words = readonly [what: string, name: string, type: string, text: string];

function eventWords(event: StreamEvent): Words | null {
  switch (event.type) {
    case "observation_created":
    case "summary_created":
    case "new_prompt":
      return recordWords("new", eventRow(event));
    case "observation_changed":
    case "summary_changed":
    case "prompt_changed":
      return recordWords("changed", eventRow(event));
    case "record_deleted":
    case "record_restored": {
      const { kind, id, project } = event;
      const name =
        kind === "session" ? String(id) : recordName({ kind: kind === "summary" ? "session" : kind, id });
      return [
        event.type === "record_deleted" ? "deleted" : "restored",
        name,
        kind,
        `(${terminalLine(project)})`,
      ];
    }
    case "session_started":
    case "session_completed": {
      const what = event.type === "session_started" ? "started" : "ended";
      return [what, String(event.sessionDbId), "session", `(${terminalLine(event.project)})`];
    }
    default:
      return null;
  }
}

function recordWords(what: string, row: Row | undefined): Words | null {
  if (row === undefined) return null;
  return [what, row.name, row.type, `${row.title}  (${[row.project, ...row.marks].join(" · ")})`];
}
