// The typed client of the worker's routes, used by the command line and its screens.
import { failOpen, MemError } from "../core/errors.ts";
import type { QueueDropped, QueuedMessage, QueueRetried } from "../core/records/queue.ts";
import type { Observation, Parsed, Session, SessionSummary, UserPrompt } from "../core/records/records.ts";
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
import type { RememberedAnswer, RulesAnswer } from "../http/schemas/review.ts";
import type { SearchAnswer } from "../http/schemas/search.ts";
import type { Health, ProcessingStatusAnswer, RepairState, Stats } from "../http/schemas/status.ts";
import type { TimelineAnswer } from "../http/schemas/timeline.ts";
import { isJsonObject, type Json } from "../text/json.ts";
import { type Deadlines, type Method, openTransport, type Transport } from "./transport.ts";

export type {
  ContextExplanation,
  CostAnswer,
  FileTimelineAnswer,
  FolderFilesAnswer,
  Health,
  ProjectDetails,
  QueuePage,
  RefreshedFolders,
  RegenerationAnswer,
  RegenerationPlanAnswer,
  RelabelAnswer,
  RememberedAnswer,
  RemovedFolders,
  RepairState,
  RulesAnswer,
  SearchAnswer,
  Stats,
  TimelineAnswer,
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

/** What `mem cost` asks for; `since` is an ISO time. */
export interface CostParameters {
  by?: CostAnswer["by"];
  since?: string;
}

/** Which records are made again, or `resume` for what is listed already. */
export interface RegenerateChoice {
  since?: string;
  project?: string;
  generator?: string;
  resume?: true;
}

/** Another observation says it now, it is wrong, or the last of both is taken back. */
export type StatusChange =
  | { status: "superseded"; superseded_by: number }
  | { status: "rejected" }
  | { status: "active" };

/** Without a project: of the one around `cwd`. */
export interface RulesParameters {
  project?: string;
  cwd?: string;
  all?: boolean;
  limit?: number;
}

/** Of the project, or of the one around `cwd`; with what a session in it does first. */
export interface ExplainParameters {
  project?: string;
  cwd?: string;
  prompt?: string;
  file?: string;
  command?: string;
}

/** Of the project, or of the one around `cwd`. */
export interface NewRule {
  text: string;
  reach?: "project" | "everywhere";
  project?: string;
  cwd?: string;
}

export interface TextChange {
  title?: string;
  text?: string;
}

export interface Page<T> {
  items: T[];
  hasMore: boolean;
  offset: number;
  limit: number;
}

/** One method a route. Each connects when it is first needed; all throw `worker_unreachable` or the worker's error. */
export interface WorkerClient {
  health(): Promise<Health>;
  stats(): Promise<Stats>;
  processingStatus(): Promise<ProcessingStatusAnswer>;
  /** Messages that are not finished, oldest first. */
  queue(parameters?: QueueParameters): Promise<QueuePage>;
  retryQueued(choice: QueueChoice): Promise<QueueRetried>;
  dropQueued(choice: QueueChoice): Promise<QueueDropped>;
  cost(parameters?: CostParameters): Promise<CostAnswer>;
  /** What `regenerate` would ask the model, and what it would cost; nothing is started. */
  regenerationPlan(choice: RegenerateChoice): Promise<RegenerationPlanAnswer>;
  /** Starts it in the worker, or adds to what runs. */
  regenerate(choice: RegenerateChoice): Promise<RegenerationAnswer>;
  regeneration(): Promise<RegenerationAnswer>;
  /** The rest stays listed, or with `drop` is forgotten. */
  stopRegeneration(drop: boolean): Promise<RegenerationAnswer>;
  /** Says whether an observation holds; answers it as it is then. */
  setStatus(id: number, change: StatusChange): Promise<Observation>;
  setPin(id: number, pinned: boolean): Promise<Observation>;
  /** Standing rules that apply everywhere, and those of a project or of all. */
  rules(parameters: RulesParameters): Promise<RulesAnswer>;
  /** Adds a rule of the user; the same text again stores nothing. */
  remember(rule: NewRule): Promise<RememberedAnswer>;
  /** Writes another title or text in place of an observation's. */
  editText(id: number, change: TextChange): Promise<Observation>;
  projectDetails(): Promise<ProjectDetails>;
  /** Begins to make full text and files of all records anew. */
  repair(): Promise<RepairState>;
  repairState(): Promise<RepairState>;
  renameProject(from: string, to: string): Promise<RelabelAnswer>;
  mergeProject(from: string, into: string): Promise<RelabelAnswer>;
  folderFiles(): Promise<FolderFilesAnswer>;
  refreshFolders(project?: string): Promise<RefreshedFolders>;
  /** Of the files at or below `under`, or of all. */
  removeFolders(under?: string): Promise<RemovedFolders>;
  projects(): Promise<string[]>;
  /** Every setting by its name as the worker has it in effect, secrets in clear, and the viewer's state. */
  settings(): Promise<Record<string, unknown>>;
  search(parameters: SearchParameters): Promise<SearchAnswer>;
  /** Oldest first. */
  timeline(parameters: TimelineParameters): Promise<TimelineAnswer>;
  /** What is known of a file, newest first. */
  fileTimeline(parameters: {
    path: string;
    project?: string;
    cwd?: string;
    limit?: number;
  }): Promise<FileTimelineAnswer>;
  /** Whole observations, those of the ids that are there; of one project when it is given. */
  observationsOf(ids: readonly number[], project?: string): Promise<Parsed<Observation>[]>;
  /** Throws `not_found`. */
  summary(id: number, project?: string): Promise<SessionSummary>;
  /** Throws `not_found`. */
  prompt(id: number, project?: string): Promise<UserPrompt>;
  observations(page?: PageParameters): Promise<Page<Observation>>;
  summaries(page?: PageParameters): Promise<Page<SessionSummary>>;
  prompts(page?: PageParameters): Promise<Page<UserPrompt>>;
  sessions(page?: PageParameters): Promise<Page<Session>>;
  recent(
    page: Omit<PageParameters, "offset">,
  ): Promise<{ summaries: Parsed<SessionSummary>[]; observations: Parsed<Observation>[] }>;
  /** The text that a host would inject. */
  injectedContext(projects: readonly string[], colors?: boolean): Promise<string>;
  /** What an agent would get at each moment of a session, and why. */
  explainContext(parameters: ExplainParameters): Promise<ContextExplanation>;
  /** Posts a session event: `init`, `observations`, `summarize` or `complete`. */
  postSession(event: SessionPost, body: { claudeSessionId: string } & Record<string, Json>): Promise<unknown>;
  close(): Promise<void>;
}

export type SessionPost = "init" | "observations" | "summarize" | "complete";

interface ClientOptions {
  dataDir: string;
  deadlines?: Partial<Deadlines>;
}

// A worker on this machine answers in milliseconds; one that takes longer than this is stuck.
const defaultDeadlines: Deadlines = { connectMs: 1_000, answerMs: 5_000 };

/** A client of the worker that owns `dataDir`. */
export function createWorkerClient(options: ClientOptions): WorkerClient {
  const deadlines = { ...defaultDeadlines, ...options.deadlines };
  let opened: Promise<Transport> | undefined;

  async function request(method: Method, path: string, body?: unknown): Promise<unknown> {
    opened ??= openTransport(options.dataDir, deadlines);
    const mine = opened;
    try {
      return await (await mine).request(method, path, body);
    } catch (error) {
      // The next request looks anew for a worker: it may have been started on another port meanwhile.
      if (error instanceof MemError && error.code === "worker_unreachable" && opened === mine) {
        opened = undefined;
        await failOpen("close a connection", async () => (await mine).close());
      }
      throw error;
    }
  }

  const getObject = <T>(path: string, parameters: object = {}) =>
    objectOf<T>("GET", path + queryString(parameters));
  const postObject = <T>(path: string, body: object) => objectOf<T>("POST", path, body);

  async function objectOf<T>(method: Method, path: string, body?: object): Promise<T> {
    const answer = await request(method, path, body);
    if (!isJsonObject(answer))
      throw new MemError("internal", { message: `${path} answered no JSON object.` });
    // Its schema is the worker's, which the worker's own tests hold every answer against.
    return answer as T;
  }

  async function listOf<T>(method: Method, path: string, body?: object): Promise<T[]> {
    const answer = await request(method, path, body);
    if (!Array.isArray(answer)) throw new MemError("internal", { message: `${path} answered no list.` });
    return answer;
  }

  return {
    health: () => getObject("/api/health"),
    stats: () => getObject("/api/stats"),
    processingStatus: () => getObject("/api/processing-status"),
    queue: (parameters) => getObject("/api/queue", parameters),
    retryQueued: (choice) => postObject("/api/queue/retry", choice),
    dropQueued: (choice) => postObject("/api/queue/drop", choice),
    cost: (parameters) => getObject("/api/cost", parameters),
    regenerationPlan: (choice) => getObject("/api/regenerate/plan", choice),
    regenerate: (choice) => postObject("/api/regenerate", choice),
    regeneration: () => getObject("/api/regenerate"),
    stopRegeneration: (drop) => objectOf("DELETE", `/api/regenerate${queryString({ drop })}`),
    setStatus: (id, change) => postObject(`/api/observations/${id}/status`, change),
    setPin: (id, pinned) => postObject(`/api/observations/${id}/pin`, { pinned }),
    rules: (parameters) => getObject("/api/rules", parameters),
    remember: (rule) => postObject("/api/rules", rule),
    editText: (id, change) => postObject(`/api/observations/${id}/text`, change),
    repair: () => postObject("/api/maintenance/repair", {}),
    repairState: () => getObject("/api/maintenance/repair"),
    projectDetails: () => getObject("/api/projects/all"),
    renameProject: (from, to) => postObject("/api/projects/rename", { from, to }),
    mergeProject: (from, into) => postObject("/api/projects/merge", { from, into }),
    folderFiles: () => getObject("/api/folders"),
    refreshFolders: (project) => postObject("/api/folders/refresh", { ...(project && { project }) }),
    removeFolders: (under) => postObject("/api/folders/remove", { ...(under && { under }) }),
    settings: () => getObject("/api/settings"),
    projects: async () => (await getObject<{ projects: string[] }>("/api/projects")).projects,
    search: (parameters) =>
      queryString(parameters).length > maxQueryBytes
        ? postObject("/api/search", parameters)
        : getObject("/api/search", parameters),
    timeline: (parameters) =>
      queryString(parameters).length > maxQueryBytes
        ? listOf("POST", "/api/timeline", parameters)
        : listOf("GET", `/api/timeline${queryString(parameters)}`),
    fileTimeline: (parameters) => getObject("/api/observations/by-file", parameters),
    observationsOf: (ids, project) => listOf("POST", "/api/observations/batch", { ids, project }),
    summary: (id, project) => getObject(`/api/summary/${id}`, { ...(project && { project }) }),
    prompt: (id, project) => getObject(`/api/prompt/${id}`, { ...(project && { project }) }),
    observations: (page) => getObject("/api/observations", page),
    summaries: (page) => getObject("/api/summaries", page),
    prompts: (page) => getObject("/api/prompts", page),
    sessions: (page) => getObject("/sessions", page),
    recent: (page) => getObject("/api/context/recent", page),
    injectedContext: async (projects, colors = false) =>
      String(await request("GET", `/api/context/inject${queryString({ projects, colors })}`)),
    explainContext: (parameters) =>
      queryString(parameters).length > maxQueryBytes
        ? postObject("/api/context/explain", parameters)
        : getObject("/api/context/explain", parameters),
    postSession: (event, body) => request("POST", `/api/sessions/${event}`, body),
    close: async () => {
      const closing = opened;
      opened = undefined;
      await failOpen("close a connection", async () => (await closing)?.close());
    },
  };
}

// The worker reads 16 KB of request line and headers together; the rest of these is far below 1 KB.
const maxQueryBytes = 15_000;

function queryString(parameters: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    query.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}
