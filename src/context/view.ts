// The content of a project's context as plain lines, before it is rendered as text.
import type { Observation, Parsed, SessionSummary } from "../core/records/records.ts";
import { readTokens } from "./budget.ts";
import type { Chosen } from "./chosen.ts";
import type { ChangedFile, ProjectFolders } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { type LastSummary, lastSummaryOf } from "./last-summary.ts";
import { dayOf, plainLine } from "./quote.ts";
import { expandedLines, markedBy, marksOf, titleOf } from "./record-text.ts";
import type { StartSection } from "./start-sections.ts";

type RowState = "pinned" | "active" | "superseded";

export interface ContextRow {
  id: number;
  title: string;
  /** Behind the title: repeats, source, superseded, changed files. */
  marks: string;
  /** The marks name a changed file. */
  isChanged: boolean;
  /** Ids of all equal records; the other fields come from the newest. */
  ids: readonly number[];
  state: RowState;
  type: string;
  /** Null when only one project is shown. */
  project: string | null;
  /** UTC date, `2026-11-20`. */
  day: string;
  /** Relative to the project's folder; null for a record without files. */
  file: string | null;
  readTokens: number;
  workTokens: number;
  /** Details of an expanded record; null for a table row. */
  expanded: string[] | null;
}

/** Input of the renderers; every text is one plain line. */
export interface ContextView {
  projects: string[];
  /** Pinned rows first, superseded ones last, each newest first. */
  rows: ContextRow[];
  sections: readonly StartSection[];
  lastSummary: LastSummary | null;
  lastMessage: string | null;
  /** A command that takes words to search for, for example `mem search`. */
  searchCommand: string;
  show: Pick<ContextSettings, "readTokens" | "workTokens" | "savings">;
}

interface Contents extends Pick<ContextView, "searchCommand" | "sections"> {
  projects: readonly string[];
  observations: readonly Chosen[];
  foldersOf(project: string): ProjectFolders;
  /** By record id. */
  changed: ReadonlyMap<number, readonly ChangedFile[]>;
  lastSummary: SessionSummary | undefined;
  /** The user rejected an observation that the summary may rest on. */
  isSummaryDoubted: boolean;
  lastMessage: string | undefined;
}

/** Headings of the parts that are not start sections. */
export const headings = {
  ...{ pinned: "Pinned", lastSession: "Last session" },
  ...{ full: "In full", brief: "In brief" },
} as const;

export function viewOf(contents: Contents, settings: ContextSettings): ContextView {
  const { projects, sections, lastMessage, searchCommand } = contents;
  return {
    projects: projects.map((project) => plainLine(project, maxChars.project)),
    // Beside sections, records are listed only if the user set their count.
    rows: rowsOf(contents, settings).filter(
      ({ state }) => sections.length === 0 || state === "pinned" || settings.countDecides === true,
    ),
    sections,
    lastSummary: lastSummaryOf(contents.lastSummary, {
      observations: contents.observations.map(({ observation }) => observation),
      isDoubted: contents.isSummaryDoubted,
    }),
    lastMessage: lastMessage === undefined ? null : plainLine(lastMessage, maxChars.message) || null,
    searchCommand,
    show: settings,
  };
}

// Caps that keep one text from crowding out the others.
const maxChars = { project: 60, title: 140, quote: 340, message: 600, path: 100, readPath: 4096 };

const stateOrder: Record<RowState, number> = { pinned: 0, active: 1, superseded: 2 };

// Expands the first `fullCount` records that have details; beside sections only pinned ones.
function rowsOf(contents: Contents, settings: ContextSettings): ContextRow[] {
  const ordered = contents.observations.toSorted(
    (a, b) => stateOrder[stateOf(a.observation)] - stateOrder[stateOf(b.observation)],
  );
  const onlyPinned = contents.sections.length > 0;
  let places = settings.fullCount;
  return ordered.map((chosen) => {
    const row = rowOf(chosen, contents);
    const isExpandable = places > 0 && row.state !== "superseded" && (row.state === "pinned" || !onlyPinned);
    const lines = isExpandable ? expandedLines(chosen.observation, row.title, settings.fullField) : null;
    // A pinned record is listed first even without details.
    const expanded = lines ?? (isExpandable && row.state === "pinned" ? [] : null);
    if (expanded !== null) places -= 1;
    return { ...row, expanded };
  });
}

function rowOf(
  { observation, ids }: Chosen,
  { projects, changed, foldersOf, sections }: Contents,
): ContextRow {
  const { id, obs_type, project } = observation;
  const marked = markedBy(observation, ids.length, changed.get(id) ?? []);
  // Beside sections a pinned record is a quote of its section, as the others.
  const isPinnedQuote = marked.pinned && sections.length > 0;
  const quote = isPinnedQuote && observation.salience !== null ? observation.summary : "";
  return {
    id,
    title: plainLine(quote, maxChars.quote) || titleOf(observation, maxChars.title) || "(untitled)",
    marks: marksOf({ ...marked, pinned: marked.pinned && !isPinnedQuote }),
    isChanged: marked.changed.length > 0,
    ids,
    state: stateOf(observation),
    type: plainLine(obs_type, maxChars.project),
    project: projects.length > 1 ? plainLine(project, maxChars.project) : null,
    day: dayOf(observation.created_at_epoch),
    file: marked.untrusted === null ? fileOf(observation, foldersOf(project)) : null,
    readTokens: readTokens(observation),
    workTokens: observation.discovery_tokens,
    expanded: null,
  };
}

function stateOf({ status, pinned }: Pick<Observation, "status" | "pinned">): RowState {
  if (status === "superseded") return "superseded";
  return pinned === 1 ? "pinned" : "active";
}

function fileOf(
  { files_modified, files_touched, files_read }: Parsed<Observation>,
  folders: ProjectFolders,
): string | null {
  const path = files_modified[0] ?? files_touched[0] ?? files_read[0];
  return path === undefined ? null : shortPath(path, folders) || null;
}

// Else its last parts, as one plain line.
function shortPath(path: string, folders: ProjectFolders): string {
  const slashed = path.slice(0, maxChars.readPath).replaceAll("\\", "/");
  const isAbsolute = slashed.startsWith("/") || /^[A-Za-z]:\//.test(slashed);
  const short = pathInProject(slashed, folders) ?? (isAbsolute ? lastParts(slashed) : slashed);
  return plainLine(short, maxChars.path);
}

/** `path` relative to the project's folder; null for a path outside of it. */
export function pathInProject(path: string, { roots, names }: ProjectFolders): string | null {
  const slashed = path.replaceAll("\\", "/");
  const at = behindRoot(slashed, roots) ?? behindName(slashed, names);
  return at === null || at >= slashed.length ? null : slashed.slice(at);
}

// The innermost root: a linked work tree may be inside the main one.
function behindRoot(slashed: string, roots: readonly string[]): number | null {
  const starts = roots.map((root) => `${root.replaceAll("\\", "/").replace(/\/+$/, "")}/`);
  const around = starts.filter((start) => slashed.startsWith(start)).map(({ length }) => length);
  return around.length === 0 ? null : Math.max(...around);
}

// The outermost name: a folder inside the project may have the same one.
function behindName(slashed: string, names: readonly string[]): number | null {
  const found = names
    .map((name) => ({ at: slashed.indexOf(`/${name}/`), length: name.length + 2 }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || b.length - a.length)[0];
  return found === undefined ? null : found.at + found.length;
}

const lastPartsShown = 3;

function lastParts(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.length <= lastPartsShown ? path : `…/${parts.slice(-lastPartsShown).join("/")}`;
}
