// Statements: standing rules, the most salient statements, known fixes, and the marks that change later.
import { wholeText } from "../../core/records/quoted-text.ts";
import type { Observation } from "../../core/records/records.ts";
import { keptByAgent } from "../../core/records/statement.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { createSql, listOf } from "./sql.ts";

export interface RulesRequest {
  /** Labels of projects; rules that apply everywhere are always included. */
  projects: readonly string[] | "all";
  limit: number;
}

export interface StatementsRequest {
  project: string;
  limit: number;
}

interface FixesRequest {
  project: string;
  /** See `statements/command-family.ts`. */
  family: string;
  limit: number;
}

/** SQL, true for a rule that the user has not accepted: no agent gets it. As the index says it. */
const proposed = "standing = 0 and statement_kind in ('rule', 'preference')";
export const notProposed = `(${proposed}) is not true`;

export type Statements = ReturnType<typeof createStatements>;

export function createStatements(db: Sqlite) {
  const readers = createReaders(db);
  return {
    ...readers,
    ...createSupersede(db, readers),
    markSettled: createMarkSettled(db),
  };
}

type Readers = ReturnType<typeof createReaders>;

function createReaders(db: Sqlite) {
  const sql = createSql(db);
  const proposals = sql.all<[{ projects: string | null; limit: number }], Observation>(
    `select ${observationColumns}
     from observations
     where status = 'active' and ${proposed}
       and (@projects is null or project in (select value from json_each(@projects)))
     order by created_at_epoch desc, id desc
     limit @limit`,
  );
  return {
    replacedBy: createReplacedBy(db),
    ...createStanding<Observation>(db, observationColumns),
    /** Active rules that the user has not accepted, newest first. */
    proposals: ({ projects, limit }: RulesRequest) =>
      proposals({ projects: projects === "all" ? null : listOf(projects), limit }),
    /** In all projects. */
    proposalCount: sql.value<[], number>(
      `select count(*) from observations where status = 'active' and ${proposed}`,
    ),
    accept: sql.get<[id: number], Observation>(
      `update observations
       set standing = 1, said_by = 'user', revision = revision + 1, synced_at = null
       where id = ? and status = 'active' and ${proposed}
       returning ${observationColumns}`,
    ),
    /** Active known fixes for the command family, newest first. */
    fixesOf: sql.all<[FixesRequest], Observation>(
      `select ${observationColumns}
       from (select observation_id from fix_commands where family = @family) f
       cross join observations o on o.id = f.observation_id
       where o.project = @project and o.status = 'active'
       order by o.created_at_epoch desc, o.id desc
       limit @limit`,
    ),
  };
}

/** What stands of a project, in these columns: a hook reads few of them. */
export function createStanding<R>(db: Sqlite, columns: string) {
  const sql = createSql(db);
  // Both indexes are partial: without them the planner reads every record of the project.
  const rules = sql.all<[{ projects: string | null; limit: number }], R>(
    `select ${columns}
     from observations indexed by observations_standing
     where standing = 1 and status = 'active'
       and (@projects is null or reach = 'everywhere' or project in (select value from json_each(@projects)))
     order by created_at_epoch desc, id desc
     limit @limit`,
  );
  return {
    /** Active standing rules, newest first. */
    standingRules: ({ projects, limit }: RulesRequest) =>
      rules({ projects: projects === "all" ? null : listOf(projects), limit }),
    /** Active statements of the project without its rules, the most salient first. */
    statements: sql.all<[StatementsRequest], R>(
      `select ${columns}
       from observations indexed by observations_salience
       where project = @project and salience is not null and status = 'active' and standing = 0 and ${notProposed}
       order by salience desc, id desc
       limit @limit`,
    ),
  };
}

/** By rule: the rules that it superseded, and those that they had superseded. */
function createReplacedBy(db: Sqlite): (ids: readonly number[]) => Map<number, Observation[]> {
  const replacedRules = createSql(db).all<[ids: string], Observation & { rule: number }>(
    `with recursive replaced (rule, replaced_id) as (
       select value, value
       from json_each(?)
       union
       select rule, o.id
       from replaced
       cross join observations o on o.superseded_by = replaced_id
       where o.standing = 1 and o.status = 'superseded')
     select rule, ${observationColumns}
     from replaced
     cross join observations on id = replaced_id
     where replaced_id <> rule`,
  );
  return (ids) => {
    const replaced = new Map<number, Observation[]>();
    for (const { rule, ...one } of replacedRules(JSON.stringify(ids))) {
      const before = replaced.get(rule);
      if (before === undefined) replaced.set(rule, [one]);
      else before.push(one);
    }
    return replaced;
  };
}

/**
 * Marks observations made from these raw events alone as routine, except statements of the user; of those a model wrote
 * only accounts of a change. Returns the changed observations.
 */
function createMarkSettled(db: Sqlite): (events: readonly number[]) => Observation[] {
  const markSettled = createSql(db).all<[{ events: string }], Observation>(
    `with events as materialized (select value as id from json_each(@events))
     update observations
     set routine = 1, revision = revision + 1, synced_at = null
     where id in (
         select s.observation_id
         from events e
         cross join observation_sources s on s.raw_event_id = e.id and s.cited = 0)
       and routine = 0 and said_by is null and status = 'active' and pinned = 0
       and (generator = 'local' or (obs_type = 'change' and generator <> 'manual'))
       and not exists (
         select 1
         from observation_sources other
         where other.observation_id = observations.id and other.cited = 0
           and other.raw_event_id not in (select id from events))
     returning ${observationColumns}`,
  );
  return (events) => (events.length === 0 ? [] : markSettled({ events: JSON.stringify(events) }));
}

/** Active observations of command families that a tool showed, without those that the user pinned or edited. */
const shownByTool = `id in (select observation_id from fix_commands where family in (select value from json_each(@families)))
       and project = @project and status = 'active' and said_by = 'tool' and pinned = 0 and generator <> 'manual'`;

/** Each function supersedes observations and returns those that changed. */
function createSupersede(db: Sqlite, { standingRules, statements }: Readers) {
  const sql = createSql(db);
  // With `+` the planner finds them by family, not by time.
  const olderFixes = sql.all<
    [{ project: string; families: string; by: number; at: number; fixes: 0 | 1; limit: number }],
    Observation
  >(
    `select ${observationColumns}
     from observations
     where ${shownByTool} and (created_at_epoch, id) < (@at, @by)
       and (obs_type = 'discovery' or @fixes = 1)
     order by +created_at_epoch desc, +id desc
     limit @limit`,
  );
  const failures = sql.all<[{ project: string; families: string; at: number }], Observation>(
    `select ${observationColumns}
     from observations
     where ${shownByTool} and obs_type = 'discovery' and created_at_epoch <= @at`,
  );
  const supersede = sql.get<[{ id: number; by: number | null }], Observation>(
    `update observations
     set status = 'superseded', pinned = 0, superseded_by = @by, revision = revision + 1, synced_at = null
     where id = @id and status = 'active'
     returning ${observationColumns}`,
  );
  const supersedeAll = (outdated: readonly Observation[], by: number | null = null) =>
    outdated.flatMap(({ id }) => supersede({ id, by }) ?? []);
  return {
    /**
     * Supersedes earlier failures of these command families whose text `replaces` accepts, and earlier fixes where `by` is
     * a fix; of many, the newest. Pinned and edited observations stay.
     */
    supersedeFixes({ project, families, by, replaces }: ReplacingFixes): Observation[] {
      if (families.length === 0) return [];
      // A failure that stayed does not contradict an earlier fix.
      const fixes = by.obs_type === "bugfix" ? 1 : 0;
      const older = olderFixes({
        ...{ project, families: listOf(families) },
        ...{ by: by.id, at: by.created_at_epoch, fixes, limit: mostFixes },
      });
      const isReplaced = (one: Observation) => replaces(wholeText(by), wholeText(one));
      return supersedeAll(older.filter(isReplaced), by.id);
    },
    /** Supersedes failures of these command families until `at`, which older versions stored: the commands passed then. */
    supersedeFailures: ({ project, families, at }: ReplacingFailures) =>
      supersedeAll(failures({ project, families: listOf(families), at })),
    /** Supersedes finished open work of the agent from before `at`. */
    supersedeFinished: ({
      project,
      at,
      finishes,
    }: {
      project: string;
      at: number;
      finishes(openText: string): boolean;
    }) =>
      supersedeAll(
        statements({ project, limit: mostStatements }).filter(
          (one) =>
            one.said_by === "agent" &&
            one.created_at_epoch < at &&
            !isManual(one) &&
            finishes(wholeText(one)),
        ),
      ),
    supersedeReplaced: createSupersedeReplaced(standingRules, supersedeAll),
    weighProposals: createWeighProposals(db, supersedeAll),
  };
}

type SupersedeAll = (outdated: readonly Observation[], by?: number | null) => Observation[];

/** Supersedes what the user's rules among `made` replace, and a rule among them that an older one stands for. */
function createSupersedeReplaced(standingRules: Readers["standingRules"], supersedeAll: SupersedeAll) {
  return (made: readonly Observation[], replaces: (rule: Observation, older: Observation) => boolean) =>
    made
      .filter(({ standing, said_by }) => standing === 1 && said_by === "user")
      .flatMap((rule) => {
        const listed = standingRules({ projects: [rule.project], limit: mostRules });
        const others = listed.filter(({ id }) => id !== rule.id);
        const outdated = supersedeAll(
          others.filter((older) => replaces(rule, older)),
          rule.id,
        );
        const kept = others.find((older) => replaces(older, rule));
        return kept === undefined ? outdated : [...outdated, ...supersedeAll([rule], kept.id)];
      });
}

type IsSame = (one: Observation, other: Observation) => boolean;

/**
 * Weighs the user's rules among `made` by how often they were said: in words of another session too, a proposal is sure; in the
 * same whole prompt of three sessions, which a program sends, none is. Returns what changed.
 */
function createWeighProposals(db: Sqlite, supersedeAll: SupersedeAll) {
  const sql = createSql(db);
  const promptOf = sql.value<[id: number], string>(
    `select p.prompt_text
     from observations o
     join user_prompts p on p.session_id = o.session_id and p.prompt_number = o.prompt_number
     where o.id = ? and p.private = 0`,
  );
  // What the user accepted, edited or pinned has a later revision.
  const takeBack = sql.all<[{ project: string; prompt: string }], Observation>(
    `with sent as materialized (
       select session_id, prompt_number
       from user_prompts
       where project = @project and private = 0 and prompt_text = @prompt)
     update observations
     set standing = 0, revision = revision + 1, synced_at = null
     where standing = 1 and status = 'active' and said_by = 'user' and pinned = 0 and revision = 1
       and generator not in ('manual', '${keptByAgent}')
       and (session_id, prompt_number) in (select session_id, prompt_number from sent)
       and (select count(distinct session_id) from sent) >= 3
     returning ${observationColumns}`,
  );
  const proposals = sql.all<[project: string], Observation>(
    `select ${observationColumns}
     from observations
     where project = ? and ${proposed} and status in ('active', 'rejected')
     order by id desc
     limit ${mostRules}`,
  );
  const confirm = sql.get<[id: number], Observation>(
    `update observations
     set standing = 1, revision = revision + 1, synced_at = null
     where id = ? and status = 'active' and standing = 0
     returning ${observationColumns}`,
  );
  const weighed = (rule: Observation, isSame: IsSame): Observation[] => {
    const prompt = promptOf(rule.id) ?? "";
    const taken = prompt === "" ? [] : takeBack({ project: rule.project, prompt });
    const isTaken = taken.some(({ id }) => id === rule.id);
    const same = proposals(rule.project).filter((one) => one.id !== rule.id && isSame(one, rule));
    // Word for word the same in a further session is a template.
    const isAgain = (one: Observation): boolean =>
      one.sdk_session_id !== rule.sdk_session_id && one.summary !== rule.summary;
    const isDropped = same.some(({ status }) => status === "rejected");
    const sure = rule.standing === 0 && !isDropped && same.some(isAgain) ? confirm(rule.id) : undefined;
    const isSure = sure !== undefined || (rule.standing === 1 && !isTaken);
    return [...taken, ...(sure === undefined ? [] : [sure]), ...(isSure ? supersedeAll(same, rule.id) : [])];
  };
  return (made: readonly Observation[], isSame: IsSame): Observation[] =>
    made
      .filter(({ said_by, statement_kind: kind }) => said_by === "user" && kind === "rule")
      .flatMap((rule) => weighed(rule, isSame));
}

interface Replacing {
  project: string;
  families: readonly string[];
}

interface ReplacingFailures extends Replacing {
  /** Imported turns are older than records that exist. */
  at: number;
}

interface ReplacingFixes extends Replacing {
  by: Observation;
  replaces(newerText: string, olderText: string): boolean;
}

// Only the user ends what the user wrote, edited or pinned, and no wording what the agent kept.
function isManual({ generator, pinned }: Observation): boolean {
  return generator === "manual" || generator === keptByAgent || pinned === 1;
}

// As many as the start of a session reads.
const mostStatements = 200;
const mostRules = 400;
// They are compared in the write transaction; more of a family are hardly ever active.
const mostFixes = 200;
