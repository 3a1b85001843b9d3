// The `/api` service of the worker: its store as it is, with notes on the filters of a search.
import type { Clock } from "../../core/clock.ts";
import { noSuchProject } from "../../core/records/known-names.ts";
import type { Mode } from "../../core/records/mode.ts";
import type { Observation, Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { ByFile } from "../../recall/by-file.ts";
import type { Search, SearchRequest, SearchResults } from "../../recall/search.ts";
import type { Timeline } from "../../recall/timeline.ts";
import type { Topic, Topics } from "../../recall/topics.ts";
import { injectQuery, previewQuery } from "../schemas/context.ts";
import { changeErrors, lookupErrors, readErrors, writeErrors } from "../schemas/error.ts";
import { observationPageQuery, ofProjectQuery } from "../schemas/fields.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { Stats } from "../schemas/status.ts";
import type { ContextOptions } from "./context.ts";
import { notesOnFilters, withoutUnknown } from "./filter-notes.ts";
import { type KnownNames, readLabels } from "./query-filters.ts";
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
  const known: KnownNames = {
    mode: recall.mode,
    projects: records.projects,
    projectNamed: records.projectNamed,
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
    search: (query) => searchWithLabels(records.search, query, known),
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

async function searchWithLabels(
  search: Search,
  query: SearchQuery,
  known: KnownNames,
): Promise<SearchResults> {
  const { asked, notes, plain } = readLabels(query, known);
  const found = await search.search(asked);
  // A filter by parameter is meant; one among the words may be words.
  const isMeant = withoutUnknown(query, known) !== null;
  const loose = countOf(found) > 0 || isMeant ? null : loosened({ ...asked, query: plain }, asked, known);
  // A later page may be empty with valid filters.
  const isEmpty =
    loose !== null && (!asked.offset || countOf(await search.search({ ...asked, offset: 0 })) === 0);
  const again = isEmpty ? await search.search(loose.asked) : undefined;
  if (again !== undefined && countOf(again) > 0)
    return { ...again, notes: [...notes, ...(loose?.notes ?? []), withoutFilter, ...again.notes] };
  return withNotes({ ...found, notes: [...notes, ...found.notes] }, asked, known);
}

const withoutFilter = "Nothing was found with that filter, so these are the results without it.";

/** The search without unknown filters; null when there are none, or when they are all of it. */
function loosened(
  plain: SearchRequest,
  asked: SearchRequest,
  known: KnownNames,
): { asked: SearchRequest; notes: string[] } | null {
  const without = withoutUnknown(plain, known) ?? { asked: plain, notes: [] };
  const isSame = without.notes.length === 0 && plain.query === (asked.query ?? "");
  const { query = "", type, obs_type, concepts = [], files = [], dateStart, dateEnd } = without.asked;
  const asks = query !== "" || concepts.length + files.length > 0;
  const isLeft = asks || [type, obs_type, dateStart, dateEnd].some((filter) => filter !== undefined);
  return isSame || !isLeft ? null : without;
}

/** The records of all kinds. */
export function countOf({ observations, sessions, prompts }: SearchResults): number {
  return observations.length + sessions.length + prompts.length;
}

function withNotes(
  found: SearchResults,
  filters: Parameters<typeof notesOnFilters>[1],
  known: KnownNames,
): SearchResults {
  return { ...found, notes: [...found.notes, ...notesOnFilters(countOf(found), filters, known)] };
}

function filtersOf(topic: Topic): { concepts?: string[]; obs_type?: string } {
  if (topic.topic === "concept") return { concepts: [topic.concept] };
  return topic.topic === "type" ? { obs_type: topic.obs_type } : {};
}
