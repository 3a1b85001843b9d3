// What the live stream changes in the lists: records that come, change and go.
import type { StreamEvent } from "../../core/records/events.ts";
import { isProposal } from "../../core/records/statement.ts";
import { mapRows, rowAt, withNewest } from "./row-window.ts";
import { eventRow, type Row, rowKey } from "./rows.ts";
import type { Source, State, View } from "./state.ts";
import { mapViews, reloaded } from "./views.ts";

/** The state after an event of the stream. */
export function receiveLive(state: State, event: StreamEvent): State {
  switch (event.type) {
    case "processing_status":
    case "initial_load":
      return mapViews(
        { ...state, queued: event.queueDepth },
        staleWhere(({ is }) => is === "queue"),
      );
    case "session_started":
    case "session_completed":
      return mapViews(
        state,
        staleWhere(({ is }) => is === "sessions"),
      );
    case "record_deleted":
      return event.kind === "session"
        ? mapViews(state, staleWhere(hasRecords))
        : mapViews(without(state, rowKey(event.kind, event.id)), staleWhere(isTrash));
    case "record_restored":
      return mapViews(state, staleWhere(hasRecords));
    default:
      return withRecord(state, event);
  }
}

function staleWhere(concerns: (source: Source) => boolean): (view: View) => View {
  return (view) => (view.rows.isRead && concerns(view.source) ? reloaded(view) : view);
}

const hasRecords = ({ is }: Source) => is !== "queue";
const isTrash = ({ is }: Source) => is === "trash";

function without(state: State, key: string): State {
  return mapViews(forgotten(state, key), (view) => ({
    ...view,
    rows: mapRows(view.rows, (row) => (row.key === key ? null : row)),
  }));
}

function withRecord(state: State, event: StreamEvent): State {
  const row = eventRow(event);
  if (row === undefined) return state;
  const isNew = event.type.endsWith("_created") || event.type === "new_prompt";
  const rules = "observation" in event && (event.observation.standing === 1 || isProposal(event.observation));
  const changed = mapViews(forgotten(state, row.key), (view) => {
    if (rules && view.source.is === "rules" && view.rows.isRead) return reloaded(view);
    if (isNew && view.source.is === "feed") return inserted(view, row);
    // An edit has an entry there.
    if (!isNew && isTrash(view.source) && view.rows.isRead) return reloaded(view);
    const rows = mapRows(view.rows, (each) =>
      each.key === row.key ? replacing(each, row, view.source) : each,
    );
    return rows === view.rows ? view : { ...view, rows };
  });
  return changed;
}

// A rejected record leaves the feed, as in the viewer.
function replacing(before: Row, row: Row, source: Source): Row | null {
  if (source.is === "feed" && row.status === "rejected") return null;
  if (source.is === "rules") return before;
  return before.isAnchor === true ? { ...row, isAnchor: true } : row;
}

function inserted(view: View, row: Row): View {
  if (view.source.is !== "feed" || (view.source.project !== null && view.source.project !== row.project))
    return view;
  if (!view.rows.isRead || rowAt(view.rows, 0)?.key === row.key) return view;
  const isAtTop = view.selected === 0;
  const rows = withNewest(view.rows, row, { isAtTop });
  if (rows === view.rows) return view;
  if (isAtTop) return { ...view, rows };
  return { ...view, rows, selected: view.selected + 1, top: view.top + 1, unseen: view.unseen + 1 };
}

function forgotten(state: State, key: string): State {
  if (!state.previews.has(key) && state.previewAsked !== key) return state;
  const previews = new Map(state.previews);
  previews.delete(key);
  return { ...state, previews, previewAsked: state.previewAsked === key ? null : state.previewAsked };
}
