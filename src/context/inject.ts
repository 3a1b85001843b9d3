// Context: what is put before an agent at the start of a session, with its first prompt, and before it touches a file.
import type { Observation } from "../core/records/records.ts";
import { type ActionInjection, type ActionRequest, actionContext } from "./action-context.ts";
import { type Budget, maxContextBytes, without } from "./budget.ts";
import { changedFiles } from "./choose.ts";
import type { ContextPort } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { changesOfFile, type ToldOfFile } from "./file-changes.ts";
import { type FileInjection, renderFileContext, sharedEnd, spellingsOf } from "./file-context.ts";
import { namedIn } from "./named.ts";
import { createTextMemory } from "./past-turns.ts";
import { chosenRelevant, maxRelevant, renderQuotes, renderRelevant } from "./prompt-context.ts";
import { askedFor } from "./prompt-kind.ts";
import { createPromptRanking, type PromptRanking, type RankedRecords } from "./prompt-ranking.ts";
import { type RecentRecords, recentRecords } from "./recent.ts";
import { createRuleReader } from "./rule-lines.ts";
import { type Injection, type TimelineDeps, timelineOf } from "./timeline.ts";

export type { FileInjection } from "./file-context.ts";
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
  /** Paths of files that the session edits, the newest first. */
  edited?: readonly string[];
  /** True for an agent that was told nothing at the start of its session. */
  withTimeline: boolean;
}

type RankRequest = Pick<PromptContextRequest, "project" | "words" | "known">;

export interface LaterPromptRequest {
  project: string;
  words: string;
  known: ReadonlySet<number>;
  /** `sdk_session_id` of the reader's own session. */
  exceptSession?: string | undefined;
}

export interface FileContextRequest extends SessionContextRequest {
  path: string;
  known?: ReadonlySet<number>;
  /** What the reader knows of the file itself; without it, nothing is said again. */
  told?: ToldOfFile;
  /** Lines at most. */
  limit?: number;
  /** `sdk_session_id` of a session that knows its own records already. */
  exceptSession?: string;
}

export interface Context {
  recent(request: { project?: string | undefined; limit: number }): RecentRecords;
  /**
   * Markdown in the block that intake strips, empty when there is no record; with `colors` for a terminal. As long as the
   * settings ask for: no host cuts it.
   */
  inject(request: { projects: readonly string[]; colors: boolean }): Promise<string>;
  /** The same for the agent of a host, for one project. */
  forSession(request: SessionContextRequest): Promise<Injection>;
  /** The few records that fit the first prompt, in a block of their own, and what the start would have said. */
  forPrompt(request: PromptContextRequest): Promise<Injection>;
  /**
   * The ranking by which `forPrompt` chooses for a session that has edited nothing; null where the project has no
   * statement and is searched.
   */
  rankFor(request: RankRequest): RankedRecords | null;
  /**
   * A few lines about a file, in such a block; null when there is nothing to say, and nothing to keep. The text is empty
   * when there is only something to keep.
   */
  forFile(request: FileContextRequest): Promise<FileInjection | null>;
  /** For a later prompt: records of what it names that the agent has not seen. */
  forLaterPrompt(request: LaterPromptRequest): Promise<Injection>;
  /** One line before a command or an edit; null when nothing bears on it. */
  forAction(request: ActionRequest): Promise<ActionInjection | null>;
  /** What names the present content of a file; null when it cannot be told. */
  contentOf(path: string, cwd: string | null): Promise<string | null>;
}

/** Context over the records that `port` reaches; it tells agents to look for more with `searchCommand` and words. */
export function createContext(port: ContextPort, settings: ContextSettings, searchCommand: string): Context {
  const texts = createTextMemory();
  const deps = { port, settings, searchCommand, readRules: createRuleReader(texts) };
  const budget: Budget = { tokens: settings.tokenBudget, bytes: maxContextBytes };
  const ranking = createPromptRanking(texts);
  const plain = { colors: false, cwd: null, budget, known: nothing };
  return {
    recent: (request) => recentRecords(port, request),
    async inject({ projects, colors }) {
      const labels = projects.slice(0, maxProjects);
      const asked = askedBudget(settings);
      return (await timelineOf(deps, { ...plain, projects: labels, colors, budget: asked })).text;
    },
    forSession: ({ project, cwd = null }) => timelineOf(deps, { ...plain, projects: [project], cwd }),
    async forPrompt(request) {
      const { project, cwd = null, known } = request;
      const relevant = await relevantTo(port, request, { settings, budget, ranking });
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
    rankFor: (request) => rankedFor(port, request, ranking),
    async forLaterPrompt({ project, words, ...reader }) {
      const records = port.statements?.rankable(project, mostRankable) ?? [];
      return renderQuotes(namedIn(words, records, reader), budget);
    },
    forAction: async (request) => actionContext(port, request),
    forFile: (request) => fileInjection(deps, request, budget),
    contentOf: async (path, cwd) => (await port.contentOf?.(path, cwd)) ?? null,
  };
}

function askedBudget({ tokenBudget, countDecides }: ContextSettings): Budget {
  const tokens = countDecides === true ? Number.POSITIVE_INFINITY : tokenBudget;
  return { tokens, bytes: Number.POSITIVE_INFINITY };
}

const nothing: ReadonlySet<number> = new Set();

// More labels would crowd out their own records.
const maxProjects = 8;
// What is read before every file must cost next to nothing.
const linesPerFile = 3;

async function fileInjection(
  { port, searchCommand }: TimelineDeps,
  request: FileContextRequest,
  budget: Budget,
): Promise<FileInjection | null> {
  const { path, cwd = null, told } = request;
  const { observations, heard, paths, ...others } = recordsOfFile(port, request);
  if (observations.length === 0 && (heard.length === 0 || told === undefined)) return null;
  const changed = await changedFiles(port, [...observations, ...heard], cwd);
  const { again, file } = await changesOfFile(port, { path, cwd, told, paths, observations, heard, changed });
  const text = renderFileContext(path, { observations, ...others, again, changed, searchCommand, budget });
  if (text === null) return file === undefined || again !== null ? null : { ...nothingToSay, file };
  const ids = observations.map(({ id }) => id);
  return { text, records: ids, changed: ids.filter((id) => changed.has(id)), file };
}

const nothingToSay = { text: "", records: [] };

/**
 * The file's first records: those that the reader does not know, and those it has heard. What was told leaves its place
 * empty: each further edit of one file would tell of older ones otherwise.
 */
function recordsOfFile(
  port: ContextPort,
  { project, cwd = null, path, known = nothing, limit = linesPerFile, exceptSession }: FileContextRequest,
): { observations: Observation[]; heard: Observation[]; paths: string[]; more: number; searched: string } {
  const elsewhere = port.elsewhere?.(path, { project, cwd }) ?? [];
  const paths = [...new Set([...spellingsOf(path), ...elsewhere])];
  const request = { project, paths, exceptSession: exceptSession ?? null };
  const found = port.byFile({ ...request, limit });
  return {
    observations: found.observations.filter(({ id }) => !known.has(id)),
    heard: found.observations.filter(({ id }) => known.has(id)),
    paths,
    more: found.total - found.observations.length,
    searched: sharedEnd(path, elsewhere),
  };
}

// Some of what is found is known, or superseded: enough is asked for to fill their places.
const searchedPerPlace = 6;

async function relevantTo(
  port: ContextPort,
  { project, cwd = null, words, known, edited = [] }: PromptContextRequest,
  { settings, budget, ranking }: { settings: ContextSettings; budget: Budget; ranking: PromptRanking },
): Promise<Injection> {
  if (words.trim() === "") return { text: "", records: [] };
  const names = edited.map((path) => path.slice(path.search(/[^\\/]*$/)));
  const ranked = rankedFor(port, { project, words, known, names }, ranking);
  if (ranked !== null) {
    const records = ranked.ranked.map(({ record }) => record);
    return renderQuotes(records, budget);
  }
  if (askedFor(words).kind === "general") return { text: "", records: [] };
  const limit = maxRelevant * searchedPerPlace;
  // First: of a long prompt only the first words are searched. R@10 of commit-fixes 80.2 with the names, 69.9 without.
  const found = (await port.relevant?.({ project, words: [...names, words].join(" "), limit })) ?? [];
  const observations = chosenRelevant(found, { project, known });
  if (observations.length === 0) return { text: "", records: [] };
  const changed = await changedFiles(port, observations, cwd);
  return renderRelevant(observations, { changed, field: settings.fullField, budget });
}

/** Null where the project has no statement: its records are searched then. */
function rankedFor(
  { statements }: ContextPort,
  { project, words, known, names = [] }: RankRequest & { names?: readonly string[] },
  ranking: PromptRanking,
): RankedRecords | null {
  const records = statements?.rankable(project, mostRankable) ?? [];
  if (statements === undefined || !records.some(({ salience }) => salience !== null)) return null;
  const prompts = statements.asked(project, mostRankable);
  return ranking.rank(words, { records, prompts }, known, names);
}

// About a year of daily work; what is older is still found by a search.
const mostRankable = 2_000;

function joined(first: Injection, second: Injection): Injection {
  return {
    text: [first.text, second.text].filter((text) => text !== "").join("\n"),
    records: [...first.records, ...second.records],
    changed: [...(first.changed ?? []), ...(second.changed ?? [])],
  };
}
