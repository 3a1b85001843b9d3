// What the context of a project consists of, chosen and made harmless, before it becomes text.
import { isoTime } from "../core/clock.ts";
import type { Observation, Parsed, SessionSummary } from "../core/records/records.ts";
import type { ChangedFile } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { expandedLines } from "./expanded.ts";
import { type LastSummary, lastSummaryOf } from "./last-summary.ts";
import { markedBy, marksOf, titleOf } from "./marks.ts";
import type { PassedOnSection } from "./passed-on.ts";
import { plainLine } from "./plain-line.ts";
import type { Repeated } from "./repeats.ts";
import { type ProjectFolders, shortPath } from "./short-path.ts";
import { readTokens } from "./tokens.ts";

/** Pinned by the user, or replaced by a newer one; most are neither. */
export type RowState = "pinned" | "active" | "superseded";

export interface ContextRow {
  id: number;
  title: string;
  /** What stands behind the title: how many it stands for, where it is from, whether it still holds. */
  marks: string;
  /** The marks say that a file of it changed. */
  isChanged: boolean;
  /** Ids of all the records it stands for; all else in the row is of the newest. */
  ids: readonly number[];
  state: RowState;
  type: string;
  /** Null when one project is shown only. */
  project: string | null;
  /** Date in UTC, `2026-11-20`. */
  day: string;
  /** The file it is about, as from the project's folder; null when it is about none. */
  file: string | null;
  readTokens: number;
  workTokens: number;
  /** The lines of an expanded record; null for one that stands in the table. */
  expanded: string[] | null;
}

/** Everything the renderers need; every text in it is one plain line. */
export interface ContextView {
  projects: string[];
  /** Pinned ones first, superseded ones last, each newest first. */
  rows: ContextRow[];
  /** What a colleague would pass on, before the records. */
  sections: readonly PassedOnSection[];
  lastSummary: LastSummary | null;
  lastMessage: string | null;
  /** What finds the rest, for example `mem search`: words to look for come behind it. */
  searchCommand: string;
  show: Pick<ContextSettings, "readTokens" | "workTokens" | "savings">;
}

interface Chosen {
  projects: readonly string[];
  searchCommand: string;
  sections: readonly PassedOnSection[];
  observations: readonly Repeated<Parsed<Observation>>[];
  foldersOf(project: string): ProjectFolders;
  /** By id, the files that differ now from what they were then. */
  changed: ReadonlyMap<number, readonly ChangedFile[]>;
  lastSummary: SessionSummary | undefined;
  /** The user rejected an observation that the summary may lean on. */
  isSummaryDoubted: boolean;
  lastMessage: string | undefined;
}

/** Of the sections that are not quotes. */
export const headings = { lastSession: "Last session", full: "In full", brief: "In brief" } as const;

/** The view of what was chosen, under the context settings. */
export function viewOf(chosen: Chosen, settings: ContextSettings): ContextView {
  return {
    projects: chosen.projects.map((project) => plainLine(project, maxChars.project)),
    rows: rowsOf(chosen, settings).filter(
      ({ state }) => chosen.sections.length === 0 || wantsList(settings, state),
    ),
    sections: chosen.sections,
    lastSummary: lastSummaryOf(chosen.lastSummary, {
      observations: chosen.observations.map(({ observation }) => observation),
      isDoubted: chosen.isSummaryDoubted,
    }),
    lastMessage:
      chosen.lastMessage === undefined ? null : plainLine(chosen.lastMessage, maxChars.message) || null,
    searchCommand: chosen.searchCommand,
    show: settings,
  };
}

// Quotes say more than a list of records: it stands beside them only where the user set how many to list.
function wantsList({ countDecides }: ContextSettings, state: RowState): boolean {
  return state === "pinned" || countDecides === true;
}

// Caps that keep one text from pushing out the others: a title is a table cell.
const maxChars = { project: 60, title: 140, message: 600 };

const stateOrder: Record<RowState, number> = { pinned: 0, active: 1, superseded: 2 };

// A record that has nothing to add to its title gives its place to the next one.
function rowsOf(chosen: Chosen, settings: ContextSettings): ContextRow[] {
  const several = chosen.projects.length > 1;
  const ordered = chosen.observations.toSorted(
    (a, b) => stateOrder[stateOf(a.observation)] - stateOrder[stateOf(b.observation)],
  );
  // Quotes are short and come first; a record in full would push many of them out.
  const onlyPinned = chosen.sections.length > 0;
  let places = settings.fullCount;
  return ordered.map((repeated) => {
    const { observation } = repeated;
    const row = rowOf(repeated, chosen);
    const isExpandable = places > 0 && row.state !== "superseded" && (row.state === "pinned" || !onlyPinned);
    const lines = isExpandable ? expandedLines(observation, row.title, settings.fullField) : null;
    // What is pinned stands before all others, even where its title says everything.
    const expanded = lines ?? (isExpandable && row.state === "pinned" ? [] : null);
    if (expanded !== null) places -= 1;
    return {
      ...row,
      project: several ? plainLine(observation.project, maxChars.project) : null,
      expanded,
    };
  });
}

function rowOf(
  { observation, ids }: Repeated<Parsed<Observation>>,
  { changed, foldersOf }: Chosen,
): Omit<ContextRow, "project" | "expanded"> {
  const { id, obs_type } = observation;
  const marked = markedBy(observation, ids.length, changed.get(id) ?? []);
  return {
    id,
    title: titleOf(observation, maxChars.title) || "(untitled)",
    marks: marksOf(marked),
    isChanged: marked.changed.length > 0,
    ids,
    state: stateOf(observation),
    type: plainLine(obs_type, maxChars.project),
    day: dayOf(observation.created_at_epoch),
    file: marked.untrusted === null ? fileOf(observation, foldersOf(observation.project)) : null,
    readTokens: readTokens(observation),
    workTokens: observation.discovery_tokens,
  };
}

function stateOf({ status, pinned }: Pick<Observation, "status" | "pinned">): RowState {
  if (status === "superseded") return "superseded";
  return pinned === 1 ? "pinned" : "active";
}

// What was changed says more of a record than what was read for it.
function fileOf(
  { files_modified, files_touched, files_read }: Parsed<Observation>,
  folders: ProjectFolders,
): string | null {
  const path = files_modified[0] ?? files_touched[0] ?? files_read[0];
  return path === undefined ? null : shortPath(path, folders) || null;
}

/** The UTC date of an epoch; times no calendar has (a damaged row) show as unknown. */
export function dayOf(epochMs: number): string {
  return Math.abs(epochMs) <= 8.64e15 ? isoTime(epochMs).slice(0, 10) : "unknown day";
}
