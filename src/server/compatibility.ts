// The `/api` ports of the server: bound to a caller's reach in the store, with an audit row for each read of records.
import { posix } from "node:path";
import { cleanKey } from "../capture/clean-input.ts";
import type { Cleaner } from "../capture/cleaner.ts";
import type { InTurn } from "../capture/in-turn.ts";
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import { parseLists } from "../core/records/records.ts";
import { type Caller, isId, type ProjectScope, type Tenant } from "../core/records/tenancy.ts";
import { version } from "../core/version.ts";
import type { ApiPorts, Page, PageRequest, Records, SessionIntake } from "../http/api/service.ts";
import { countOf } from "../http/api/worker-service.ts";
import type { CompatibilityPorts } from "../http/v1/compatibility.ts";
import type { ProjectScopePorts } from "../http/v1/project-scope.ts";
import type { Asker, RecallPorts } from "../http/v1/recall.ts";
import { cleanText } from "../privacy/clean.ts";
import type { Search, SearchResults } from "../recall/search.ts";
import { createTopics } from "../recall/topics.ts";
import { countTenantJobs } from "../store/postgres/job-counts.ts";
import type { Connections } from "../store/postgres/open.ts";
import { findProject, findProjectId, listProjects } from "../store/postgres/projects.ts";
import type { RecordKind, RecordOf } from "../store/postgres/record-rows.ts";
import { byNumbers, countObservations, newest, noFilter } from "../store/postgres/records.ts";
import {
  countRecords,
  projectsOfSession,
  sessionByNumber,
  summariesOfSession,
} from "../store/postgres/session-records.ts";
import { storableText } from "../text/storable.ts";
import { createHostedIntake, sessionName } from "./intake/capture.ts";
import { injectedContext } from "./search/injected-context.ts";
import { createRecordSearch, emptySearch } from "./search/record-search.ts";
import { timelineAround } from "./search/timeline.ts";

export interface CompatibilityDeps {
  app: Connections;
  clock: Clock;
  projects: ProjectScopePorts;
  recall: Pick<RecallPorts, "search" | "notes" | "recordRead">;
  address(): { port: number };
  /** Hears how many events a call stored. */
  onStored(events: number): void;
  /** Without one everything is cleaned in this process. */
  cleaner?: Cleaner;
  inTurn?: InTurn;
}

/** Bounds of a read; null for a project out of reach, which reads like one without records. */
type Reach = Tenant | null;

export function createCompatibility(deps: CompatibilityDeps): CompatibilityPorts {
  const startedAt = deps.clock.monotonicMs();
  return {
    queue: (reach) => countTenantJobs(deps.app, reach),
    portsFor: (asker) => ({
      ...recordPorts(deps, asker),
      ...searchPorts(deps, asker),
      ...sessionPorts(deps, asker),
      async stats() {
        const { activeSessions, ...database } = await countRecords(deps.app, tenantOf(asker));
        const uptime = (deps.clock.monotonicMs() - startedAt) / 1000;
        const { port } = deps.address();
        const worker = { version: version(), uptime, activeSessions, sseClients: 0, port };
        // Path and size belong to the server; no key sees them.
        return { worker, database: { path: "", size: 0, ...database } };
      },
      projects: () => projectNames(deps.app, tenantOf(asker)),
      now: () => deps.clock.now(),
      port: () => deps.address().port,
    }),
  };
}

function tenantOf({ caller: { team_id, project_id } }: Asker): Tenant {
  return { team_id, project_id };
}

interface Read<A> {
  /** Label of the project that is read, if one is named. */
  project?: string | undefined;
  work(reach: Reach): Promise<A>;
  /** Records in the answer. */
  count(answer: NonNullable<A>): number;
}

/** Runs a read and records it in the audit log; a read that throws or finds nothing by its id is not recorded. */
async function read<A>(deps: CompatibilityDeps, asker: Asker, { project, work, count }: Read<A>): Promise<A> {
  const { caller } = asker;
  const reach = await reachOf(deps, caller, project);
  const answer = await work(reach);
  if (answer === undefined || answer === null) return answer;
  const project_id = reach?.project_id ?? caller.project_id;
  await deps.recall.recordRead({ ...asker, project_id, results: count(answer), resource_id: null });
  return answer;
}

type RecordPorts = Pick<
  ApiPorts,
  "observations" | "summaries" | "prompts" | "sessions" | "observationsOf" | "recent"
>;

function recordPorts(deps: CompatibilityDeps, asker: Asker): RecordPorts {
  const { app } = deps;
  const pageOf =
    <K extends RecordKind>(kind: K): Records<RecordOf[K]>["page"] =>
    ({ project, offset, limit }: PageRequest) =>
      read(deps, asker, {
        project,
        async work(reach): Promise<Page<RecordOf[K]>> {
          // One more than is shown says whether more follow.
          const asked = { filter: noFilter, page: { offset, limit: limit + 1 } };
          const found = reach === null ? [] : await newest(app, reach, kind, asked);
          return { items: found.slice(0, limit), hasMore: found.length > limit };
        },
        count: ({ items }) => items.length,
      });
  const byId =
    <R>(find: (reach: Tenant, id: number) => Promise<R | undefined>) =>
    (id: number): Promise<R | undefined> =>
      read(deps, asker, {
        work: async (reach) => (reach === null ? undefined : find(reach, id)),
        count: () => 1,
      });
  const records = <K extends RecordKind>(kind: K): Records<RecordOf[K]> => ({
    page: pageOf(kind),
    byId: byId(async (reach, id) => (await byNumbers(app, reach, kind, [id]))[0]),
  });
  return {
    observations: { ...records("observations"), page: pageOf("listed") },
    summaries: records("summaries"),
    prompts: records("prompts"),
    sessions: {
      page: pageOf("sessions"),
      byId: byId(async (reach, id) => {
        const found = await sessionByNumber(app, reach, id);
        if (found === undefined) return undefined;
        const { session, scope } = found;
        return { ...session, summaries: await summariesOfSession(app, scope, session.sdk_session_id) };
      }),
    },
    observationsOf: ({ ids, project }) =>
      read(deps, asker, {
        project,
        async work(reach) {
          const found = reach === null ? [] : await byNumbers(app, reach, "observations", ids);
          const known = new Map(found.map((record) => [record.id, record]));
          return ids.flatMap((id) => known.get(id) ?? []).map(parseLists);
        },
        count: (found) => found.length,
      }),
    recent: ({ project, limit }) =>
      read(deps, asker, {
        project,
        async work(reach) {
          if (reach === null) return { summaries: [], observations: [] };
          const asked = { filter: noFilter, page: { offset: 0, limit } };
          return {
            summaries: (await newest(app, reach, "summaries", asked)).map(parseLists),
            observations: (await newest(app, reach, "listed", asked)).map(parseLists),
          };
        },
        count: ({ summaries, observations }) => summaries.length + observations.length,
      }),
  };
}

function searchPorts(
  deps: CompatibilityDeps,
  asker: Asker,
): Pick<ApiPorts, "search" | "topic" | "timeline" | "byFile" | "inject"> {
  const { app } = deps;
  const { caller } = asker;
  const searchIn = (reach: Reach): Search =>
    reach === null ? emptySearch : createRecordSearch({ app, ...deps.recall }, reach);
  return {
    search: (query) =>
      read(deps, asker, {
        project: query.project,
        async work(reach): Promise<SearchResults> {
          const found = await searchIn(reach).search(query);
          return reach === null ? { ...found, notes: [noProjectNote] } : found;
        },
        count: countOf,
      }),
    topic: (topic, request) =>
      read(deps, asker, {
        project: request.project,
        work: (reach) => createTopics(searchIn(reach)).of(topic, request),
        count: countOf,
      }),
    timeline: (request) =>
      read(deps, asker, {
        project: request.project,
        work: (reach) => timelineAround(app, { reach, search: searchIn(reach) }, request),
        count: (items) => items.length,
      }),
    // A directory is ignored: no work tree of an agent is on this machine.
    byFile: ({ path, projects, limit }) =>
      read(deps, asker, {
        async work() {
          const labels = projects.length === 0 ? [undefined] : projects;
          const reaches = await Promise.all(labels.map((label) => reachOf(deps, caller, label)));
          return recordsOfFile(
            app,
            reaches.filter((reach) => reach !== null),
            { path, limit },
          );
        },
        count: ({ observations }) => observations.length,
      }),
    inject: ({ projects, colors }) =>
      read(deps, asker, {
        async work() {
          const named =
            projects.length === 0
              ? [await ownProject(deps, caller)]
              : await Promise.all(
                  projects.map(async (label) => ({ label, reach: await reachOf(deps, caller, label) })),
                );
          return injectedContext(app, { caller, projects: named, colors });
        },
        count: (text) => (text === "" ? 0 : 1),
      }),
  };
}

// The same for an unknown project and for one out of reach.
const noProjectNote = "There is no such project. GET /api/projects lists those that the key reaches.";

function sessionPorts(
  deps: CompatibilityDeps,
  { caller }: Asker,
): Pick<ApiPorts, "intake" | "numberedSession"> {
  const intakeFor = async (input: { claudeSessionId: string; project?: string | undefined }) =>
    createHostedIntake(deps, await demandScope(deps, caller, input));
  const intake: SessionIntake = {
    initSession: async (input) => (await intakeFor(input)).initSession(input),
    observe: async (input) => (await intakeFor(input)).observe(input),
    summarize: async (input) => (await intakeFor(input)).summarize(input),
    complete: async (input) => (await intakeFor(input)).complete(input),
  };
  return {
    intake,
    async numberedSession(id) {
      const { team_id, project_id } = caller;
      const found = await sessionByNumber(deps.app, { team_id, project_id }, id);
      return found && { ...found, intake: createHostedIntake(deps, found.scope) };
    },
  };
}

/** The bounds of a label, which is a project's name or id; all that the caller reaches without one. */
async function reachOf(
  { app, projects }: CompatibilityDeps,
  { team_id, project_id }: Tenant,
  label: string | undefined,
): Promise<Reach> {
  if (label === undefined) return { team_id, project_id };
  if (isId(label)) {
    if (project_id !== null) return label === project_id ? { team_id, project_id } : null;
    return (await projects.exists({ team_id, project_id: label })) ? { team_id, project_id: label } : null;
  }
  const name = cleanText(storableText(label)).trim();
  const found = await findProjectId(app, { team_id, project_id }, name);
  return found === undefined || (project_id !== null && found !== project_id)
    ? null
    : { team_id, project_id: found };
}

/** Where a write goes. Throws `invalid_request` for a project that is unclear or out of reach. */
async function demandScope(
  deps: CompatibilityDeps,
  caller: Caller,
  { project, claudeSessionId }: { project?: string | undefined; claudeSessionId: string },
): Promise<ProjectScope> {
  const reach = await reachOf(deps, caller, project);
  if (reach === null) {
    throw new MemError("invalid_request", {
      message: "`project`: names no project that the key reaches",
      hint: "Name one of GET /api/projects, or leave it out with a key of one project.",
    });
  }
  const { team_id } = reach;
  if (reach.project_id !== null) return { team_id, project_id: reach.project_id };
  // A client that named the project when the session began need not name it again.
  const [begun, other] = await projectsOfSession(deps.app, reach, cleanKey(sessionName(claudeSessionId)));
  if (begun !== undefined && other === undefined) return { team_id, project_id: begun };
  if (caller.key_id === null) return { team_id, project_id: await deps.projects.localProject(caller) };
  throw noProjectNamed();
}

async function ownProject({ app, projects }: CompatibilityDeps, caller: Caller) {
  const { team_id } = caller;
  if (caller.project_id === null && caller.key_id !== null) throw noProjectNamed();
  const project_id = caller.project_id ?? (await projects.localProject(caller));
  const found = await findProject(app, caller, project_id);
  return { label: found?.name ?? project_id, reach: { team_id, project_id } };
}

function noProjectNamed(): MemError {
  return new MemError("invalid_request", {
    message: "`project`: is needed, since the key reaches every project of its team",
    hint: "Name one of GET /api/projects, or use a key of one project.",
  });
}

async function recordsOfFile(
  app: Connections,
  reaches: readonly Tenant[],
  { path, limit }: { path: string; limit: number },
) {
  const asked = { filter: { ...noFilter, files: spellings(path) }, page: { offset: 0, limit } };
  const found = await Promise.all(
    reaches.map(async (reach) => ({
      observations: await newest(app, reach, "observations", asked),
      total: await countObservations(app, reach, asked.filter),
    })),
  );
  return {
    observations: found
      .flatMap(({ observations }) => observations)
      .sort((left, right) => right.id - left.id)
      .slice(0, limit)
      .map(parseLists),
    total: found.reduce((sum, { total }) => sum + total, 0),
  };
}

// A relative path matches the end of stored paths. An absolute one matches itself, or its path from the project root;
// a bare name does not count as such: every folder has an index.ts.
function spellings(path: string): { are: string[]; endWith: string[] } {
  const plain = posix.normalize(path.replaceAll("\\", "/"));
  const whole = [...new Set([path, plain, plain.replaceAll("/", "\\")])];
  if (!/^(?:\/|[A-Za-z]:\/)/.test(plain)) return { are: [], endWith: whole };
  const parts = plain.split("/");
  const ends = parts.slice(1, -1).map((_, index) => parts.slice(index + 1).join("/"));
  return { are: [...whole, ...ends.slice(-maxEnds)], endWith: [] };
}

const maxEnds = 16;

const namesAtOnce = 1_000;

async function projectNames(app: Connections, reach: Tenant): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const rows = await listProjects(app, reach, { after: names.at(-1) ?? "", limit: namesAtOnce });
    names.push(...rows.map(({ name }) => name));
    if (rows.length < namesAtOnce) return names;
  }
}
