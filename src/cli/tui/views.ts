// The lists of the program: which one is shown, moving in it, opening and closing, pages that arrive.
import { isTooSmall, type Layout, layoutOf } from "./layout.ts";
import { droppedFar, emptyWindow, knownRows, missingPage, rowAt, withPage } from "./row-window.ts";
import type { Row } from "./rows.ts";
import {
  type Effect,
  type Filters,
  newView,
  type PageAnswer,
  type ProgramEvent,
  type Source,
  type State,
  type Step,
  type Tab,
  tabs,
  type View,
} from "./state.ts";

/** The list that is shown. */
export function shownView(state: State): View {
  const view = state.stacks[state.tab].at(-1);
  if (view === undefined) throw new TypeError("a screen has at least one list");
  return view;
}

/** The row that keys act on; undefined in an empty list and while its page is read. */
export function selectedRow(state: State): Row | undefined {
  const { rows, selected } = shownView(state);
  return rowAt(rows, selected);
}

/** The state with every list changed by `change`. */
export function mapViews(state: State, change: (view: View) => View): State {
  const stacks = Object.fromEntries(tabs.map((tab) => [tab, state.stacks[tab].map(change)]));
  return { ...state, stacks: { ...state.stacks, ...stacks } };
}

export function changeView(state: State, id: number, change: (view: View) => View): State {
  return mapViews(state, (view) => (view.id === id ? change(view) : view));
}

/** Rows of the list that the terminal shows. */
export function visibleRows(state: State): number {
  return Math.max(1, listLayout(state).list.rows);
}

/** The layout for the list that is shown. An empty list has the room of its preview. */
export function listLayout(state: State): Layout {
  const { rows } = shownView(state);
  return layoutOf(state.size, { above: rowsAbove(state), hasPreview: knownRows(rows) > 0 });
}

/** Rows between the field and the list: filters, figures of the queue, and notes of an answer. */
function rowsAbove(state: State): number {
  const { source, notes } = shownView(state);
  const filters = state.mode.is === "filters" ? filterNames(source).length + 2 : 0;
  const figures = source.is === "queue" && state.figures.length > 0 ? state.figures.length + 1 : 0;
  return filters + figures + Math.min(mostNotes, notes.length);
}

/** The filters that count for a list. */
export function filterNames({ is }: Source): readonly (keyof Filters)[] {
  return is === "search" ? ["project", "kind", "type", "since"] : ["project"];
}

export const mostNotes = 2;

/** Moves the selection to a place, as far as the list goes. */
export function moveTo(state: State, at: number): State {
  const height = visibleRows(state);
  const view = shownView(state);
  const moved = placed(view, at, height);
  const isThere = moved.selected === view.selected && moved.top === view.top && moved.unseen === view.unseen;
  return isThere ? state : changeView(state, view.id, () => moved);
}

function placed(view: View, at: number, height: number): View {
  const selected = Math.max(0, Math.min(at, knownRows(view.rows) - 1));
  const top = Math.max(0, Math.min(view.top, selected, Math.max(0, knownRows(view.rows) - height)));
  return {
    ...view,
    selected,
    top: selected >= top + height ? selected - height + 1 : top,
    unseen: selected === 0 ? 0 : view.unseen,
  };
}

/** Opens a list above the one that is shown. */
export function openView(state: State, source: Source): State {
  const view = newView(state.nextId, source);
  const stack = [...state.stacks[state.tab], view];
  return { ...state, nextId: state.nextId + 1, said: null, stacks: { ...state.stacks, [state.tab]: stack } };
}

/** Goes back to the list before; the state as it is on the first one. */
export function closeView(state: State): State {
  const stack = state.stacks[state.tab];
  if (stack.length < 2) return state;
  return { ...state, said: null, stacks: { ...state.stacks, [state.tab]: stack.slice(0, -1) } };
}

export function showTab(state: State, tab: Tab): State {
  return { ...state, tab, said: null, mode: { is: "list" } };
}

/** Replaces the source of a list, which is read again from its beginning. */
export function withSource(view: View, source: Source): View {
  return { ...reloaded(view), source, selected: 0, top: 0, unseen: 0 };
}

/** The list, to be read again; its rows stay until the answer is there. */
export function reloaded(view: View): View {
  return { ...view, ticket: view.ticket + 1, pending: null, isStale: true, fault: null };
}

type PageEvent = Extract<ProgramEvent, { is: "page" | "page failed" }>;

/** Takes a page in; a stale one is dropped. */
export function receivePage(state: State, event: PageEvent): State {
  return changeView(state, event.view, (view) => {
    if (event.ticket !== view.ticket) return view;
    if (event.is === "page failed") return { ...view, pending: null, fault: event.fault };
    const { index, place, page } = event;
    if (view.pending !== "first") {
      const rows = droppedFar(withPage(view.rows, index, { place, ...page }), view.selected);
      return { ...view, rows, pending: null };
    }
    return { ...firstPage(view, page), selected: placeOf(view, page) };
  });
}

function firstPage(view: View, page: PageAnswer): View {
  const rows = withPage(emptyWindow, 0, { place: null, ...page });
  return { ...view, rows, notes: page.notes, pending: null, fault: null };
}

// A list that is read again keeps its record under the cursor; a timeline begins at its anchor.
function placeOf(view: View, { rows }: PageAnswer): number {
  if (view.source.is === "timeline" && !view.rows.isRead) {
    return Math.max(
      0,
      rows.findIndex(({ isAnchor }) => isAnchor === true),
    );
  }
  const key = view.selected === 0 ? undefined : rowAt(view.rows, view.selected)?.key;
  const at = rows.findIndex((row) => row.key === key);
  return at < 0 ? view.selected : at;
}

// A key more within this time replaces the search.
const typingPauseMs = 40;

/** Adds what the screen needs now: the page of the list and the preview that are missing. */
export function withReads({ state, effects }: Step, isTyped = false): Step {
  if (isTooSmall(state.size)) return { state, effects };
  const view = shownView(state);
  const read = readFor(view, visibleRows(state), isTyped);
  const reading =
    read === null
      ? state
      : changeView(state, view.id, (one) => ({
          ...one,
          pending: read.index === 0 && (one.isStale || !one.rows.isRead) ? "first" : "more",
          isStale: false,
        }));
  const row = selectedRow(reading);
  const all: Effect[] = [...effects, ...(read === null ? [] : [read])];
  if (row === undefined || reading.previewAsked === row.key) return { state: reading, effects: all };
  const asked = { ...reading, previewAsked: row.key };
  // One that failed is read again when its row is selected again.
  const isRead = reading.previews.has(row.key) && !hasFailed(reading, row.key);
  return { state: asked, effects: isRead ? all : [...all, { do: "preview", row }] };
}

/** The state in which the preview of the selected row is read again if it failed. */
export function withPreviewAgain(state: State): State {
  const { previewAsked: key } = state;
  return key !== null && hasFailed(state, key) ? { ...state, previewAsked: null } : state;
}

function hasFailed({ previews }: State, key: string): boolean {
  const known = previews.get(key);
  return known !== undefined && "message" in known;
}

function readFor(view: View, height: number, isTyped: boolean): Extract<Effect, { do: "read" }> | null {
  if (view.pending !== null || view.fault !== null) return null;
  const { id, ticket, source, rows, selected } = view;
  const missing = view.isStale ? { index: 0, place: null } : missingPage(rows, { at: selected, height });
  const afterMs = isTyped ? typingPauseMs : 0;
  return missing && { do: "read", view: id, ticket, source, ...missing, afterMs };
}
