// The typed client of the worker's routes, used by the command line and its screens.
import { codeOf } from "../core/error-code.ts";
import { failOpen, MemError } from "../core/errors.ts";
import type { ImportBatch, ImportCounts } from "../core/records/imports.ts";
import { noSuchProject } from "../core/records/known-names.ts";
import type { QueueDropped, QueueRetried } from "../core/records/queue.ts";
import type { Observation, Parsed, Session, SessionSummary, UserPrompt } from "../core/records/records.ts";
import { sumOfCounts, type TrashKind } from "../core/records/trash.ts";
import type { RecentAnswer } from "../http/schemas/context.ts";
import type { CostAnswer } from "../http/schemas/cost.ts";
import type { SyncAnswer } from "../http/schemas/device-sync.ts";
import type { ContextExplanation } from "../http/schemas/explain.ts";
import type { ForgetPlan, ForgetReceipts, ForgetState } from "../http/schemas/forget.ts";
import type { ImportedRecords } from "../http/schemas/import.ts";
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
import type { RetentionBody, RetentionState } from "../http/schemas/retention.ts";
import type {
  KeepBody,
  KeptAnswer,
  NewRule,
  RememberedAnswer,
  RulesAnswer,
  StatusChange,
  TextChange,
  VerdictBody,
} from "../http/schemas/review.ts";
import type { ScrubBody, ScrubState } from "../http/schemas/scrub.ts";
import type { SearchAnswer } from "../http/schemas/search.ts";
import type { SessionWithSummaries } from "../http/schemas/session.ts";
import type { Health, ProcessingStatusAnswer, RepairState, Stats } from "../http/schemas/status.ts";
import type { TimelineAnswer } from "../http/schemas/timeline.ts";
import type { DeletedRecord, EmptiedTrash, RestoredRecord, TrashPage } from "../http/schemas/trash.ts";
import type { FeedAnswer, ObservationDetails, SessionRecords } from "../http/schemas/views.ts";
import type { Json } from "../text/json.ts";
import { type Calls, callsOver, isLong, queryString } from "./calls.ts";
import { connectTimeoutCode } from "./connection.ts";
import type {
  CostParameters,
  ExplainParameters,
  FeedParameters,
  FileParameters,
  ForgetParameters,
  PageParameters,
  QueueChoice,
  QueueParameters,
  RegenerateChoice,
  RulesParameters,
  SearchParameters,
  TimelineParameters,
} from "./parameters.ts";
import { sharingRoutes } from "./sharing-routes.ts";
import { type Deadlines, type Method, openTransport, type Transport } from "./transport.ts";

export type {
  ContextExplanation,
  CostAnswer,
  FeedAnswer,
  FileTimelineAnswer,
  FolderFilesAnswer,
  ForgetPlan,
  ForgetReceipts,
  ForgetState,
  Health,
  NewRule,
  ObservationDetails,
  ProcessingStatusAnswer,
  ProjectDetails,
  QueuePage,
  RegenerationAnswer,
  RegenerationPlanAnswer,
  RelabelAnswer,
  RememberedAnswer,
  RemovedFolders,
  RepairState,
  RestoredRecord,
  RetentionBody,
  RetentionState,
  RulesAnswer,
  ScrubState,
  SearchAnswer,
  SessionRecords,
  SessionWithSummaries,
  Stats,
  SyncAnswer,
  TextChange,
  TimelineAnswer,
  TrashPage,
};

export interface Page<T> {
  items: T[];
  hasMore: boolean;
  offset: number;
  limit: number;
}

export type SessionPost = "init" | "observations" | "summarize" | "complete";

type WorkerRoutes = ReturnType<typeof routesOver>;

export type WorkerClient = WorkerRoutes & {
  /** The same routes; `signal` aborts their requests. */
  under(signal: AbortSignal): WorkerRoutes;
  close(): Promise<void>;
};

interface ClientOptions {
  dataDir: string;
  deadlines?: Partial<Deadlines>;
  /** Starts a worker where none runs; false when the request would fail again. */
  start?(): Promise<boolean>;
}

// A worker answers in milliseconds. The first context after a start reads thousands of records with code that is not
// compiled yet: with four programs on each core that took 5 s.
const defaultDeadlines: Deadlines = { connectMs: 1_000, answerMs: 15_000 };

/**
 * A client of the worker that owns `dataDir`. It connects with the first request. Every request throws the worker's own
 * error, or `worker_unreachable`.
 */
export function createWorkerClient(options: ClientOptions): WorkerClient {
  const deadlines = { ...defaultDeadlines, ...options.deadlines };
  let opened: Promise<Transport> | undefined;
  let starting: Promise<boolean> | undefined;

  async function once(...given: Parameters<Transport["request"]>): Promise<unknown> {
    opened ??= openTransport(options.dataDir, deadlines);
    const mine = opened;
    try {
      return await (await mine).request(...given);
    } catch (error) {
      // The worker may be started again on another port.
      if (isUnreachable(error) && opened === mine) {
        opened = undefined;
        await failOpen("close a connection", async () => (await mine).close());
      }
      throw error;
    }
  }

  async function request(...given: Parameters<Transport["request"]>): Promise<unknown> {
    try {
      return await once(...given);
    } catch (error) {
      if (options.start === undefined || !mayRepeat(given[0], error)) throw error;
      starting ??= options.start().finally(() => {
        starting = undefined;
      });
      if (!(await starting)) throw error;
      return once(...given);
    }
  }

  return {
    ...routesOver(request),
    under: (signal) => routesOver((method, path, body) => request(method, path, body, signal)),
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
  return notSent.has(codeOf(error.cause));
}

const notSent: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOENT", connectTimeoutCode]);

/** One function per route. */
function routesOver(request: Transport["request"]) {
  const calls = callsOver(request);
  return {
    ...workerRoutes(calls),
    ...generationRoutes(calls),
    ...observationRoutes(calls),
    ...projectRoutes(calls),
    ...sharingRoutes(calls),
    ...searchRoutes(calls),
    ...recordRoutes(calls),
    ...trashRoutes(calls),
    ...importRoutes(calls),
    ...contextRoutes(calls),
    postSession: (event: SessionPost, body: { claudeSessionId: string } & Record<string, Json>) =>
      request("POST", `/api/sessions/${event}`, body),
  };
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
    acceptRule: (id: number) => post<RulesAnswer["rules"][number]>(`/api/rules/${id}/accept`, {}),
    /** Keeps a record of the host's agent, and takes one back. */
    keep: (record: KeepBody) => post<KeptAnswer>("/api/agent/records", record),
    judge: (id: number, verdict: VerdictBody) =>
      post<Observation>(`/api/agent/records/${id}/verdict`, verdict),
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

function recordRoutes({ get, list, call }: Calls) {
  return {
    /** An observation with its session, sources, files and injections. Throws `not_found`. */
    observationDetails: (id: number) => get<ObservationDetails>(`/api/observations/${id}/details`),
    /** Throws `not_found`. */
    session: (id: number) => get<SessionWithSummaries>(`/api/session/${id}`),
    /** Of a session, oldest first. */
    sessionRecords: (id: number, page: PageParameters) =>
      get<SessionRecords>(`/api/sessions/${id}/records`, page),
    /** Newest first; `before` and `before_epoch` name the record that the page begins after. */
    feed: (page: FeedParameters) => get<FeedAnswer>("/api/feed", page),
    /** Moves a record to the trash. Throws `not_found`. */
    deleteRecord: (kind: TrashKind, id: number) =>
      call<DeletedRecord>("DELETE", `/api/${collections[kind]}/${id}`),
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
    /** Newest first; with `kind` and `id`, only the entry of that record. */
    trash: (page?: PageParameters & { kind?: "observation"; id?: number }) =>
      get<TrashPage>("/api/trash", page),
    /** Everything that the entry's forget deleted, in several requests if need be. Throws `not_found`, or `conflict`. */
    restore: (trashId: number) => restoreAll(() => post<RestoredRecord>(`/api/trash/${trashId}/restore`, {})),
    importRecords: (records: readonly Json[]) => post<ImportedRecords>("/api/import/records", { records }),
    emptyTrash: () => call<EmptiedTrash>("DELETE", "/api/trash"),
    /** Begins; `scrubState` shows the progress. */
    scrub: (body: ScrubBody) => post<ScrubState>("/api/scrub", body),
    scrubState: () => get<ScrubState>("/api/scrub"),
    retention: () => get<RetentionState>("/api/retention"),
    retentionPlan: (change: RetentionBody) => post<ForgetPlan>("/api/retention/plan", change),
    setRetention: (change: RetentionBody) => post<RetentionState>("/api/retention", change),
    forgetPlan: (choice: ForgetParameters) => post<ForgetPlan>("/api/forget/plan", choice),
    /** Begins; `forgetState` shows the progress. */
    forget: (choice: ForgetParameters & { forever: boolean }) => post<ForgetState>("/api/forget", choice),
    forgetReceipts: () => get<ForgetReceipts>("/api/forget/receipts"),
    forgetState: () => get<ForgetState>("/api/forget"),
  };
}

async function restoreAll(restoreMore: () => Promise<RestoredRecord>): Promise<RestoredRecord> {
  let all = await restoreMore();
  while (all.waiting !== undefined) {
    const left = all.waiting + (all.left ?? 0);
    const { restored: before } = all;
    const { restored, ...more } = await restoreMore().catch((thrown: unknown) => {
      // Only entries that cannot be restored now are left.
      if (thrown instanceof MemError && thrown.code === "conflict") return { restored: undefined, left };
      throw thrown;
    });
    if (restored === undefined) return { ...all, left, waiting: undefined };
    all = { ...all, waiting: undefined, ...more, restored: sumOfCounts(before, restored) };
  }
  return all;
}

function importRoutes({ get, post }: Calls) {
  return {
    importBatch: (batch: ImportBatch) => post<ImportCounts>("/api/import/events", batch),
    /** What the reader of the source stored last; null before the first import. */
    importState: (source: string) =>
      get<{ position: Json; waiting: number }>(`/api/import/sources/${source}`),
    /** Labels of the projects of directories, in their order. */
    projectsOf: async (directories: readonly string[]) =>
      (await post<{ labels: string[] }>("/api/projects/of", { directories })).labels,
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

const collections = {
  observation: "observations",
  summary: "summaries",
  prompt: "prompts",
  session: "sessions",
} as const satisfies Record<TrashKind, string>;
