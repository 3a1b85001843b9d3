// The older routes over the store: what a key reaches of a label, and every port within that.
import { posix } from "node:path";
import { cleanKey } from "../capture/clean-input.ts";
import type { Cleaner } from "../capture/cleaner.ts";
import type { InTurn } from "../capture/in-turn.ts";
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import { parseLists } from "../core/records/records.ts";
import { type Caller, isId, type ProjectScope, type Tenant } from "../core/records/tenancy.ts";
import { version } from "../core/version.ts";
import type { LegacyPorts, Reach } from "../http/v1/legacy/ports.ts";
import type { ProjectScopePorts } from "../http/v1/project-scope.ts";
import type { RecallPorts } from "../http/v1/recall.ts";
import { cleanText } from "../privacy/clean.ts";
import { createTopics } from "../recall/topics.ts";
import { countTenantJobs } from "../store/postgres/job-counts.ts";
import {
  countObservations,
  newestObservations,
  newestPrompts,
  newestSummaries,
  noFilter,
  observationsByNumber,
  promptByNumber,
  summariesByNumber,
} from "../store/postgres/legacy-records.ts";
import {
  legacyTotals,
  newestSessions,
  projectsOfSession,
  sessionByNumber,
  summariesOfSession,
} from "../store/postgres/legacy-sessions.ts";
import type { Connections } from "../store/postgres/open.ts";
import { findProject, findProjectId, listProjects } from "../store/postgres/projects.ts";
import { storableText } from "../text/storable.ts";
import { createHostedIntake, sessionName } from "./legacy-capture.ts";
import { legacyContext } from "./legacy-context.ts";
import { createLegacySearch, emptySearch } from "./legacy-search.ts";
import { legacyContextSettings, legacySkipTools } from "./legacy-settings.ts";
import { legacyTimeline } from "./legacy-timeline.ts";

interface LegacyDeps {
  app: Connections;
  clock: Clock;
  projects: ProjectScopePorts;
  recall: Pick<RecallPorts, "search" | "notes" | "recordRead">;
  address(): { port: number };
  onStored(events: number): void;
  cleaner?: Cleaner;
  inTurn?: InTurn;
}

export function createLegacyPorts(deps: LegacyDeps): LegacyPorts {
  const { app, clock, recall } = deps;
  const skipTools = legacySkipTools();
  const settings = legacyContextSettings();
  const startedAt = clock.monotonicMs();
  const reachOf = createReach(deps);
  const searchIn = (reach: Reach) =>
    reach === null
      ? emptySearch
      : createLegacySearch(
          {
            app,
            search: recall.search,
            notes: recall.notes,
            someProjects: (within) => someProjects(app, within),
          },
          reach,
        );

  return {
    reach: reachOf,
    ownProject: (caller) => ownProject(deps, caller),
    demandScope: createScopes(deps, reachOf),
    intake: (scope) => createHostedIntake({ ...deps, skipTools }, scope),
    ...recordPorts(app),
    search: (reach, asked) => searchIn(reach).search(asked),
    topic: (reach, topic, request) => createTopics(searchIn(reach)).of(topic, request),
    timeline: (reach, request) => legacyTimeline(app, { reach, search: searchIn(reach) }, request),
    inject: (projects, request) =>
      legacyContext(app, { projects, ...request }, { settings, searchCommand: "POST /v1/search" }),
    async stats(reach) {
      const { activeSessions, ...database } = await legacyTotals(app, reach);
      const uptime = (clock.monotonicMs() - startedAt) / 1000;
      const worker = { version: version(), uptime, activeSessions, sseClients: 0, port: deps.address().port };
      // Where it is and how large belongs to the server, and is told to no key.
      return { worker, database: { path: "", size: 0, ...database } };
    },
    queue: (reach) => countTenantJobs(app, reach),
    projects: (reach) => projectNames(app, reach),
    recordRead: recall.recordRead,
    now: () => clock.now(),
    port: () => deps.address().port,
  };
}

/** A label is a project's name, or its id. One that is out of reach is like one that nobody has. */
function createReach({ app, projects }: LegacyDeps): LegacyPorts["reach"] {
  return async ({ team_id, project_id }, label) => {
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
  };
}

function createScopes(
  { app, projects }: LegacyDeps,
  reachOf: LegacyPorts["reach"],
): LegacyPorts["demandScope"] {
  return async (caller: Caller, { project, claudeSessionId }): Promise<ProjectScope> => {
    const reach = await reachOf(caller, project);
    if (reach === null) {
      throw new MemError("invalid_request", {
        message: "`project`: names no project that the key reaches",
        hint: "Name one of GET /api/projects, or leave it out with a key of one project.",
      });
    }
    const { team_id } = reach;
    if (reach.project_id !== null) return { team_id, project_id: reach.project_id };
    // Who said at the session's beginning where it belongs need not say it again.
    const [begun, other] = await projectsOfSession(app, reach, cleanKey(sessionName(claudeSessionId)));
    if (begun !== undefined && other === undefined) return { team_id, project_id: begun };
    if (caller.key_id === null) return { team_id, project_id: await projects.localProject(caller) };
    throw noProjectNamed();
  };
}

async function ownProject({ app, projects }: LegacyDeps, caller: Caller) {
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

type RecordPorts = Pick<
  LegacyPorts,
  "sessions" | "observations" | "summaries" | "prompts" | "observationsOf" | "byFile" | "recent"
>;

function recordPorts(app: Connections): RecordPorts {
  return {
    sessions: {
      page: paged((reach, page) => newestSessions(app, reach, page)),
      byId: (reach, id) => sessionByNumber(app, reach, id),
      summariesOf: ({ session, scope }) => summariesOfSession(app, scope, session.sdk_session_id),
    },
    observations: {
      page: paged((reach, page) => newestObservations(app, reach, { filter: noFilter, page })),
      byId: async (reach, id) => (await observationsByNumber(app, reach, [id]))[0],
    },
    summaries: {
      page: paged((reach, page) => newestSummaries(app, reach, { filter: noFilter, page })),
      byId: async (reach, id) => (await summariesByNumber(app, reach, [id]))[0],
    },
    prompts: {
      page: paged((reach, page) => newestPrompts(app, reach, { filter: noFilter, page })),
      byId: (reach, id) => promptByNumber(app, reach, id),
    },
    async observationsOf(reach, ids) {
      const found = new Map(
        (await observationsByNumber(app, reach, ids)).map((record) => [record.id, record]),
      );
      return ids.flatMap((id) => found.get(id) ?? []).map(parseLists);
    },
    async byFile(reaches, { path, limit }) {
      const asked = { filter: { ...noFilter, files: spellings(path) }, page: { offset: 0, limit } };
      const found = await Promise.all(
        reaches.map(async (reach) => ({
          observations: await newestObservations(app, reach, asked),
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
    },
    async recent(reach, limit) {
      const asked = { filter: noFilter, page: { offset: 0, limit } };
      return {
        summaries: (await newestSummaries(app, reach, asked)).map(parseLists),
        observations: (await newestObservations(app, reach, asked)).map(parseLists),
      };
    },
  };
}

// One more than is shown says whether more follow.
function paged<R>(read: (reach: Tenant, page: { offset: number; limit: number }) => Promise<R[]>) {
  return async (reach: Tenant, { offset, limit }: { offset: number; limit: number }) => {
    const found = await read(reach, { offset, limit: limit + 1 });
    return { items: found.slice(0, limit), hasMore: found.length > limit };
  };
}

// A relative path is the end of what is stored. An absolute one is the file itself, or was stored from its project's
// root; a bare name is no such end: every folder has an index.ts.
function spellings(path: string): { are: string[]; endWith: string[] } {
  const plain = posix.normalize(path.replaceAll("\\", "/"));
  const whole = [...new Set([path, plain, plain.replaceAll("/", "\\")])];
  if (!/^(?:\/|[A-Za-z]:\/)/.test(plain)) return { are: [], endWith: whole };
  const parts = plain.split("/");
  const ends = parts.slice(1, -1).map((_, index) => parts.slice(index + 1).join("/"));
  return { are: [...whole, ...ends.slice(-maxEnds)], endWith: [] };
}

const maxEnds = 16;

async function someProjects(app: Connections, reach: Tenant): Promise<string[]> {
  return (await listProjects(app, reach, { after: "", limit: 2 })).map(({ id }) => id);
}

const namesAtOnce = 1_000;

async function projectNames(app: Connections, reach: Tenant): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const rows = await listProjects(app, reach, { after: names.at(-1) ?? "", limit: namesAtOnce });
    names.push(...rows.map(({ name }) => name));
    if (rows.length < namesAtOnce) return names;
  }
}
