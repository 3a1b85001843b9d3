// What the context of a project consists of, chosen and made harmless, before it becomes text.
import { isoTime } from "../clock.ts";
import type { Observation, Parsed, SessionSummary } from "../domain/records.ts";
import type { ContextSettings } from "./context-settings.ts";
import { expandedLines } from "./expanded.ts";
import { plainLine } from "./plain-line.ts";
import type { Repeated } from "./repeats.ts";
import { readTokens } from "./tokens.ts";

export interface ContextRow {
  id: number;
  title: string;
  /** How many records of this title and type it stands for; all else in the row is of the newest. */
  times: number;
  type: string;
  /** Null when one project is shown only. */
  project: string | null;
  /** Date in UTC, `2026-11-20`. */
  day: string;
  readTokens: number;
  workTokens: number;
  /** Set when the content came from outside: such a record is shown as a title only. */
  untrusted: "web" | "mcp" | null;
  /** The lines of an expanded record; null for one that stands in the table. */
  expanded: string[] | null;
}

/** Everything the renderers need; every text in it is one plain line. */
export interface ContextView {
  projects: string[];
  /** Newest first. */
  rows: ContextRow[];
  lastSummary: { day: string; parts: { name: string; text: string }[] } | null;
  lastMessage: string | null;
  /** What finds the rest, for example `mem search`: words to look for come behind it. */
  searchCommand: string;
  show: Pick<ContextSettings, "readTokens" | "workTokens" | "savings">;
}

interface Chosen {
  projects: readonly string[];
  searchCommand: string;
  observations: readonly Repeated<Parsed<Observation>>[];
  lastSummary: SessionSummary | undefined;
  lastMessage: string | undefined;
}

/** The view of what was chosen, under the context settings. */
export function viewOf(chosen: Chosen, settings: ContextSettings): ContextView {
  return {
    projects: chosen.projects.map((project) => plainLine(project, maxChars.project)),
    rows: rowsOf(chosen, settings),
    lastSummary: chosen.lastSummary === undefined ? null : summaryOf(chosen.lastSummary),
    lastMessage:
      chosen.lastMessage === undefined ? null : plainLine(chosen.lastMessage, maxChars.message) || null,
    searchCommand: chosen.searchCommand,
    show: settings,
  };
}

// Caps that keep one text from pushing out the others: a title is a table cell.
const maxChars = { project: 60, title: 140, summaryPart: 400, message: 600 };

// A record that has nothing to add to its title gives its place to the next one.
function rowsOf(chosen: Chosen, settings: ContextSettings): ContextRow[] {
  const several = chosen.projects.length > 1;
  let places = settings.fullCount;
  return chosen.observations.map(({ observation, times }) => {
    const row = rowOf(observation);
    const expanded = places > 0 ? expandedLines(observation, row.title, settings.fullField) : null;
    if (expanded !== null) places -= 1;
    return {
      ...row,
      times,
      project: several ? plainLine(observation.project, maxChars.project) : null,
      expanded,
    };
  });
}

function rowOf(observation: Parsed<Observation>): Omit<ContextRow, "project" | "times" | "expanded"> {
  const { id, obs_type, provenance } = observation;
  return {
    id,
    title: plainLine(observation.title, maxChars.title) || "(untitled)",
    type: plainLine(obs_type, maxChars.project),
    day: dayOf(observation.created_at_epoch),
    readTokens: readTokens(observation),
    workTokens: observation.discovery_tokens,
    untrusted: provenance === "web" || provenance === "mcp" ? provenance : null,
  };
}

function summaryOf(summary: SessionSummary): ContextView["lastSummary"] {
  const parts: [string, string | null][] = [
    ["Request", summary.request],
    ["Investigated", summary.investigated],
    ["Learned", summary.learned],
    ["Completed", summary.completed],
    ["Next steps", summary.next_steps],
    ["Notes", summary.notes],
  ];
  const told = parts
    .map(([name, text]) => ({ name, text: plainLine(text ?? "", maxChars.summaryPart) }))
    .filter(({ text }) => text !== "");
  if (told.length === 0) {
    const text = plainLine(summary.summary_text, maxChars.summaryPart);
    if (text === "") return null;
    told.push({ name: "Summary", text });
  }
  return { day: dayOf(summary.created_at_epoch), parts: told };
}

/** The UTC date of an epoch; times no calendar has (a damaged row) show as unknown. */
export function dayOf(epochMs: number): string {
  return Math.abs(epochMs) <= 8.64e15 ? isoTime(epochMs).slice(0, 10) : "unknown day";
}
