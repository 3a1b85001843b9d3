// The typed client of the worker's routes, used by the command line and its screens.
import { failOpen, MemError } from "../core/errors.ts";
import { noSuchProject } from "../core/records/known-names.ts";
import type { QueueDropped, QueuedMessage, QueueRetried } from "../core/records/queue.ts";
import type { Observation, Parsed, Session, SessionSummary, UserPrompt } from "../core/records/records.ts";
import type { RecentAnswer } from "../http/schemas/context.ts";
import type { CostAnswer } from "../http/schemas/cost.ts";
import type { ContextExplanation } from "../http/schemas/explain.ts";
import type {
  FolderFilesAnswer,
  ProjectDetails,
  RefreshedFolders,
  RelabelAnswer,
  RemovedFolders,
} from "../http/schemas/projects.ts";
import type { QueuePage } from "../http/schemas/queue.ts";
import type { FileTimelineAnswer } from "../http/schemas/recall.ts";
import type { RegenerationAnswer, RegenerationPlanAnswer } from "../http/schemas/regenerate.ts";
import type {
  NewRule,
  RememberedAnswer,
  RulesAnswer,
  StatusChange,
  TextChange,
} from "../http/schemas/review.ts";
import type { SearchAnswer } from "../http/schemas/search.ts";
import type { Health, ProcessingStatusAnswer, RepairState, Stats } from "../http/schemas/status.ts";
import type { TimelineAnswer } from "../http/schemas/timeline.ts";
import type { EmptiedTrash, RestoredRecord, TrashPage } from "../http/schemas/trash.ts";
import { isJsonObject, type Json } from "../text/json.ts";
import { type Deadlines, type Method, openTransport, type Transport } from "./transport.ts";

export type {
  ContextExplanation,
  CostAnswer,
  FileTimelineAnswer,
  FolderFilesAnswer,
  Health,
  NewRule,
  ProjectDetails,
  QueuePage,
  RegenerationAnswer,
  RegenerationPlanAnswer,
  RelabelAnswer,
  RememberedAnswer,
  RemovedFolders,
  RepairState,
  RulesAnswer,
  SearchAnswer,
  Stats,
  TextChange,
  TimelineAnswer,
  TrashPage,
};

/** Parameters of `GET /api/search`; lists are sent as comma lists. */
export interface SearchParameters {
  query?: string;
  type?: string;
  format?: "index" | "full";
  limit?: number;
  offset?: number;
  project?: string;
  obs_type?: string;
  concepts?: readonly string[];
  files?: readonly string[];
  dateStart?: string;
  dateEnd?: string;
}

/** Parameters of `GET /api/timeline`: an anchor (12, S12, P12, an ISO time), or a query that finds one. */
export interface TimelineParameters {
  anchor?: string;
  query?: string;
  depth_before?: number;
  depth_after?: number;
  project?: string;
}

export interface PageParameters {
  offset?: number;
  limit?: number;
  project?: string;
}

export interface QueueParameters {
  status?: QueuedMessage["status"];
  /** ISO time: only messages that were accepted at or after it. */
  since?: string;
  offset?: number;
  limit?: number;
}

/** Messages by their ids, or by a filter. */
export interface QueueChoice {
  ids?: readonly number[];
  failed?: boolean;
  since?: string;
}

/** `since` is an ISO time. */
export interface CostParameters {
  by?: CostAnswer["by"];
  since?: string;
}

/** Which records are regenerated, or `resume` for what is queued already. */
export interface RegenerateChoice {
  since?: string;
  project?: string;
  generator?: string;
  resume?: true;
}

/** Without a project: the one that `cwd` is in. */
export interface RulesParameters {
  project?: string;
  cwd?: string;
  all?: boolean;
  limit?: number;
}

/** The project, or the one that `cwd` is in, and what a session in it does first. */
export interface ExplainParameters {
  project?: string;
  cwd?: string;
  prompt?: string;
  file?: string;
  command?: string;
}

export interface Page<T> {
  items: T[];
  hasMore: boolean;
  offset: number;
  limit: number;
}

export type SessionPost = "init" | "observations" | "summarize" | "complete";

export type WorkerClient = ReturnType<typeof routesOver> & { close(): Promise<void> };

interface ClientOptions {
  dataDir: string;
  deadlines?: Partial<Deadlines>;
  /** Starts a worker where none runs; false when the request would fail again. */
  start?(): Promise<boolean>;
}

// A worker on this machine answers in milliseconds; one that takes longer than this is stuck.
const defaultDeadlines: Deadlines = { connectMs: 1_000, answerMs: 5_000 };

/**
 * A client of the worker that owns `dataDir`. It connects with the first request. Every request throws the worker's own
 * error, or `worker_unreachable`.
 */
export function createWorkerClient(options: ClientOptions): WorkerClient {
  const deadlines = { ...defaultDeadlines, ...options.deadlines };
  let opened: Promise<Transport> | undefined;
  let starting: Promise<boolean> | undefined;

  async function once(method: Method, path: string, body?: unknown): Promise<unknown> {
    opened ??= openTransport(options.dataDir, deadlines);
    const mine = opened;
    try {
      return await (await mine).request(method, path, body);
    } catch (error) {
      // The worker may be started again on another port.
      if (isUnreachable(error) && opened === mine) {
        opened = undefined;
        await failOpen("close a connection", async () => (await mine).close());
      }
      throw error;
    }
  }

  async function request(method: Method, path: string, body?: unknown): Promise<unknown> {
    try {
      return await once(method, path, body);
    } catch (error) {
      if (options.start === undefined || !mayRepeat(method, error)) throw error;
      starting ??= options.start().finally(() => {
        starting = undefined;
      });
      if (!(await starting)) throw error;
      return once(method, path, body);
    }
  }

  return {
    ...routesOver(request),
    close: async () => {
      const closing = opened;
      opened = undefined;
      await failOpen("close a connection", async () => (await closing)?.close());
    },
  };
}

function isUnreachable(error: unknown): error is MemError {
  return error instanceof MemError && error.code === "worker_unreachable";
}

// A write is repeated only if the worker cannot have received it.
function mayRepeat(method: Method, error: unknown): boolean {
  if (!isUnreachable(error)) return false;
  if (method === "GET" || error.cause === undefined) return true;
  return error.cause instanceof Error && "code" in error.cause && notSent.has(error.cause.code);
}

const notSent: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOENT", "UND_ERR_CONNECT_TIMEOUT"]);

/** One function per route. */
function routesOver(request: Transport["request"]) {
  const calls = callsOver(request);
  return {
    ...workerRoutes(calls),
    ...generationRoutes(calls),
    ...observationRoutes(calls),
    ...projectRoutes(calls),
    ...searchRoutes(calls),
    ...recordRoutes(calls),
    ...trashRoutes(calls),
    ...contextRoutes(calls),
    postSession: (event: SessionPost, body: { claudeSessionId: string } & Record<string, Json>) =>
      request("POST", `/api/sessions/${event}`, body),
  };
}

type Calls = ReturnType<typeof callsOver>;

function callsOver(request: Transport["request"]) {
  // The schema of an answer is the worker's, whose own tests hold every answer against it.
  async function call<T>(method: Method, path: string, body?: object): Promise<T> {
    const answer = await request(method, path, body);
    if (!isJsonObject(answer))
      throw new MemError("internal", { message: `${path} answered no JSON object.` });
    return answer as T;
  }
  async function list<T>(method: Method, path: string, body?: object): Promise<T[]> {
    const answer = await request(method, path, body);
    if (!Array.isArray(answer)) throw new MemError("internal", { message: `${path} answered no list.` });
    return answer;
  }
  const get = <T>(path: string, parameters: object = {}) => call<T>("GET", path + queryString(parameters));
  const post = <T>(path: string, body: object) => call<T>("POST", path, body);
  /** GET, or POST where the parameters are too long for an address. */
  const ask = <T>(path: string, parameters: object) =>
    isLong(parameters) ? post<T>(path, parameters) : get<T>(path, parameters);
  return { request, call, list, get, post, ask };
}

function workerRoutes({ get, post }: Calls) {
  return {
    health: () => get<Health>("/api/health"),
    stats: () => get<Stats>("/api/stats"),
    processingStatus: () => get<ProcessingStatusAnswer>("/api/processing-status"),
    /** Messages that are not finished, oldest first. */
    queue: (parameters?: QueueParameters) => get<QueuePage>("/api/queue", parameters),
    retryQueued: (choice: QueueChoice) => post<QueueRetried>("/api/queue/retry", choice),
    dropQueued: (choice: QueueChoice) => post<QueueDropped>("/api/queue/drop", choice),
    /** Every setting as the worker has it in effect, secrets in clear. */
    settings: () => get<Record<string, unknown>>("/api/settings"),
  };
}

function generationRoutes({ get, post, call }: Calls) {
  return {
    cost: (parameters?: CostParameters) => get<CostAnswer>("/api/cost", parameters),
    /** What `regenerate` would ask the model and cost; starts nothing. */
    regenerationPlan: (choice: RegenerateChoice) =>
      get<RegenerationPlanAnswer>("/api/regenerate/plan", choice),
    /** Starts it in the worker, or adds to what runs. */
    regenerate: (choice: RegenerateChoice) => post<RegenerationAnswer>("/api/regenerate", choice),
    regeneration: () => get<RegenerationAnswer>("/api/regenerate"),
    /** The rest stays queued, or with `drop` is forgotten. */
    stopRegeneration: (drop: boolean) =>
      call<RegenerationAnswer>("DELETE", `/api/regenerate${queryString({ drop })}`),
  };
}

function observationRoutes({ get, post }: Calls) {
  return {
    /** Answers the observation with its new status. */
    setStatus: (id: number, change: StatusChange) =>
      post<Observation>(`/api/observations/${id}/status`, change),
    setPin: (id: number, pinned: boolean) => post<Observation>(`/api/observations/${id}/pin`, { pinned }),
    /** Rules that apply everywhere, and the rules of a project or of all projects. */
    rules: (parameters: RulesParameters) => get<RulesAnswer>("/api/rules", parameters),
    /** Adds a rule; the same text again stores nothing. */
    remember: (rule: NewRule) => post<RememberedAnswer>("/api/rules", rule),
    editText: (id: number, change: TextChange) => post<Observation>(`/api/observations/${id}/text`, change),
  };
}

function projectRoutes({ get, post }: Calls) {
  const projects = async () => (await get<{ projects: string[] }>("/api/projects")).projects;
  return {
    projectDetails: () => get<ProjectDetails>("/api/projects/all"),
    /** Starts rebuilding full text, files and vectors from the records. */
    repair: () => post<RepairState>("/api/maintenance/repair", {}),
    repairState: () => get<RepairState>("/api/maintenance/repair"),
    renameProject: (from: string, to: string) => post<RelabelAnswer>("/api/projects/rename", { from, to }),
    mergeProject: (from: string, into: string) => post<RelabelAnswer>("/api/projects/merge", { from, into }),
    folderFiles: () => get<FolderFilesAnswer>("/api/folders"),
    refreshFolders: (project?: string) => post<RefreshedFolders>("/api/folders/refresh", { project }),
    /** Cleans the files at or below `under`, or all. */
    removeFolders: (under?: string) => post<RemovedFolders>("/api/folders/remove", { under }),
    projects,
    /** A sentence that names the known projects; null when `project` is one of them, or none is known. */
    unknownProject: async (project: string) => noSuchProject(project, await projects()),
  };
}

function searchRoutes({ get, ask, list }: Calls) {
  return {
    search: (parameters: SearchParameters) => ask<SearchAnswer>("/api/search", parameters),
    /** Oldest first. */
    timeline: (parameters: TimelineParameters): Promise<TimelineAnswer> =>
      isLong(parameters)
        ? list("POST", "/api/timeline", parameters)
        : list("GET", `/api/timeline${queryString(parameters)}`),
    /** Observations of a file, newest first. */
    fileTimeline: (parameters: FileParameters) =>
      get<FileTimelineAnswer>("/api/observations/by-file", parameters),
  };
}

function recordRoutes({ get, list }: Calls) {
  return {
    /** Whole observations, as far as the ids exist. */
    observationsOf: (ids: readonly number[], project?: string) =>
      list<Parsed<Observation>>("POST", "/api/observations/batch", { ids, project }),
    /** Throws `not_found`. */
    summary: (id: number, project?: string) => get<SessionSummary>(`/api/summary/${id}`, { project }),
    /** Throws `not_found`. */
    prompt: (id: number, project?: string) => get<UserPrompt>(`/api/prompt/${id}`, { project }),
    observations: (page?: PageParameters) => get<Page<Observation>>("/api/observations", page),
    summaries: (page?: PageParameters) => get<Page<SessionSummary>>("/api/summaries", page),
    prompts: (page?: PageParameters) => get<Page<UserPrompt>>("/api/prompts", page),
    sessions: (page?: PageParameters) => get<Page<Session>>("/sessions", page),
  };
}

function trashRoutes({ get, post, call }: Calls) {
  return {
    /** Newest first. */
    trash: (page?: PageParameters) => get<TrashPage>("/api/trash", page),
    /** Throws `not_found`, or `conflict`. */
    restore: (trashId: number) => post<RestoredRecord>(`/api/trash/${trashId}/restore`, {}),
    emptyTrash: () => call<EmptiedTrash>("DELETE", "/api/trash"),
  };
}

function contextRoutes({ get, ask, request }: Calls) {
  return {
    recent: (page: Omit<PageParameters, "offset">) => get<RecentAnswer>("/api/context/recent", page),
    /** The text that a host would inject. */
    injectedContext: async (projects: readonly string[], colors = false) =>
      String(await request("GET", `/api/context/inject${queryString({ projects, colors })}`)),
    /** What an agent would get at each moment of a session, and why. */
    explainContext: (parameters: ExplainParameters) =>
      ask<ContextExplanation>("/api/context/explain", parameters),
  };
}

interface FileParameters {
  path: string;
  project?: string;
  cwd?: string;
  limit?: number;
}

// The worker reads 16 KB of request line and headers together; the rest of these is far below 1 KB.
function isLong(parameters: object): boolean {
  return queryString(parameters).length > 15_000;
}

function queryString(parameters: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    query.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}
