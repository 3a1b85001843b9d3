// What a key does, by mode.
import { type Command, commandOf, tabOfKey } from "./bindings.ts";
import { filtersPressed } from "./filter-keys.ts";
import { overlayLines, overlayRows } from "./overlay-lines.ts";
import { knownRows } from "./row-window.ts";
import type { Row } from "./rows.ts";
import { besideTab, fieldPressed, inField, withWords } from "./search-field.ts";
import { type Action, type Mode, only, type Said, type State, type Step } from "./state.ts";
import {
  changeView,
  closeView,
  moveTo,
  openView,
  reloaded,
  selectedRow,
  shownView,
  showTab,
  visibleRows,
  withPreviewAgain,
} from "./views.ts";

/** The state after a key. */
export function pressed(state: State, key: string): Step {
  if (key === "ctrl-c") return { state, effects: [{ do: "quit" }] };
  if (key === "ctrl-l") return { state, effects: [{ do: "redraw" }] };
  if (key === "ctrl-z") return { state, effects: [{ do: "suspend" }] };
  // Also in its field.
  if (key === "ctrl-n" && shownView(state).source.is === "replacement") return written(state);
  const { mode } = state;
  switch (mode.is) {
    case "list":
      return listPressed(state, key);
    case "typing":
      return fieldPressed(state, key);
    case "reading":
    case "help":
      return overlayPressed(state, mode, key);
    case "filters":
      return filtersPressed(state, mode, key);
    case "confirming":
      return confirmPressed(state, mode, key);
    default:
      return mode satisfies never;
  }
}

function inMode(state: State, mode: Mode): State {
  return { ...state, mode };
}

function listPressed(state: State, key: string): Step {
  const tab = tabOfKey(state, key);
  if (tab !== undefined) return only(showTab(state, tab));
  const command = commandOf(state, key);
  return command === undefined ? only(state) : run(state, command);
}

/** Runs a command of a list. */
function run(state: State, command: Command): Step {
  const view = shownView(state);
  const moved = placeAfter(command, {
    at: view.selected,
    height: visibleRows(state),
    last: knownRows(view.rows) - 1,
  });
  if (moved !== null) return only(moveTo(state, moved));
  switch (command) {
    case "open":
      return opened(state, selectedRow(state));
    case "back":
      return only(back(state));
    case "search":
      return only(inField(state));
    case "filters":
      return only(inMode(state, { is: "filters", field: 0 }), { do: "choices" });
    case "next screen":
    case "screen before":
      return only(besideTab(state, command === "next screen" ? 1 : -1));
    case "help":
      return only(inMode(state, { is: "help", scroll: 0, under: state.mode }));
    case "reload":
      return only(changeView(withPreviewAgain(state), view.id, reloaded));
    case "quit":
      return only(state, { do: "quit" });
    default:
      return onRow(state, command, selectedRow(state));
  }
}

interface Position {
  at: number;
  height: number;
  last: number;
}

/** Where a movement leads, perhaps past an end; null for other commands. */
function placeAfter(command: Command | undefined, { at, height, last }: Position): number | null {
  const half = Math.ceil(height / 2);
  switch (command) {
    case "down":
      return at + 1;
    case "up":
      return at - 1;
    case "half down":
      return at + half;
    case "half up":
      return at - half;
    case "page down":
      return at + height;
    case "page up":
      return at - height;
    case "top":
      return 0;
    case "bottom":
      return last;
    default:
      return null;
  }
}

/** Runs a command that changes a record or is about it. */
function onRow(state: State, command: Command, row: Row | undefined): Step {
  if (command === "undo") return undone(state);
  if (command === "retry") return only(state, { do: "act", action: { do: "retry", ids: null } });
  if (row === undefined) return only(state);
  const { id, status, title } = row;
  const act = (action: Action) => only(state, { do: "act", action });
  switch (command) {
    case "timeline":
      return only(aroundOf(state, row));
    case "pin":
      return act({ do: "pin", id, pinned: !row.isPinned });
    case "accept":
      return act({ do: "accept", id });
    case "drop":
      return act({ do: "reject", id });
    case "reject":
      return act(status === "active" ? { do: "reject", id } : { do: "activate", id });
    case "replace":
      if (status !== "active") return act({ do: "activate", id });
      return only(picking(state, row));
    case "edit":
      return only(state, { do: "edit", id });
    case "retry one":
      return act({ do: "retry", ids: [id] });
    case "restore":
      return act({ do: "restore", trashId: id, what: `"${title}"` });
    case "delete":
      return only(inMode(state, deletion(row)));
    default:
      return only(state);
  }
}

function undone(state: State): Step {
  const undo = state.said?.undo ?? null;
  if (undo === null) return only(state);
  return only({ ...state, said: null }, { do: "act", action: undo });
}

function deletion({ kind, id }: Row): Mode {
  if (kind === "trash") return { is: "list" };
  if (kind === "message")
    return {
      is: "confirming",
      question: `Drop message ${id}? It will not be remembered.`,
      action: { do: "drop", id },
    };
  const what = kind === "session" ? `session ${id} with its records` : `${kind} ${id}`;
  return {
    is: "confirming",
    question: `Delete ${what}? The trash keeps it for 30 days.`,
    action: { do: "delete", kind, id },
  };
}

function aroundOf(state: State, row: Row): State {
  const { kind, id, title } = row;
  if (kind === "message" || kind === "session" || kind === "trash") return state;
  return openView(inMode(state, { is: "list" }), { is: "timeline", anchor: { kind, id }, title });
}

function opened(state: State, row: Row | undefined): Step {
  if (row === undefined) return only(state);
  const { source, pending, isStale } = shownView(state);
  // The rows may still belong to the words before.
  if (source.is === "replacement" && (pending === "first" || isStale)) return only(state);
  if (source.is === "replacement") return replaced(state, { id: source.row.id, by: row.id });
  if (row.kind !== "session") return only(inMode(state, { is: "reading", scroll: 0 }));
  return only(openView(state, { is: "session", id: row.id, title: row.title }));
}

/** Opens the list of observations that can replace the one of the row, in its field. */
function picking(state: State, row: Row): State {
  const { project } = state.filters;
  const opened = openView(inMode(state, { is: "list" }), { is: "replacement", row, words: "", project });
  return inField(opened);
}

function replaced(state: State, { id, by }: { id: number; by: number }): Step {
  return only(closeView(inMode(state, { is: "list" })), { do: "act", action: { do: "replace", id, by } });
}

/** Closes the list of replacements and opens the editor with the text of the observation. */
function written(state: State): Step {
  const { source } = shownView(state);
  if (source.is !== "replacement") return only(state);
  return only(closeView(inMode(state, { is: "list" })), { do: "edit", id: source.row.id });
}

// Back from a list on top, then to the newest row, then to a search without words.
function back(state: State): State {
  const closed = closeView(state);
  if (closed !== state) return closed;
  const { source } = shownView(state);
  return source.is === "search" && source.words !== "" ? withWords(state, "", 0) : moveTo(state, 0);
}

/** Keys while a record or the help covers the screen. */
function overlayPressed(state: State, mode: Extract<Mode, { is: "reading" | "help" }>, key: string): Step {
  const height = overlayRows(state);
  const last = Math.max(0, overlayLines(state, mode).length - height);
  const command = commandOf(state, key);
  const moved = placeAfter(command, { at: mode.scroll, height, last });
  if (moved !== null) return only(inMode(state, { ...mode, scroll: Math.max(0, Math.min(moved, last)) }));
  switch (command) {
    case "open":
    case "back":
    case "quit":
      return only(inMode(state, mode.is === "help" ? mode.under : { is: "list" }));
    case "help":
      return only(inMode(state, mode.is === "help" ? mode.under : { is: "help", scroll: 0, under: mode }));
    case undefined:
      return only(state);
    default:
      return mode.is === "help" ? only(state) : run(state, command);
  }
}

function confirmPressed(state: State, { action }: Extract<Mode, { is: "confirming" }>, key: string): Step {
  const list = inMode(state, { is: "list" });
  if (key === "y" || key === "Y") return only(list, { do: "act", action });
  if (!["n", "N", "esc", "q", "enter"].includes(key)) return only(state);
  const said: Said = { text: "Nothing was changed.", tone: "plain", undo: null };
  return only({ ...list, said });
}
