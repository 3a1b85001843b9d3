// What the older routes need: who reaches what, the local intake over the server's store, and the records in reach.
import type {
  Observation,
  Parsed,
  Session,
  SessionSummary,
  UserPrompt,
} from "../../../core/records/records.ts";
import type { Caller, ProjectScope, Tenant } from "../../../core/records/tenancy.ts";
import type { FileObservation } from "../../../recall/by-file.ts";
import type { SearchResults } from "../../../recall/search.ts";
import type { TimelineItem, TimelineRequest } from "../../../recall/timeline.ts";
import type { Topic, TopicRequest } from "../../../recall/topics.ts";
import type { SessionIntake } from "../../api/sessions.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Stats } from "../../schemas/status.ts";
import type { Read } from "../recall.ts";

/** Bounds of a read; null reaches nothing: the answer is that of a project without records. */
export type Reach = Tenant | null;

interface Page<R> {
  items: R[];
  hasMore: boolean;
}

interface PageRequest {
  offset: number;
  limit: number;
}

/** One kind of record. */
export interface LegacyRecords<R> {
  page(reach: Tenant, request: PageRequest): Promise<Page<R>>;
  byId(reach: Tenant, id: number): Promise<R | undefined>;
}

/** A session with where it stands, and how much of it waits. */
export interface LegacySession {
  session: Session;
  scope: ProjectScope;
  waiting: number;
}

export interface QueueCounts {
  pending: number;
  processing: number;
  dead: number;
  /** Null when none is pending. */
  oldestPendingAgeMs: number | null;
}

export interface LegacyPorts {
  /** What the caller reaches of the project of that label; all that he reaches without one. */
  reach(caller: Caller, label: string | undefined): Promise<Reach>;
  /** The project that is meant when none is named: the key's. Throws `invalid_request` for a key of the whole team. */
  ownProject(caller: Caller): Promise<{ label: string; reach: Tenant }>;
  /** Where a write goes. Throws `invalid_request` when that is not clear, or out of reach. */
  demandScope(
    caller: Caller,
    named: { project?: string | undefined; claudeSessionId: string },
  ): Promise<ProjectScope>;
  intake(scope: ProjectScope): SessionIntake;
  sessions: Pick<LegacyRecords<Session>, "page"> & {
    byId(reach: Tenant, id: number): Promise<LegacySession | undefined>;
    summariesOf(session: LegacySession): Promise<SessionSummary[]>;
  };
  observations: LegacyRecords<Observation>;
  summaries: LegacyRecords<SessionSummary>;
  prompts: LegacyRecords<UserPrompt>;
  /** Those of the ids that are there, in their order. */
  observationsOf(reach: Tenant, ids: readonly number[]): Promise<Parsed<Observation>[]>;
  search(reach: Reach, asked: SearchQuery): Promise<SearchResults>;
  topic(reach: Reach, topic: Topic, request: TopicRequest): Promise<SearchResults>;
  timeline(reach: Reach, request: TimelineRequest): Promise<TimelineItem[]>;
  byFile(
    reaches: readonly Tenant[],
    request: { path: string; limit: number },
  ): Promise<{ observations: FileObservation[]; total: number }>;
  recent(
    reach: Tenant,
    limit: number,
  ): Promise<{ summaries: Parsed<SessionSummary>[]; observations: Parsed<Observation>[] }>;
  inject(
    projects: readonly { label: string; reach: Reach }[],
    request: { caller: Tenant; colors: boolean },
  ): Promise<string>;
  stats(reach: Tenant): Promise<Stats>;
  /** The generation jobs that are not done; `dead` have failed. */
  queue(reach: Tenant): Promise<QueueCounts>;
  projects(reach: Tenant): Promise<string[]>;
  /** Resolves when it is written down, or could not be. */
  recordRead(read: Read): Promise<void>;
  now(): number;
  port(): number;
}
