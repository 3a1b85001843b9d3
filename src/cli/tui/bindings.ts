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
  | "accept"
  | "drop"
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
const hasProposal = (state: State) => {
  const { status, marks } = selectedRow(state) ?? {};
  return hasObservation(state) && status === "active" && marks?.includes("proposal") === true;
};
const hasFilters = (state: State) =>
  !state.feedOnly && ["search", "feed", "sessions", "rules", "trash"].includes(shownView(state).source.is);
const isQueue = (state: State) => shownView(state).source.is === "queue";
const isTypable = (state: State) => isAll(state) || isPicking(state);
const isFailed = (state: State) => isQueue(state) && selectedRow(state)?.type === "failed";
const isTrashed = (state: State) => selectedRow(state)?.kind === "trash";

/** The part of the help that is there only with a proposal. */
export const proposal = "Proposal";

/** Makes the bindings of one key that work in one place. */
const where =
  (when: (state: State) => boolean, part?: string) =>
  (key: string, command: Command, what: string, short: string): Binding => ({
    ...{ keys: [key], command, what, short, when },
    ...(part === undefined ? {} : { part }),
  });
const onProposal = where(hasProposal, proposal);
const onObservation = where(hasObservation, "Observations");
const whileChoosing = where(isPicking, "Choosing a replacement");
const inTrash = where(isTrashed, tabTitles.trash);

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
  whileChoosing("enter", "open", "Replace it by this one", "replace"),
  whileChoosing("ctrl-n", "write", "Write the new text in $EDITOR instead", "write it"),
  onProposal("a", "accept", "Make the proposal a rule, which agents get", "accept"),
  onProposal("d", "drop", "Drop the proposal", "drop"),
  { keys: ["esc", "h", "left", "backspace"], command: "back", what: "Back" },
  { keys: ["/"], command: "search", what: "Type words to search", short: "search", when: isTypable },
  where(hasFilters)("f", "filters", "Filter by project, kind, type and time", "filter"),
  where(hasRecord)("t", "timeline", "Timeline around the record", "timeline"),
  onObservation("p", "pin", "Pin or unpin the observation", "pin"),
  onObservation("R", "reject", "Reject the observation, or take that back", "reject"),
  onObservation("s", "replace", "Replace it by another that you choose, or take that back", "replace"),
  onObservation("e", "edit", "Edit the observation in $EDITOR", "edit"),
  where(isFailed, tabTitles.queue)("R", "retry one", "Retry the failed message", "retry"),
  where(isQueue, tabTitles.queue)("a", "retry", "Retry all failed messages", "retry all"),
  inTrash("R", "restore", "Restore the record, or the text from before the edit", "restore"),
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
  where(isAll)("tab", "next screen", "Next screen; 1 to 6 open one", "next screen"),
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
