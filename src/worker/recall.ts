// Search and context over the store, with the settings that shape them.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Context, createContext } from "../context/context.ts";
import type { ContextPort } from "../context/context-port.ts";
import { type ContextSettings, wordsOfMode } from "../context/context-settings.ts";
import type { Clock } from "../core/clock.ts";
import { type DataPaths, dataPaths, packageFile } from "../core/paths.ts";
import { startedByLaunchers } from "../hosts/launcher-files.ts";
import { createSearch, type Search } from "../recall/search.ts";
import type { AskedAt, VectorLeg } from "../recall/search-port.ts";
import type { Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { loadActiveMode } from "../settings/modes/load-mode.ts";
import { createByFile } from "../store/sqlite/by-file.ts";
import { createCandidates } from "../store/sqlite/candidates.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import { createRankable, createRecent } from "../store/sqlite/recent.ts";
import { createSearchIndex } from "../store/sqlite/search-index.ts";
import { createStatements } from "../store/sqlite/statements.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { RecordKind, WorkerBranches } from "./branches.ts";
import { openWorkFirst } from "./open-work-search.ts";
import { foldersOf } from "./projects.ts";

type Unmerged = WorkerBranches["unmerged"];
type Settle = WorkerBranches["settle"];

/** Search over observations, summaries and prompts, with vectors for observations. */
export function buildSearch(
  { db, clock }: { db: Sqlite; clock: Clock },
  { projects, observations, summaries, prompts, statements }: Store,
  { vectors, unmerged, settle }: { vectors?: VectorLeg; unmerged?: Unmerged; settle?: Settle } = {},
): Search {
  const index = createSearchIndex(db);
  const of = (kind: RecordKind) =>
    unmerged && ((ids: readonly number[], at: AskedAt) => unmerged(kind, ids, at));
  const ranked = createSearch({
    projectId: projects.find,
    now: clock.now,
    observations: {
      ...{ ...index.observations, ...createCandidates(db) },
      ...{ byId: observations.byId, unmerged: of("observation") },
    },
    summaries: { ...index.summaries, byId: summaries.byId, unmerged: of("session") },
    prompts: {
      ...{ ...index.prompts, byId: prompts.byId, unmerged: of("prompt") },
      underWay: () => prompts.underWay(clock.now() - longestTurnMs),
    },
    vectors,
  });
  // After a switch or a merge the marks are of the work tree as it is now. A prompt has no time to wait.
  const search: Search = {
    async search(request) {
      if (request.cwd !== undefined && request.isPrompt !== true) await settle?.(request.cwd);
      return ranked.search(request);
    },
  };
  return openWorkFirst(search, { labels: projects.labels, statements: statements.statements });
}

// A turn without an end counts as aborted after this time; its prompt is found again.
const longestTurnMs = 3_600_000;

interface ContextDeps {
  db: Sqlite;
  settings: LoadedSettings;
  env: Environment;
  relevant: ContextPort["relevant"];
  changedSince?: ContextPort["changedSince"];
  contentOf?: ContextPort["contentOf"];
  elsewhere?: ContextPort["elsewhere"];
  branches?: Pick<WorkerBranches, "unmergedAt">;
}

/**
 * The context builder, with the settings at start. Created at the first use: reading the mode takes 6 ms, which no
 * start needs.
 */
export function buildContext(deps: ContextDeps, store: Store): Context {
  let made: Context | undefined;
  const command = createSearchCommand(deps.env, dataPaths(deps.settings.dataDir));
  const context = (): Context => {
    made ??= createContext(contextPort(deps, store), contextSettings(deps.settings), command);
    return made;
  };
  return {
    recent: (request) => context().recent(request),
    inject: async (request) => context().inject(request),
    forSession: async (request) => context().forSession(request),
    forPrompt: async (request) => context().forPrompt(request),
    alreadyWritten: (request) => context().alreadyWritten(request),
    rankFor: (request) => context().rankFor(request),
    forLaterPrompt: async (request) => context().forLaterPrompt(request),
    forAction: async (request) => context().forAction(request),
    forFile: async (request) => context().forFile(request),
    contentOf: async (path, cwd) => context().contentOf(path, cwd),
  };
}

function contextPort(
  { db, relevant, changedSince, contentOf, elsewhere, branches }: ContextDeps,
  { observations, summaries, projects }: Store,
): ContextPort {
  return {
    ...createRecent(db),
    statements: { ...createStatements(db), ...createRankable(db) },
    observations,
    summaries,
    byFile: createByFile(db),
    foldersOf: (project) => foldersOf({ projects }, project),
    relevant,
    changedSince,
    contentOf,
    elsewhere,
    unmergedAt: branches?.unmergedAt,
  };
}

function contextSettings(settings: LoadedSettings): ContextSettings {
  const { mode } = loadActiveMode(settings.get("MEM_MODE"), { dataDir: settings.dataDir });
  const words = {
    types: settings.get("MEM_CONTEXT_OBSERVATION_TYPES"),
    concepts: settings.get("MEM_CONTEXT_OBSERVATION_CONCEPTS"),
  };
  return {
    ...wordsOfMode(words, mode),
    observations: settings.get("MEM_CONTEXT_OBSERVATIONS"),
    sessions: settings.get("MEM_CONTEXT_SESSION_COUNT"),
    fullCount: settings.get("MEM_CONTEXT_FULL_COUNT"),
    fullField: settings.get("MEM_CONTEXT_FULL_FIELD"),
    tokenBudget: settings.get("MEM_CONTEXT_TOKEN_BUDGET"),
    isBudgetDefault: settings.source("MEM_CONTEXT_TOKEN_BUDGET") === "default",
    isTimelineSet: timelineSettings.some((name) => settings.source(name) !== "default"),
    readTokens: settings.get("MEM_CONTEXT_SHOW_READ_TOKENS"),
    workTokens: settings.get("MEM_CONTEXT_SHOW_WORK_TOKENS"),
    savings: settings.get("MEM_CONTEXT_SHOW_SAVINGS_AMOUNT"),
    lastSummary: settings.get("MEM_CONTEXT_SHOW_LAST_SUMMARY"),
    lastMessage: settings.get("MEM_CONTEXT_SHOW_LAST_MESSAGE"),
  };
}

const timelineSettings = [
  ...(["MEM_CONTEXT_OBSERVATIONS", "MEM_CONTEXT_OBSERVATION_TYPES"] as const),
  ...(["MEM_CONTEXT_OBSERVATION_CONCEPTS", "MEM_CONTEXT_SESSION_COUNT"] as const),
  ...(["MEM_CONTEXT_FULL_COUNT", "MEM_CONTEXT_FULL_FIELD"] as const),
];

/** The command before the search words; constant until the package of this worker is moved. */
export function createSearchCommand(
  environment: Environment,
  paths: DataPaths,
  own = packageFile("bin", "mem.js"),
): () => string {
  let known: string | undefined;
  return () => {
    if (!existsSync(own)) return searchCommand(environment, movedScript(paths) ?? own);
    known ??= searchCommand(environment, own);
    return known;
  };
}

// In the package that hooks start now.
function movedScript(paths: DataPaths): string | null {
  const started = startedByLaunchers(paths);
  const script = started && join(dirname(dirname(started.bundle)), "bin", "mem.js");
  return script !== null && existsSync(script) ? script : null;
}

function searchCommand(environment: Environment, script: string): string {
  if (findExecutable(environment, "mem") !== null) return "mem search";
  const node = findExecutable(environment, "node") === null ? shellWord(process.execPath) : "node";
  return `${node} ${shellWord(script)} search`;
}

/** `path` as one word of a POSIX shell; on Windows in double quotes. */
export function shellWord(path: string, platform = process.platform): string {
  if (platform === "win32") return `"${path.replaceAll("\\", "/")}"`;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
