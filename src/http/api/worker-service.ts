// The `/api` service of the worker: its store as it is, with notes on the filters of a search.
import type { Clock } from "../../core/clock.ts";
import { noSuchProject } from "../../core/records/known-names.ts";
import type { Mode } from "../../core/records/mode.ts";
import type { Observation, Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { ByFile } from "../../recall/by-file.ts";
import type { Search, SearchResults } from "../../recall/search.ts";
import type { Timeline } from "../../recall/timeline.ts";
import type { Topic, Topics } from "../../recall/topics.ts";
import { injectQuery, previewQuery } from "../schemas/context.ts";
import { changeErrors, lookupErrors, readErrors, writeErrors } from "../schemas/error.ts";
import { observationPageQuery, ofProjectQuery } from "../schemas/fields.ts";
import type { Stats } from "../schemas/status.ts";
import type { ContextOptions } from "./context.ts";
import { type KnownFilters, notesOnFilters } from "./filter-notes.ts";
import type { ApiPorts, ApiService, Page, PageRequest, SessionIntake } from "./service.ts";

interface StoredRecords<R> {
  page(request: PageRequest): Page<R>;
  byId(id: number): R | undefined;
}

/** The store and the features behind the routes. */
export interface WorkerRecords {
  clock: Clock;
  /** The bound address; known from the first request on. */
  address(): { host: string; port: number };
  intake: SessionIntake;
  sessions: StoredRecords<Session> & {
    /** Messages of the session that wait or are being processed. */
    queueLength(id: number): number;
  };
  observations: StoredRecords<Observation>;
  summaries: StoredRecords<SessionSummary> & { ofSession(sdkSessionId: string): SessionSummary[] };
  prompts: StoredRecords<UserPrompt>;
  search: Search;
  recall: {
    topics: Topics;
    /** The active mode. */
    mode(): Pick<Mode, "name" | "types" | "concepts">;
    byFile: ByFile;
    observationsOf: ApiPorts["observationsOf"];
  };
  timeline: Timeline;
  context: Pick<ApiPorts, "recent" | "inject">;
  stats(): Stats;
  projects(): string[];
  /** The present label of a project that may have been renamed. */
  projectNamed(label: string): string;
}

export function workerService(records: WorkerRecords): ApiService & { context: ContextOptions } {
  const ports = portsOf(records);
  return {
    portsFor: () => ports,
    access: { read: {}, write: {} },
    errors: { read: readErrors, lookup: lookupErrors, write: writeErrors, change: changeErrors },
    recordQuery: ofProjectQuery,
    observationPageQuery,
    context: {
      injectQuery,
      previewQuery,
      unknownProjects(projects) {
        const known = records.projects();
        return projects.flatMap((project) => noSuchProject(project, known) ?? []);
      },
    },
  };
}

function portsOf(records: WorkerRecords): ApiPorts {
  const { intake, sessions, observations, summaries, prompts, recall, timeline, context } = records;
  const known: KnownFilters = {
    mode: recall.mode,
    projects: records.projects,
  };
  return {
    intake,
    observations: ofProject(observations),
    summaries: ofProject(summaries),
    prompts: ofProject(prompts),
    sessions: {
      page: sessions.page,
      byId(id, project) {
        const found = ofProject(sessions).byId(id, project);
        return found && { ...found, summaries: summaries.ofSession(found.sdk_session_id) };
      },
    },
    numberedSession(id) {
      const session = sessions.byId(id);
      return session && { session, waiting: sessions.queueLength(id), intake };
    },
    observationsOf: recall.observationsOf,
    search: async (query) => withNotes(await records.search.search(query), query, known),
    async topic(topic, request) {
      const found = await recall.topics.of(topic, request);
      return withNotes(found, { ...request, ...filtersOf(topic) }, known);
    },
    timeline: timeline.around,
    byFile: recall.byFile.of,
    recent: context.recent,
    inject: context.inject,
    stats: records.stats,
    projects: records.projects,
    now: records.clock.now,
    port: () => records.address().port,
  };
}

function ofProject<R extends { project: string }>({ page, byId }: StoredRecords<R>) {
  return {
    page,
    byId(id: number, project?: string): R | undefined {
      const found = byId(id);
      return project === undefined || found?.project === project ? found : undefined;
    },
  };
}

/** The records of all kinds. */
export function countOf({ observations, sessions, prompts }: SearchResults): number {
  return observations.length + sessions.length + prompts.length;
}

function withNotes(
  found: SearchResults,
  filters: Parameters<typeof notesOnFilters>[1],
  known: KnownFilters,
): SearchResults {
  return { ...found, notes: [...found.notes, ...notesOnFilters(countOf(found), filters, known)] };
}

function filtersOf(topic: Topic): { concepts?: string[]; obs_type?: string } {
  if (topic.topic === "concept") return { concepts: [topic.concept] };
  return topic.topic === "type" ? { obs_type: topic.obs_type } : {};
}
