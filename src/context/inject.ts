// Context: what is put before an agent at the start of a session and before it touches a file.
import {
  type Observation,
  observationConcepts,
  observationTypes,
  type Parsed,
  parseLists,
  type SessionSummary,
} from "../domain/records.ts";
import { renderWithin } from "./budget.ts";
import type { ContextSettings } from "./context-settings.ts";
import { renderFileContext, spellingsOf } from "./file-context.ts";
import { type NewestRecords, type RecentRecords, recentRecords } from "./recent.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderEmptyTerminal, renderTerminal } from "./render-terminal.ts";
import { type Repeated, withoutRepeats } from "./repeats.ts";
import { viewOf } from "./view.ts";

/** What context needs of the store. */
export interface ContextPort {
  observations: NewestRecords<Observation>;
  summaries: NewestRecords<SessionSummary>;
  /** Newest first; null means every type or concept. */
  forContext(request: {
    project: string;
    limit: number;
    sessions: number;
    types: readonly string[] | null;
    concepts: readonly string[] | null;
  }): Observation[];
  lastMessage(project: string): string | undefined;
  byFile(request: {
    project: string;
    paths: readonly string[];
    exceptSession: string | null;
    limit: number;
  }): { observations: Observation[]; total: number };
}

export interface FileContextRequest {
  project: string;
  path: string;
  /** Lines at most. */
  limit?: number;
  /** `sdk_session_id` of a session that knows its own records already. */
  exceptSession?: string;
}

export interface Context {
  recent(request: { project?: string | undefined; limit: number }): RecentRecords;
  /** Markdown in the block that intake strips, empty when there is no record; with `colors` for a terminal. */
  inject(request: { projects: readonly string[]; colors: boolean }): string;
  /** What `inject` gives an agent for one project. */
  forSession(project: string): string;
  /** A few lines about a file, in the same block; null when there is nothing to say. */
  forFile(request: FileContextRequest): string | null;
}

/** Context over the records that `port` reaches; it tells agents to look for more with `searchCommand` and words. */
export function createContext(port: ContextPort, settings: ContextSettings, searchCommand: string): Context {
  const inject: Context["inject"] = ({ projects, colors }) => {
    const labels = projects.slice(0, maxProjects);
    const observations = chosenObservations(port, labels, settings);
    const newest = observations[0]?.observation.project ?? labels[0] ?? "";
    const view = viewOf(
      {
        projects: labels,
        searchCommand,
        observations,
        lastSummary: settings.lastSummary ? lastSummary(port, labels) : undefined,
        lastMessage: settings.lastMessage ? port.lastMessage(newest) : undefined,
      },
      settings,
    );
    const isEmpty = view.rows.length === 0 && view.lastSummary === null && view.lastMessage === null;
    if (isEmpty) return colors ? renderEmptyTerminal(view.projects) : "";
    const render = colors ? renderTerminal : renderMarkdown;
    return renderWithin(view.rows.length, (shown) => render(view, shown));
  };
  return {
    inject,
    recent: (request) => recentRecords(port, request),
    forSession: (project) => inject({ projects: [project], colors: false }),
    forFile({ project, path, limit = linesPerFile, exceptSession = null }) {
      const paths = spellingsOf(path);
      const records = port.byFile({ project, paths, exceptSession, limit });
      return renderFileContext(path, { ...records, searchCommand });
    },
  };
}

// More labels would crowd out their own records.
const maxProjects = 8;
// What is read before every file must cost next to nothing.
const linesPerFile = 3;

// Looked at for each row wanted, when the newest repeat: enough for a history in which three of four records do. Reading
// that many at once would cost a start of a session 2 ms where nothing repeats.
const recordsPerRow = 4;

/** What repeats stands once, and older records fill its place. */
function chosenObservations(
  port: ContextPort,
  projects: readonly string[],
  settings: ContextSettings,
): Repeated<Parsed<Observation>>[] {
  const rows = settings.observations;
  let newest = newestObservations(port, projects, settings);
  let chosen = withoutRepeats(newest, rows);
  if (chosen.length < rows && newest.length === rows) {
    newest = newestObservations(port, projects, { ...settings, observations: rows * recordsPerRow });
    chosen = withoutRepeats(newest, rows);
  }
  return chosen.map(({ observation, times }) => ({ observation: parseLists(observation), times }));
}

/** The newest observations over all the projects, from the newest sessions over all of them. */
function newestObservations(
  port: ContextPort,
  projects: readonly string[],
  settings: ContextSettings,
): Observation[] {
  const wanted = {
    limit: settings.observations,
    sessions: settings.sessions,
    types: restriction(settings.types, observationTypes),
    concepts: restriction(settings.concepts, observationConcepts),
  };
  const found = projects.flatMap((project) => port.forContext({ ...wanted, project }));
  if (projects.length > 1) found.sort((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id);
  const sessions = new Set<string>();
  const inSessions = found.filter(({ sdk_session_id }) => {
    if (sessions.size < settings.sessions) sessions.add(sdk_session_id);
    return sessions.has(sdk_session_id);
  });
  return inSessions.slice(0, settings.observations);
}

function restriction(chosen: readonly string[], all: readonly string[]): readonly string[] | null {
  return chosen.length === 0 || all.every((one) => chosen.includes(one)) ? null : chosen;
}

function lastSummary(port: ContextPort, projects: readonly string[]): SessionSummary | undefined {
  return projects
    .flatMap((project) => port.summaries.page({ offset: 0, limit: 1, project }).items)
    .sort((a, b) => b.created_at_epoch - a.created_at_epoch)[0];
}
