// What a case of the matrix leaves in the tables, and how it counts them: told by the database itself.
import type { Database } from "../../src/store/postgres/open.ts";
import { titleOf } from "./tenancy-answers.ts";
import { type Case, type Counts, isReached, targetOf } from "./tenancy-model.ts";
import { filePath, type Home, type World } from "./tenancy-world.ts";
import { tables } from "./tenancy-writes.ts";

interface TracesDeps {
  system: Database["system"];
  world: World;
  onFault(fault: string): void;
}

export interface Traces {
  /** Looks at what is there, unless that is known since the write before. */
  begin(): Promise<void>;
  /** The tables are changed by somebody else. */
  forget(): void;
  /** Rows of who is out of the key's reach are the same rows after it. */
  lookForWrites(asked: Case, isStored: boolean): Promise<void>;
}

export function createTraces({ system, world, onFault }: TracesDeps): Traces {
  let before: Map<string, string> | undefined;
  let written = "";

  /** The rows now: the same as before where no trigger of the world has seen a write since. */
  async function look(): Promise<Map<string, string>> {
    const { rows } = await system.query<{ last_value: string }>({
      text: "select last_value from traces.writes",
    });
    const now = rows[0]?.last_value ?? "";
    if (before !== undefined && now === written) return before;
    written = now;
    return fingerprints(system);
  }
  return {
    async begin() {
      before ??= await look();
    },
    forget() {
      before = undefined;
    },
    async lookForWrites(asked, isStored) {
      const after = await look();
      const { project_id } = targetOf(asked.home, asked.idKind, world);
      if (isStored && before?.get(project_id) === after.get(project_id)) {
        onFault(`${titleOf(asked)} stored nothing`);
      }
      for (const home of world.homes) {
        const isSame = before?.get(home.project_id) === after.get(home.project_id);
        const team = `team ${home.team_id}`;
        const isTeamSame = home.team === asked.home.team || before?.get(team) === after.get(team);
        if ((!isSame && !isTouched(asked, home)) || !isTeamSame) {
          onFault(`${titleOf(asked)} changed rows of ${home.canary}`);
        }
      }
      before = after;
    },
  };
}

function isTouched(asked: Case, home: Home): boolean {
  if (home.team !== asked.home.team) return false;
  if (asked.key.startsWith("project")) return home === asked.home;
  return asked.slot === undefined || isReached(asked);
}

/** Counts are of what is there, as far as the key and the question reach. */
export async function lookAtCounts(
  asked: Case,
  told: Counts,
  { system, world, onFault }: TracesDeps,
): Promise<void> {
  const { slot, idKind, home, key } = asked;
  const isWhole = key.startsWith("team") && (slot === undefined || idKind === "absent");
  const project = isWhole ? null : targetOf(home, idKind, world).project_id;
  const isNone = !isReached(asked) || ["deleted", "never existed", "malformed"].includes(idKind);
  const found = await countsOf(system, {
    team_id: home.team_id,
    project_id: project,
    slot: slot !== undefined,
  });
  for (const [kind, count] of Object.entries(found)) {
    const said = told[kind as keyof Counts];
    if (said !== undefined && said !== (isNone ? 0 : count)) {
      onFault(`${titleOf(asked)} counts ${said} ${kind} of ${count}`);
    }
  }
}

/** What there is; observations of the file alone where it is asked for one. */
async function countsOf(
  system: Database["system"],
  { team_id, project_id, slot }: { team_id: string; project_id: string | null; slot: boolean },
): Promise<Counts> {
  const bounds = "team_id = $1 and ($2::uuid is null or project_id = $2)";
  const { rows } = await system.query<Required<Counts>>({
    text: `select
        (select count(*)::int from observations where ${bounds} and kind <> 'session_summary'
          and (not $3 or $4 = any (files_modified))) as observations,
        (select count(*)::int from observations where ${bounds} and kind = 'session_summary') as summaries,
        (select count(*)::int from sessions where ${bounds}) as sessions,
        (select count(*)::int from agent_events where ${bounds} and event_type = 'user_prompt'
          and not metadata @> '{"private":true}') as prompts`,
    values: [team_id, project_id, slot, filePath],
  });
  return rows[0] ?? { observations: 0 };
}

/** What tells that a row of a project, or of a team itself, was added, changed or deleted. */
async function fingerprints(system: Database["system"]): Promise<Map<string, string>> {
  const ofTable = (table: string, where = "") =>
    `select project_id::text as place, count(*) as n, sum(xmin::text::bigint) as sum from ${table} ${where} group by 1`;
  const { rows } = await system.query<{ place: string; told: string }>({
    text: `select place, string_agg(n || ':' || sum, ' ' order by part) as told
      from (
        ${tables.map((table, part) => `select ${part} as part, t.* from (${ofTable(table)}) t`).join(" union all ")}
        union all select 10, t.* from (${ofTable("api_keys", "where revoked_at is not null")}) t
        union all select 11, id::text, 1, xmin::text::bigint from projects
        union all select 12, 'team ' || id, 1, xmin::text::bigint from teams
      ) parts
      group by place`,
  });
  return new Map(rows.map(({ place, told }) => [place, told]));
}
