// Context: what is put before an agent at the start of a session, with its first prompt, and before it touches a file.
import type { Observation } from "../domain/records.ts";
import { type Budget, maxContextBytes, without } from "./budget.ts";
import { changedFiles } from "./choose.ts";
import type { ContextPort } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { renderFileContext, sharedEnd, spellingsOf } from "./file-context.ts";
import { chosenRelevant, maxRelevant, renderRelevant } from "./prompt-context.ts";
import { type RecentRecords, recentRecords } from "./recent.ts";
import { type Injection, timelineOf } from "./timeline.ts";

export type { Injection } from "./timeline.ts";

export interface SessionContextRequest {
  project: string;
  /** Where the agent works, if that is known. */
  cwd?: string | null;
}

export interface PromptContextRequest extends SessionContextRequest {
  /** What was asked, without anything private. */
  words: string;
  /** Records that the agent has already. */
  known: ReadonlySet<number>;
  /** True for an agent that was told nothing at the start of its session. */
  withTimeline: boolean;
}

export interface FileContextRequest extends SessionContextRequest {
  path: string;
  known?: ReadonlySet<number>;
  /** Lines at most. */
  limit?: number;
  /** `sdk_session_id` of a session that knows its own records already. */
  exceptSession?: string;
}

export interface Context {
  recent(request: { project?: string | undefined; limit: number }): RecentRecords;
  /** Markdown in the block that intake strips, empty when there is no record; with `colors` for a terminal. */
  inject(request: { projects: readonly string[]; colors: boolean }): Promise<string>;
  /** What `inject` gives an agent for one project. */
  forSession(request: SessionContextRequest): Promise<Injection>;
  /** The few records that fit the first prompt, in a block of their own, and what the start would have said. */
  forPrompt(request: PromptContextRequest): Promise<Injection>;
  /** A few lines about a file, in such a block; null when there is nothing to say. */
  forFile(request: FileContextRequest): Promise<Injection | null>;
}

/** Context over the records that `port` reaches; it tells agents to look for more with `searchCommand` and words. */
export function createContext(port: ContextPort, settings: ContextSettings, searchCommand: string): Context {
  const deps = { port, settings, searchCommand };
  const budget: Budget = { tokens: settings.tokenBudget, bytes: maxContextBytes };
  const plain = { colors: false, cwd: null, budget, known: nothing };
  return {
    recent: (request) => recentRecords(port, request),
    async inject({ projects, colors }) {
      const labels = projects.slice(0, maxProjects);
      return (await timelineOf(deps, { ...plain, projects: labels, colors })).text;
    },
    forSession: ({ project, cwd = null }) => timelineOf(deps, { ...plain, projects: [project], cwd }),
    async forPrompt(request) {
      const { project, cwd = null, known } = request;
      const relevant = await relevantTo(port, request, { settings, budget });
      if (!request.withTimeline) return relevant;
      const timeline = await timelineOf(deps, {
        ...plain,
        projects: [project],
        cwd,
        budget: without(budget, relevant.text),
        known: new Set([...known, ...relevant.records]),
      });
      return joined(timeline, relevant);
    },
    async forFile(request) {
      const { path, cwd = null } = request;
      const { observations, more, searched } = unknownOfFile(port, request);
      const changed = await changedFiles(port, observations, cwd);
      const text = renderFileContext(path, { observations, more, searched, changed, searchCommand, budget });
      return text === null ? null : { text, records: observations.map(({ id }) => id) };
    },
  };
}

const nothing: ReadonlySet<number> = new Set();

// More labels would crowd out their own records.
const maxProjects = 8;
// What is read before every file must cost next to nothing.
const linesPerFile = 3;

/**
 * Those of the file's first records that the reader does not know, and how many stand behind them. What was told leaves
 * its place empty: each further edit of one file would tell of older ones otherwise.
 */
function unknownOfFile(
  port: ContextPort,
  { project, cwd = null, path, known = nothing, limit = linesPerFile, exceptSession }: FileContextRequest,
): { observations: Observation[]; more: number; searched: string } {
  const elsewhere = port.elsewhere?.(path, { project, cwd }) ?? [];
  const paths = [...new Set([...spellingsOf(path), ...elsewhere])];
  const request = { project, paths, exceptSession: exceptSession ?? null };
  const found = port.byFile({ ...request, limit });
  const observations = found.observations.filter(({ id }) => !known.has(id));
  return {
    observations,
    more: found.total - found.observations.length,
    searched: sharedEnd(path, elsewhere),
  };
}

// Some of what is found is known, or superseded: enough is asked for to fill their places.
const searchedPerPlace = 6;

async function relevantTo(
  port: ContextPort,
  { project, cwd = null, words, known }: PromptContextRequest,
  { settings, budget }: { settings: ContextSettings; budget: Budget },
): Promise<Injection> {
  if (words.trim() === "") return { text: "", records: [] };
  const limit = maxRelevant * searchedPerPlace;
  const found = (await port.relevant?.({ project, words, limit })) ?? [];
  const observations = chosenRelevant(found, { project, known });
  if (observations.length === 0) return { text: "", records: [] };
  const changed = await changedFiles(port, observations, cwd);
  return renderRelevant(observations, { changed, field: settings.fullField, budget });
}

function joined(first: Injection, second: Injection): Injection {
  return {
    text: [first.text, second.text].filter((text) => text !== "").join("\n"),
    records: [...first.records, ...second.records],
  };
}
