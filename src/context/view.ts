// The content of a project's context as plain lines, before it is rendered as text.
import type { Observation, Parsed } from "../core/records/records.ts";
import { readTokens } from "./budget.ts";
import type { Chosen } from "./chosen.ts";
import type { ChangedFile, ProjectFolders } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import type { LastWords } from "./last-summary.ts";
import { dayOf, plainLine } from "./quote.ts";
import { expandedLines, markedBy, marksOf, titleOf } from "./record-text.ts";
import type { StartSection } from "./start-sections.ts";

export interface ContextRow {
  id: number;
  title: string;
  /** Behind the title: repeats, source, superseded, changed files. */
  marks: string;
  /** The marks name a changed file. */
  isChanged: boolean;
  /** Ids of all equal records; the other fields come from the newest. */
  ids: readonly number[];
  isSuperseded: boolean;
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
export interface ContextView extends LastWords {
  projects: string[];
  /** In full, newest first; they come before everything else. */
  pinned: readonly ContextRow[];
  sections: readonly StartSection[];
  /** Newest first, superseded ones last. */
  rows: readonly ContextRow[];
  /** A command that takes words to search for, for example `mem search`. */
  searchCommand: string;
  show: Pick<ContextSettings, "readTokens" | "workTokens" | "savings">;
}

interface About {
  projects: readonly string[];
  foldersOf(project: string): ProjectFolders;
  /** By record id. */
  changed: ReadonlyMap<number, readonly ChangedFile[]>;
  settings: Pick<ContextSettings, "fullCount" | "fullField">;
}

/** Headings of the parts that are not start sections. */
export const headings = {
  ...{ pinned: "Pinned", lastSession: "Last session" },
  ...{ full: "In full", brief: "In brief" },
} as const;

// Caps that keep one text from crowding out the others.
const maxChars = { name: 60, title: 140, quote: 340, path: 100, readPath: 4096 };

/** Pinned records as quotes, with their details. */
export function pinnedRows(pinned: readonly Chosen[], about: About): ContextRow[] {
  return pinned.map((chosen) => {
    const { observation } = chosen;
    const quote = observation.salience === null ? "" : plainLine(observation.summary, maxChars.quote);
    const row = rowOf({ ...chosen, observation: { ...observation, pinned: 0 } }, about);
    const title = quote || row.title;
    return { ...row, title, expanded: expandedLines(observation, title, about.settings.fullField) ?? [] };
  });
}

/** The first `fullCount` records that have details are expanded. */
export function timelineRows(chosen: readonly Chosen[], about: About): ContextRow[] {
  const { fullCount, fullField } = about.settings;
  let places = fullCount;
  const rows = chosen.map((one) => {
    const row = rowOf(one, about);
    const isExpandable = places > 0 && !row.isSuperseded;
    const expanded = isExpandable ? expandedLines(one.observation, row.title, fullField) : null;
    if (expanded !== null) places -= 1;
    return { ...row, expanded };
  });
  return rows.toSorted((a, b) => Number(a.isSuperseded) - Number(b.isSuperseded));
}

function rowOf({ observation, ids }: Chosen, { projects, changed, foldersOf }: About): ContextRow {
  const { id, obs_type, project } = observation;
  const marked = markedBy(observation, ids.length, changed.get(id) ?? []);
  return {
    id,
    title: titleOf(observation, maxChars.title) || "(untitled)",
    marks: marksOf(marked),
    isChanged: marked.changed.length > 0,
    ids,
    isSuperseded: marked.superseded,
    type: plainLine(obs_type, maxChars.name),
    project: projects.length > 1 ? plainLine(project, maxChars.name) : null,
    day: dayOf(observation.created_at_epoch),
    file: marked.untrusted === null ? fileOf(observation, foldersOf(project)) : null,
    readTokens: readTokens(observation),
    workTokens: observation.discovery_tokens,
    expanded: null,
  };
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
