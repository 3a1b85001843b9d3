// The reducer: an event and the state before give the state after and the effects to run. Pure.
import { pressed } from "./key-commands.ts";
import { receiveLive } from "./live-changes.ts";
import { withTyped } from "./search-field.ts";
import { only, type ProgramEvent, type State, type Step } from "./state.ts";
import { mapViews, moveTo, receivePage, reloaded, shownView, withPreviewAgain, withReads } from "./views.ts";

/** What an event does. */
export function update(state: State, event: ProgramEvent): Step {
  const { state: next, effects } = taken(state, event);
  const isTyped = next.mode.is === "typing" && (event.is === "key" || event.is === "pasted");
  // A list that grew, shrank or was hidden meanwhile still shows its selection.
  return withReads({ state: moveTo(next, shownView(next).selected), effects }, isTyped);
}

function taken(state: State, event: ProgramEvent): Step {
  switch (event.is) {
    case "key":
      return pressed(state, event.key);
    case "pasted":
      return only(state.mode.is === "typing" ? withTyped(state, event.text) : state);
    case "resized":
      return only({ ...state, size: event.size });
    case "tick":
      return only({ ...state, nowEpochMs: event.nowEpochMs });
    case "page":
    case "page failed":
      return only(receivePage(state, event));
    case "preview":
      return only(withPreview(state, event));
    case "figures":
      return only({ ...state, figures: event.figures });
    case "choices":
      return only({ ...state, projects: event.projects, types: typesAround(state, event.types) });
    case "live":
      return only(receiveLive(state, event.event));
    case "connection":
      return only(connected(state, event));
    case "done":
      return only({ ...state, said: event.said });
    case "refused":
      return only({ ...state, said: { text: inWords(event.fault), tone: "bad", undo: null } });
    default:
      return event satisfies never;
  }
}

const mostPreviews = 40;

function withPreview(state: State, { key, preview }: Extract<ProgramEvent, { is: "preview" }>): State {
  const entries = [...state.previews].filter(([each]) => each !== key);
  const previews = new Map([...entries.slice(1 - mostPreviews), [key, preview] as const]);
  return { ...state, previews };
}

// A list or preview that failed is read again as soon as the worker is back, and every list after a gap of the stream.
function connected(state: State, event: Extract<ProgramEvent, { is: "connection" }>): State {
  const { connection, hasGap } = event;
  const changed = { ...state, connection };
  if (connection !== "live") return changed;
  return mapViews(withPreviewAgain(changed), (view) =>
    view.fault !== null || (hasGap && view.rows.isRead) ? reloaded(view) : view,
  );
}

// Records may be of another mode than the active one.
function typesAround(state: State, ofMode: readonly string[]): readonly string[] {
  const { pages } = shownView(state).rows;
  const rows = pages.flatMap(({ rows }) => rows ?? []);
  const seen = rows.flatMap(({ kind, type }) => (kind === "observation" ? [type] : []));
  return [...new Set([...ofMode, ...seen])];
}

function inWords({ message, hint }: { message: string; hint: string }): string {
  return hint === "" ? message : `${message} ${hint}`;
}
