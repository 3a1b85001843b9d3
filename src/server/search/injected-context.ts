// Context of `/api/context/*`: reads candidates from the store, then selects and renders as the worker.

import { createContext } from "../../context/context.ts";
import type { ContextPort } from "../../context/context-port.ts";
import type { ContextSettings } from "../../context/context-settings.ts";
import { type Observation, parseList, type SessionSummary } from "../../core/records/records.ts";
import { isProposal } from "../../core/records/statement.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import { byDefault } from "../../settings/table.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { newest, noFilter } from "../../store/postgres/records.ts";
import { shownStatements } from "../../store/postgres/statements.ts";
import { inTenant } from "../../store/postgres/tenant.ts";

interface Named {
  label: string;
  reach: Tenant | null;
}

// Four candidates per row, as the worker reads, and as many again for other sessions.
const drawnFrom = 400;
// More labels would crowd out their own records.
const maxProjects = 8;
// As many as are chosen from.
const most = { rules: 1_000, statements: 200 };

/** The text to inject; empty without records. */
export async function injectedContext(
  app: Connections,
  { caller, projects, colors }: { caller: Tenant; projects: readonly Named[]; colors: boolean },
): Promise<string> {
  const settings = contextSettings();
  const known = new Map<string, Known>();
  for (const { label, reach } of projects.slice(0, maxProjects)) {
    if (reach !== null) known.set(label, await readKnown(app, { caller, reach }, settings));
  }
  const labels = projects.map(({ label }) => label);
  return createContext(portOf(known), settings, () => "POST /v1/search").inject({ projects: labels, colors });
}

interface Known {
  rules: Observation[];
  statements: Observation[];
  observations: Observation[];
  summaries: SessionSummary[];
}

async function readKnown(
  app: Connections,
  { caller, reach }: { caller: Tenant; reach: Tenant },
  { lastSummary }: ContextSettings,
): Promise<Known> {
  const page = { offset: 0, limit: drawnFrom };
  return {
    ...(await readStatements(app, caller, reach)),
    observations: await newest(app, reach, "observations", { filter: noFilter, page }),
    summaries: lastSummary
      ? await newest(app, reach, "summaries", { filter: noFilter, page: { offset: 0, limit: 1 } })
      : [],
  };
}

async function readStatements(
  app: Connections,
  { team_id, project_id: own }: Tenant,
  { project_id }: Tenant,
): Promise<Pick<Known, "rules" | "statements">> {
  if (project_id === null) return { rules: [], statements: [] };
  const scope = { team_id, project_id };
  // Team-wide rules are in other projects, which only a team key reaches.
  return inTenant(app, { team_id, project_id: own }, async (connection) => ({
    rules: await shownStatements.standingRules(connection, scope, most.rules),
    statements: await shownStatements.salientStatements(connection, scope, most.statements),
  }));
}

const nothingKnown: Known = { rules: [], statements: [], observations: [], summaries: [] };

function portOf(known: ReadonlyMap<string, Known>): ContextPort {
  const of = (project: string | undefined) => known.get(project ?? "") ?? nothingKnown;
  return {
    statements: {
      standingRules: ({ projects, limit }) =>
        newestOnce(
          (projects === "all" ? [...known.keys()] : projects).flatMap((label) => of(label).rules),
          limit,
        ),
      statements: ({ project, limit }) => of(project).statements.slice(0, limit),
      rankable: (project, limit) => of(project).observations.filter(isTelling).slice(0, limit),
      // These routes serve no prompts or actions of an agent.
      fixesOf: () => [],
      asked: () => [],
    },
    observations: {
      page: ({ project, offset, limit }) => ({
        items: of(project).observations.slice(offset, offset + limit),
      }),
    },
    summaries: { page: ({ project }) => ({ items: of(project).summaries }) },
    forContext: ({ project, ...wanted }) => chosen(of(project).observations, wanted),
    // A server has no pins, reviews or watched files.
    pinned: () => [],
    lastMessage: () => undefined,
    isDoubted: () => false,
    byFile: () => ({ observations: [], total: 0 }),
  };
}

// A team-wide rule comes with each project.
function newestOnce(rules: readonly Observation[], limit: number): Observation[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return [...byId.values()]
    .sort((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id)
    .slice(0, limit);
}

function isTelling(record: Observation): boolean {
  return record.status === "active" && record.routine === 0 && !isProposal(record);
}

type Wanted = Omit<Parameters<ContextPort["forContext"]>[0], "project">;

function chosen(
  observations: readonly Observation[],
  { limit, sessions: mostSessions, types, concepts, of }: Wanted,
): Observation[] {
  const sessions = new Set<string>();
  return observations
    .filter((record) => {
      if (isProposal(record) || (of !== "all" && record.routine === 1)) return false;
      if (of === "written" && (record.salience !== null || record.generator === "local")) return false;
      if (types !== null && !types.includes(record.obs_type)) return false;
      if (concepts !== null && !parseList(record.concepts).some((concept) => concepts.includes(concept)))
        return false;
      if (!sessions.has(record.sdk_session_id) && sessions.size >= mostSessions) return false;
      sessions.add(record.sdk_session_id);
      return true;
    })
    .slice(0, limit);
}

// A server has no settings.json of a user: the defaults apply.
function contextSettings(): ContextSettings {
  return {
    observations: byDefault("MEM_CONTEXT_OBSERVATIONS"),
    sessions: byDefault("MEM_CONTEXT_SESSION_COUNT"),
    types: byDefault("MEM_CONTEXT_OBSERVATION_TYPES"),
    concepts: byDefault("MEM_CONTEXT_OBSERVATION_CONCEPTS"),
    fullCount: byDefault("MEM_CONTEXT_FULL_COUNT"),
    fullField: byDefault("MEM_CONTEXT_FULL_FIELD"),
    tokenBudget: byDefault("MEM_CONTEXT_TOKEN_BUDGET"),
    isBudgetDefault: true,
    readTokens: byDefault("MEM_CONTEXT_SHOW_READ_TOKENS"),
    workTokens: byDefault("MEM_CONTEXT_SHOW_WORK_TOKENS"),
    savings: byDefault("MEM_CONTEXT_SHOW_SAVINGS_AMOUNT"),
    lastSummary: byDefault("MEM_CONTEXT_SHOW_LAST_SUMMARY"),
    lastMessage: byDefault("MEM_CONTEXT_SHOW_LAST_MESSAGE"),
  };
}
