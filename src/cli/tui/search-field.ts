// The field of a search: its words, its cursor, and the keys that lead out of it into the list.
import { terminalText } from "../../text/terminal-text.ts";
import { only, type Source, type State, type Step, tabs } from "./state.ts";
import { changeView, closeView, moveTo, shownView, showTab, visibleRows, withSource } from "./views.ts";

type Searched = Extract<Source, { words: string }>;

/** Whether a list is found by words. */
export function isSearched(source: Source): source is Searched {
  return source.is === "search" || source.is === "replacement";
}

/** Opens the field of the list that is shown, else of the search. */
export function inField(state: State): State {
  const shown = shownView(state).source.is === "replacement" ? state : onSearch(state);
  const { source } = shownView(shown);
  const words = isSearched(source) ? source.words : "";
  return { ...shown, mode: { is: "typing" }, cursor: [...words].length, said: null };
}

function onSearch(state: State): State {
  const stacks = { ...state.stacks, search: state.stacks.search.slice(0, 1) };
  return { ...state, tab: "search", stacks };
}

/** The state after a key in the field. */
export function fieldPressed(state: State, key: string): Step {
  const { source } = shownView(state);
  if (!isSearched(source)) return only({ ...state, mode: { is: "list" } });
  if (source.words === "" && key === "?")
    return only({ ...state, mode: { is: "help", scroll: 0, under: state.mode } });
  // The key that opens the field: pressed again, it is no letter of a search.
  if (source.words === "" && key === "/") return only(state);
  return only(afterLeaving(state, source, key) ?? afterEditing(state, source, key));
}

/** The state after a key that leaves the field; undefined for other keys. */
function afterLeaving(state: State, { is }: Searched, key: string): State | undefined {
  const list: State = { ...state, mode: { is: "list" } };
  const { selected } = shownView(state);
  switch (key) {
    case "enter":
      return list;
    case "esc":
      return is === "replacement" ? closeView(list) : list;
    case "tab":
      return is === "replacement" ? list : besideTab(state, 1);
    case "shift-tab":
      return is === "replacement" ? list : besideTab(state, -1);
    case "down":
      return moveTo(list, selected + 1);
    case "up":
      return moveTo(list, selected - 1);
    case "pagedown":
      return moveTo(list, selected + visibleRows(state));
    case "pageup":
      return moveTo(list, selected - visibleRows(state));
    default:
      return undefined;
  }
}

/** The screen beside the one that is shown. */
export function besideTab(state: State, step: 1 | -1): State {
  const at = (tabs.indexOf(state.tab) + step + tabs.length) % tabs.length;
  return showTab(state, tabs[at] ?? "search");
}

function afterEditing(state: State, { words }: Searched, key: string): State {
  const letters = [...words];
  const { cursor } = state;
  const without = (from: number, to: number) =>
    withWords(state, [...letters.slice(0, from), ...letters.slice(to)].join(""), from);
  switch (key) {
    case "left":
      return { ...state, cursor: Math.max(0, cursor - 1) };
    case "right":
      return { ...state, cursor: Math.min(letters.length, cursor + 1) };
    case "home":
    case "ctrl-a":
      return { ...state, cursor: 0 };
    case "end":
    case "ctrl-e":
      return { ...state, cursor: letters.length };
    case "backspace":
      return cursor === 0 ? state : without(cursor - 1, cursor);
    case "delete":
      return without(cursor, cursor + 1);
    case "ctrl-u":
      return without(0, cursor);
    case "ctrl-k":
      return without(cursor, letters.length);
    case "ctrl-w":
      return without(wordStart(letters, cursor), cursor);
    default:
      return isPrintable(key) ? withTyped(state, key) : state;
  }
}

function wordStart(letters: readonly string[], cursor: number): number {
  let at = cursor;
  while (at > 0 && letters[at - 1] === " ") at -= 1;
  while (at > 0 && letters[at - 1] !== " ") at -= 1;
  return at;
}

// Names of keys have more than one letter.
function isPrintable(key: string): boolean {
  return [...key].length === 1 && key >= " ";
}

const longestWords = 1_000;
const longestPaste = 500;

/** The state with text typed or pasted at the cursor. */
export function withTyped(state: State, text: string): State {
  const { source } = shownView(state);
  if (!isSearched(source)) return state;
  const letters = [...source.words];
  const room = Math.max(0, Math.min(longestPaste, longestWords - letters.length));
  const typed = [...terminalText(text).replace(/\s+/g, " ")].slice(0, room);
  const { cursor } = state;
  const words = [...letters.slice(0, cursor), ...typed, ...letters.slice(cursor)].join("");
  return withWords(state, words, cursor + typed.length);
}

/** The state with other words to search for, and the cursor there. */
export function withWords(state: State, words: string, cursor: number): State {
  const view = shownView(state);
  const { source } = view;
  if (!isSearched(source) || source.words === words) return { ...state, cursor };
  return changeView({ ...state, cursor }, view.id, (one) => withSource(one, { ...source, words }));
}
