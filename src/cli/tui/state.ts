// State of the interactive program: its screens, what they have read, and what the user is doing.
import type { StreamEvent } from "../../core/records/events.ts";
import type { Size } from "./layout.ts";
import { emptyWindow, type Fault, type Place, type RowWindow } from "./row-window.ts";
import type { RecordKind, Row } from "./rows.ts";

/** The screens, in the order of the header. */
export const tabs = ["search", "feed", "sessions", "rules", "queue", "trash"] as const;
export type Tab = (typeof tabs)[number];

export const tabTitles: Readonly<Record<Tab, string>> = {
  search: "Search",
  feed: "Feed",
  sessions: "Sessions",
  rules: "Rules",
  queue: "Queue",
  trash: "Trash",
};

/** Filters of a search; null is "all". */
export interface Filters {
  project: string | null;
  /** A kind of record: `observations`, `sessions` or `prompts`. */
  kind: string | null;
  /** A type of observation. */
  type: string | null;
  /** An age: `1d`, `7d`, `30d`. */
  since: string | null;
}

/** Where the rows of a list come from. */
export type Source =
  | { is: "search"; words: string; filters: Filters }
  | { is: "feed"; project: string | null }
  | { is: "sessions"; project: string | null }
  | { is: "session"; id: number; title: string }
  | { is: "rules"; project: string | null }
  | { is: "timeline"; anchor: { kind: RecordKind; id: number }; title: string }
  | { is: "queue" }
  | { is: "trash"; project: string | null }
  /** Observations that can replace the one of `row`. */
  | { is: "replacement"; row: Row; words: string; project: string | null };

/** A list on the screen. */
export interface View {
  id: number;
  source: Source;
  /** Counts reloads: an answer with an older ticket is stale. */
  ticket: number;
  rows: RowWindow;
  /** Position in the whole list. */
  selected: number;
  /** Position of the first visible row. */
  top: number;
  /** The page that is being read. */
  pending: "first" | "more" | null;
  /** True when it must be read again before it is shown. */
  isStale: boolean;
  /** Records that came in above the reader. */
  unseen: number;
  fault: Fault | null;
  /** What the answer says about itself, such as an unknown project. */
  notes: readonly string[];
}

/** Something that changes records, and the way back. */
export type Action =
  | { do: "pin"; id: number; pinned: boolean }
  | { do: "reject"; id: number }
  | { do: "accept"; id: number }
  | { do: "replace"; id: number; by: number }
  | { do: "activate"; id: number }
  | { do: "delete"; kind: RecordKind | "session"; id: number }
  | { do: "restore"; trashId: number; what: string }
  | { do: "retry"; ids: readonly number[] | null }
  | { do: "drop"; id: number };

/** Where keys go. */
export type Mode =
  | { is: "list" }
  | { is: "typing" }
  | { is: "reading"; scroll: number }
  | { is: "filters"; field: number }
  | { is: "confirming"; question: string; action: Action }
  /** `under` is shown again when the help closes. */
  | { is: "help"; scroll: number; under: Mode };

/** The last thing that happened, for the status line. It ends when another list is shown. */
export interface Said {
  text: string;
  tone: "good" | "bad" | "plain";
  undo: Action | null;
}

/** A record as the preview shows it: text that is safe for a terminal, not yet wrapped. */
export interface Preview {
  heading: string;
  tags: string;
  /** Paragraphs; a heading of a part ends with a colon. */
  body: readonly string[];
  facts: readonly (readonly [label: string, value: string])[];
}

/** Queue and spend as labeled values. */
export type Figures = readonly (readonly [label: string, value: string])[];

export interface State {
  size: Size;
  nowEpochMs: number;
  /** True for `mem watch`: the feed is the only screen. */
  feedOnly: boolean;
  tab: Tab;
  /** The lists of each screen: the last one is shown, Esc goes back to the one before. */
  stacks: Readonly<Record<Tab, readonly View[]>>;
  mode: Mode;
  filters: Filters;
  /** Places in the words that are typed. */
  cursor: number;
  projects: readonly string[];
  types: readonly string[];
  /** By the key of a row; the last 40 that were read, oldest first. */
  previews: ReadonlyMap<string, Preview | Fault>;
  /** Key of the row whose preview was last needed: it is being read, or it was. */
  previewAsked: string | null;
  figures: Figures;
  connection: "connecting" | "live" | "lost";
  /** Messages that wait; null until the worker says it. */
  queued: number | null;
  said: Said | null;
  /** Ids of views. */
  nextId: number;
}

/** What happens to the program. */
export type ProgramEvent =
  | { is: "key"; key: string }
  | { is: "pasted"; text: string }
  | { is: "resized"; size: Size }
  | { is: "tick"; nowEpochMs: number }
  | { is: "page"; view: number; ticket: number; index: number; place: Place | null; page: PageAnswer }
  | { is: "page failed"; view: number; ticket: number; fault: Fault }
  | { is: "preview"; key: string; preview: Preview | Fault }
  | { is: "figures"; figures: Figures }
  | { is: "choices"; projects: readonly string[]; types: readonly string[] }
  | { is: "live"; event: StreamEvent }
  | { is: "connection"; connection: State["connection"]; hasGap: boolean }
  | { is: "done"; said: Said }
  | { is: "refused"; fault: Fault };

export interface PageAnswer {
  rows: readonly Row[];
  next: Place | null;
  notes: readonly string[];
}

/** What the program does besides drawing; each answers with an event. */
export type Effect =
  | {
      do: "read";
      view: number;
      ticket: number;
      source: Source;
      index: number;
      place: Place | null;
      /** Milliseconds to wait for a later request that replaces this one. */
      afterMs: number;
    }
  | { do: "preview"; row: Row }
  | { do: "choices" }
  | { do: "act"; action: Action }
  | { do: "edit"; id: number }
  | { do: "suspend" }
  | { do: "redraw" }
  | { do: "quit" };

export interface Step {
  state: State;
  effects: readonly Effect[];
}

export function only(state: State, ...effects: Effect[]): Step {
  return { state, effects };
}

const noFilters: Filters = { project: null, kind: null, type: null, since: null };

/** The program as it starts: in the field of the search. */
export function initialState(
  given: Pick<State, "size" | "nowEpochMs" | "feedOnly"> & { project?: string },
): State {
  const { project = null, ...start } = given;
  const filters = { ...noFilters, project };
  const sources: Record<Tab, Source> = {
    search: { is: "search", words: "", filters },
    feed: { is: "feed", project },
    sessions: { is: "sessions", project },
    rules: { is: "rules", project },
    queue: { is: "queue" },
    trash: { is: "trash", project },
  };
  const stack = (tab: Tab): readonly View[] => [newView(tabs.indexOf(tab), sources[tab])];
  return {
    ...start,
    tab: start.feedOnly ? "feed" : "search",
    stacks: {
      search: stack("search"),
      feed: stack("feed"),
      sessions: stack("sessions"),
      rules: stack("rules"),
      queue: stack("queue"),
      trash: stack("trash"),
    },
    mode: { is: start.feedOnly ? "list" : "typing" },
    filters,
    cursor: 0,
    projects: [],
    types: [],
    previews: new Map(),
    previewAsked: null,
    figures: [],
    connection: "connecting",
    queued: null,
    said: null,
    nextId: tabs.length,
  };
}

/** A list that has read nothing yet. */
export function newView(id: number, source: Source): View {
  const empty = { rows: emptyWindow, selected: 0, top: 0, notes: [], fault: null };
  return { id, source, ticket: 0, ...empty, pending: null, isStale: false, unseen: 0 };
}
