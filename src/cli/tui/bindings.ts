// The keys of the program: one row per command, for the keyboard and for the help.
import { type State, tabs, tabTitles } from "./state.ts";
import { selectedRow, shownView } from "./views.ts";

export type Command =
  | "down"
  | "up"
  | "half down"
  | "half up"
  | "page down"
  | "page up"
  | "top"
  | "bottom"
  | "open"
  | "back"
  | "search"
  | "filters"
  | "timeline"
  | "next screen"
  | "screen before"
  | "help"
  | "reload"
  | "pin"
  | "reject"
  | "replace"
  | "edit"
  | "delete"
  | "retry"
  | "retry one"
  | "restore"
  | "write"
  | "undo"
  | "suspend"
  | "quit";

export interface Binding {
  keys: readonly string[];
  command: Command;
  /** In the help. */
  what: string;
  /** Heading in the help; default: keys of every list. */
  part?: string;
  /** At the bottom of the screen; without it only in the help. */
  short?: string;
  /** Where it works; default: everywhere. */
  when?(state: State): boolean;
}

const isAll = ({ feedOnly }: State) => !feedOnly;
const isPicking = (state: State) => shownView(state).source.is === "replacement";
const isBrowsing = (state: State) => !isPicking(state);
const hasRecord = (state: State) =>
  isBrowsing(state) && ["observation", "summary", "prompt"].includes(selectedRow(state)?.kind ?? "");
const hasObservation = (state: State) => isBrowsing(state) && selectedRow(state)?.kind === "observation";
const hasFilters = (state: State) =>
  !state.feedOnly && ["search", "feed", "sessions", "rules", "trash"].includes(shownView(state).source.is);
const isQueue = (state: State) => shownView(state).source.is === "queue";
const isTypable = (state: State) => isAll(state) || isPicking(state);
const isFailed = (state: State) => isQueue(state) && selectedRow(state)?.type === "failed";
const isTrashed = (state: State) => selectedRow(state)?.kind === "trash";

const observations = "Observations";
const choosing = "Choosing a replacement";

/** In the order of the help, part by part. */
export const bindings: readonly Binding[] = [
  { keys: ["j", "down"], command: "down", what: "Next row", short: "move" },
  { keys: ["k", "up"], command: "up", what: "Row before" },
  { keys: ["ctrl-d"], command: "half down", what: "Half a screen down" },
  { keys: ["ctrl-u"], command: "half up", what: "Half a screen up" },
  { keys: ["pagedown", "ctrl-f"], command: "page down", what: "A screen down" },
  { keys: ["pageup", "ctrl-b"], command: "page up", what: "A screen up" },
  { keys: ["g", "home"], command: "top", what: "First row" },
  { keys: ["G", "end"], command: "bottom", what: "Last row that is read" },
  {
    keys: ["enter", "l", "right"],
    command: "open",
    what: "Read the record, or open the session",
    short: "open",
    when: (state) => isBrowsing(state) && selectedRow(state) !== undefined,
  },
  {
    keys: ["enter"],
    command: "open",
    what: "Replace it by this one",
    part: choosing,
    short: "replace",
    when: isPicking,
  },
  {
    keys: ["ctrl-n"],
    command: "write",
    what: "Write the new text in $EDITOR instead",
    part: choosing,
    short: "write it",
    when: isPicking,
  },
  { keys: ["esc", "h", "left", "backspace"], command: "back", what: "Back" },
  { keys: ["/"], command: "search", what: "Type words to search", short: "search", when: isTypable },
  {
    keys: ["f"],
    command: "filters",
    what: "Filter by project, kind, type and time",
    short: "filter",
    when: hasFilters,
  },
  {
    keys: ["t"],
    command: "timeline",
    what: "Timeline around the record",
    short: "timeline",
    when: hasRecord,
  },
  {
    keys: ["p"],
    command: "pin",
    what: "Pin or unpin the observation",
    part: observations,
    short: "pin",
    when: hasObservation,
  },
  {
    keys: ["R"],
    command: "reject",
    what: "Reject the observation, or take that back",
    part: observations,
    short: "reject",
    when: hasObservation,
  },
  {
    keys: ["s"],
    command: "replace",
    what: "Replace it by another that you choose, or take that back",
    part: observations,
    short: "replace",
    when: hasObservation,
  },
  {
    keys: ["e"],
    command: "edit",
    what: "Edit the observation in $EDITOR",
    part: observations,
    short: "edit",
    when: hasObservation,
  },
  {
    keys: ["R"],
    command: "retry one",
    what: "Retry the failed message",
    part: tabTitles.queue,
    short: "retry",
    when: isFailed,
  },
  {
    keys: ["a"],
    command: "retry",
    what: "Retry all failed messages",
    part: tabTitles.queue,
    short: "retry all",
    when: isQueue,
  },
  {
    keys: ["R"],
    command: "restore",
    what: "Restore the record, or the text from before the edit",
    part: tabTitles.trash,
    short: "restore",
    when: isTrashed,
  },
  {
    keys: ["x", "delete"],
    command: "delete",
    what: "Delete the record into the trash; drop a message",
    short: "delete",
    when: (state) => isBrowsing(state) && !isTrashed(state) && selectedRow(state) !== undefined,
  },
  {
    keys: ["u"],
    command: "undo",
    what: "Undo the last change",
    when: ({ said }) => (said?.undo ?? null) !== null,
  },
  {
    keys: ["tab"],
    command: "next screen",
    what: "Next screen; 1 to 6 open one",
    short: "next screen",
    when: isAll,
  },
  { keys: ["shift-tab"], command: "screen before", what: "Screen before", when: isAll },
  { keys: ["r"], command: "reload", what: "Read the list again" },
  { keys: ["?"], command: "help", what: "This help", short: "help" },
  { keys: ["ctrl-z"], command: "suspend", what: "Suspend; `fg` comes back" },
  { keys: ["q", "ctrl-c"], command: "quit", what: "Quit", short: "quit" },
];

/** The command of a key; undefined where it does nothing. */
export function commandOf(state: State, key: string): Command | undefined {
  return bindings.find(({ keys, when }) => keys.includes(key) && when?.(state) !== false)?.command;
}

/** The screen of a digit. */
export function tabOfKey({ feedOnly }: State, key: string): (typeof tabs)[number] | undefined {
  return feedOnly || !/^[1-9]$/.test(key) ? undefined : tabs[Number(key) - 1];
}

/** Names of keys for people. */
export function keyName(key: string): string {
  const names: Readonly<Record<string, string>> = {
    down: "↓",
    up: "↑",
    left: "←",
    right: "→",
    enter: "Enter",
    esc: "Esc",
    tab: "Tab",
    "shift-tab": "Shift-Tab",
    backspace: "Backspace",
    delete: "Del",
    home: "Home",
    end: "End",
    pagedown: "PgDn",
    pageup: "PgUp",
  };
  return names[key] ?? key.replace(/^ctrl-(.)$/, (_all, letter: string) => `Ctrl-${letter.toUpperCase()}`);
}

/** `Search, Feed, …` for the help. */
export const screensInWords = tabs.map((tab, at) => `${at + 1} ${tabTitles[tab]}`).join(", ");
