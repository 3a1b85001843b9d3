// The local context over the server's store: what it may draw from is read first, then chosen and rendered as locally.
import type { ContextPort } from "../context/context-port.ts";
import type { ContextSettings } from "../context/context-settings.ts";
import { createContext } from "../context/inject.ts";
import { type Observation, parseList, type SessionSummary } from "../domain/records.ts";
import type { Tenant } from "../domain/tenancy.ts";
import { newestObservations, newestSummaries, noFilter } from "../store/postgres/legacy-records.ts";
import type { Connections } from "../store/postgres/open.ts";

interface Named {
  label: string;
  reach: Tenant | null;
}

// Four for each row that is wanted, as the local choice looks at, and as many again for those of other sessions.
const drawnFrom = 400;
// More labels would crowd out their own records; so many are read, too.
const maxProjects = 8;

/** The text to inject; empty when there is nothing to tell. */
export async function legacyContext(
  app: Connections,
  { projects, colors }: { projects: readonly Named[]; colors: boolean },
  { settings, searchCommand }: { settings: ContextSettings; searchCommand: string },
): Promise<string> {
  const known = new Map<string, Known>();
  for (const { label, reach } of projects.slice(0, maxProjects)) {
    if (reach !== null) known.set(label, await readKnown(app, reach, settings));
  }
  const labels = projects.map(({ label }) => label);
  return createContext(portOf(known), settings, searchCommand).inject({ projects: labels, colors });
}

interface Known {
  observations: Observation[];
  summaries: SessionSummary[];
}

async function readKnown(app: Connections, reach: Tenant, { lastSummary }: ContextSettings): Promise<Known> {
  const page = { offset: 0, limit: drawnFrom };
  return {
    observations: await newestObservations(app, reach, { filter: noFilter, page }),
    summaries: lastSummary
      ? await newestSummaries(app, reach, { filter: noFilter, page: { offset: 0, limit: 1 } })
      : [],
  };
}

function portOf(known: ReadonlyMap<string, Known>): ContextPort {
  const of = (project: string | undefined) => known.get(project ?? "") ?? { observations: [], summaries: [] };
  return {
    observations: {
      page: ({ project, offset, limit }) => ({
        items: of(project).observations.slice(offset, offset + limit),
      }),
    },
    summaries: { page: ({ project }) => ({ items: of(project).summaries }) },
    forContext: ({ project, ...wanted }) => chosen(of(project).observations, wanted),
    // Nobody pins, judges or watches files on a server.
    pinned: () => [],
    lastMessage: () => undefined,
    isDoubted: () => false,
    byFile: () => ({ observations: [], total: 0 }),
  };
}

type Wanted = Omit<Parameters<ContextPort["forContext"]>[0], "project">;

function chosen(
  observations: readonly Observation[],
  { limit, sessions: mostSessions, types, concepts }: Wanted,
): Observation[] {
  const sessions = new Set<string>();
  return observations
    .filter((record) => {
      if (types !== null && !types.includes(record.obs_type)) return false;
      if (concepts !== null && !parseList(record.concepts).some((concept) => concepts.includes(concept)))
        return false;
      if (!sessions.has(record.sdk_session_id) && sessions.size >= mostSessions) return false;
      sessions.add(record.sdk_session_id);
      return true;
    })
    .slice(0, limit);
}
