// Context: texts for an agent at a session start, with its prompts, and before it reads a file or acts.
import { type Observation, type Parsed, parseLists, type SessionSummary } from "../core/records/records.ts";
import { type ActionInjection, type ActionRequest, actionContext } from "./action-context.ts";
import { markingUnmerged } from "./branches.ts";
import { type Budget, maxContextBytes, without } from "./budget.ts";
import type { ContextPort, Injection } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { type FileContextRequest, type FileInjection, fileContext } from "./file-context.ts";
import { maxRankable, namedIn, rankedFor, relevantTo, renderQuotes } from "./prompt-context.ts";
import { createPromptRanking, type RankedRecords } from "./prompt-ranking.ts";
import { timelineOf } from "./timeline.ts";
import { createTextCache } from "./turns.ts";
import { alreadyWritten, type Written, withoutWritten } from "./written.ts";

export interface SessionContextRequest {
  project: string;
  /** Where the agent works, if known. */
  cwd?: string | null;
  /** What its own memory files say already. */
  written?: Written;
  /** `sdk_session_id` of the reader's own session, "" before it has one. */
  exceptSession?: string | undefined;
}

export interface PromptContextRequest extends SessionContextRequest {
  /** The prompt without private parts. */
  words: string;
  /** Records that the agent has already. */
  known: ReadonlySet<number>;
  /** Paths of files that the session edits, newest first. */
  edited?: readonly string[];
  /** True for an agent that got nothing at the start of its session. */
  withTimeline: boolean;
}

export interface LaterPromptRequest extends SessionContextRequest {
  words: string;
  known: ReadonlySet<number>;
}

export interface RecentRecords {
  summaries: Parsed<SessionSummary>[];
  observations: Parsed<Observation>[];
}

export interface Context {
  /** The newest `limit` summaries and observations. */
  recent(request: { project?: string | undefined; limit: number }): RecentRecords;
  /** Markdown in a block, or colors for a terminal; empty without records. Only what the user set limits its length. */
  inject(request: { projects: readonly string[]; colors: boolean }): Promise<string>;
  /** The same for a host, within the limits of hosts. */
  forSession(request: SessionContextRequest): Promise<Injection>;
  /** The few records that match the first prompt and, on request, the timeline. */
  forPrompt(request: PromptContextRequest): Promise<Injection>;
  /** The ranking of `forPrompt` without edited files; null where the project has no statement and is searched. */
  rankFor(
    request: Pick<PromptContextRequest, "project" | "cwd" | "words" | "known" | "written">,
  ): RankedRecords | null;
  /** Ids of the records that `forSession` leaves out: the agent's own memory files say them. */
  alreadyWritten(request: { project: string; written: Written }): number[];
  /** Null when there is nothing to show and nothing to remember. */
  forFile(request: FileContextRequest): Promise<FileInjection | null>;
  /** Records that the agent has not seen of names in a later prompt. */
  forLaterPrompt(request: LaterPromptRequest): Promise<Injection>;
  /** One line before a command or an edit; null when no record concerns it. */
  forAction(request: ActionRequest): Promise<ActionInjection | null>;
  /** Identifies the present content of a file; null when it cannot be read. */
  contentOf(path: string, cwd: string | null): Promise<string | null>;
}

/** `searchCommand` takes words; texts name it for further records. It may change while the process runs. */
export function createContext(
  port: ContextPort,
  settings: ContextSettings,
  searchCommand: () => string,
): Context {
  const texts = createTextCache();
  const on = (cwd: string | null) => markingUnmerged(port, cwd);
  const depsOn = (from: ContextPort) => ({ port: from, settings, searchCommand: searchCommand() });
  const budget: Budget = { tokens: settings.tokenBudget, bytes: maxContextBytes };
  const ranking = createPromptRanking(texts);
  const depsWithout = (written: Written, cwd: string | null) => depsOn(withoutWritten(on(cwd), written));
  const plain = {
    colors: false,
    cwd: null,
    budget,
    known: new Set<number>(),
    isWhole: settings.isTimelineSet === true,
  };
  return {
    recent: (request) => recentRecords(port, request),
    async inject({ projects, colors }) {
      const labels = projects.slice(0, maxProjects);
      const tokens = settings.isBudgetDefault === true ? Number.POSITIVE_INFINITY : settings.tokenBudget;
      const asked = { colors, budget: { tokens, bytes: Number.POSITIVE_INFINITY }, isWhole: true };
      return (await timelineOf(depsOn(on(null)), { ...plain, ...asked, projects: labels })).text;
    },
    forSession: ({ project, cwd = null, written = nothingWritten, exceptSession }) =>
      timelineOf(depsWithout(written, cwd), { ...plain, projects: [project], cwd, exceptSession }),
    async forPrompt({ withTimeline, cwd = null, edited = [], written = nothingWritten, ...request }) {
      const from = readingOnce(withoutWritten(on(cwd), written));
      const asked = { ...request, cwd, edited };
      const ranked = { settings, budget, ranking };
      const relevant = await relevantTo(from, asked, ranked);
      if (!withTimeline) return relevant;
      // A rule stands among the rules, as at a start, and here only if it found no room there.
      const records = from.statements?.rankable(request.project, maxRankable) ?? [];
      const rules = new Set(records.flatMap(({ id, standing }) => (standing === 1 ? id : [])));
      const timeline = await timelineOf(depsOn(from), {
        ...plain,
        projects: [request.project],
        exceptSession: request.exceptSession,
        cwd,
        budget: without(budget, relevant.text),
        known: new Set([...request.known, ...relevant.records.filter((id) => !rules.has(id))]),
      });
      const told = new Set([...request.known, ...timeline.records]);
      if (!relevant.records.some((id) => told.has(id))) return joined(timeline, relevant);
      const room = { ...ranked, budget: without(budget, timeline.text) };
      return joined(timeline, await relevantTo(from, { ...asked, known: told }, room));
    },
    rankFor: ({ cwd = null, written = nothingWritten, ...request }) =>
      rankedFor(withoutWritten(on(cwd), written), request, ranking),
    alreadyWritten: ({ project, written }) => alreadyWritten(port, project, written),
    async forLaterPrompt({ project, cwd = null, words, written = nothingWritten, ...reader }) {
      const { statements } = withoutWritten(on(cwd), written);
      const records = () => statements?.rankable(project, maxRankable) ?? [];
      return renderQuotes(namedIn(words, records, reader), budget);
    },
    forAction: async (request) => actionContext(on(request.cwd ?? null), request),
    forFile: (request) =>
      fileContext(on(request.cwd ?? null), request, { searchCommand: searchCommand(), budget }),
    contentOf: async (path, cwd) => (await port.contentOf?.(path, cwd)) ?? null,
  };
}

const nothingWritten: Written = new Set();

/** The port, which reads what a prompt is compared with once: the ranking and the start sections share it. */
function readingOnce(port: ContextPort): ContextPort {
  const { statements } = port;
  if (statements === undefined) return port;
  const once = <R>(read: (project: string, limit: number) => R) => {
    const known = new Map<string, R>();
    return (project: string, limit: number): R => {
      const key = `${limit}:${project}`;
      const rows = known.get(key) ?? read(project, limit);
      known.set(key, rows);
      return rows;
    };
  };
  const { rankable, asked } = statements;
  return { ...port, statements: { ...statements, rankable: once(rankable), asked: once(asked) } };
}

// More projects would crowd out each other's records.
const maxProjects = 8;

function joined(first: Injection, second: Injection): Injection {
  return {
    text: [first.text, second.text].filter((text) => text !== "").join("\n"),
    records: [...first.records, ...second.records],
    changed: [...(first.changed ?? []), ...(second.changed ?? [])],
    places: [...(first.places ?? []), ...(second.places ?? [])],
  };
}

function recentRecords(
  { observations, summaries }: ContextPort,
  { project, limit }: { project?: string | undefined; limit: number },
): RecentRecords {
  // Pages contain rejected records, context never does.
  const active: Observation[] = [];
  for (let offset = 0; active.length < limit; offset += limit) {
    const { items } = observations.page({ offset, limit, project });
    active.push(...items.filter(({ status }) => status !== "rejected"));
    if (items.length < limit) break;
  }
  return {
    summaries: summaries.page({ offset: 0, limit, project }).items.map(parseLists),
    observations: active.slice(0, limit).map(parseLists),
  };
}
