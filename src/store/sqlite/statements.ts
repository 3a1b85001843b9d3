// Statements: the rules that stand, what is most worth passing on, known fixes, and the marks that change later.

import { wholeText } from "../../core/records/quoted-text.ts";
import type { Observation } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";

interface RulesRequest {
  /** Labels of the projects whose rules are wanted besides those that apply everywhere. */
  projects: readonly string[] | "all";
  limit: number;
}

interface StatementsRequest {
  project: string;
  limit: number;
}

interface FixesRequest {
  project: string;
  /** As `statements/command-family.ts` names it. */
  family: string;
  limit: number;
}

/** What changes with the text of a record when its user edits it. */
type EditedText = Pick<Observation, "title" | "summary" | "narrative" | "concepts">;

export interface Statements {
  /** Active standing rules, newest first. */
  standingRules(request: RulesRequest): Observation[];
  /** Active statements of the project, those most worth passing on first. */
  statements(request: StatementsRequest): Observation[];
  /** Active observations that are known fixes for the command family, newest first. */
  fixesOf(request: FixesRequest): Observation[];
  /**
   * Marks what was made of these raw events alone as routine: not what the user has said something of, and of what a model
   * wrote only accounts of a change. Returns the observations that changed, as they are now.
   */
  markSettled(events: readonly number[]): Observation[];
  /**
   * Supersedes what tool uses showed of these command families before the record `by`: earlier failures, and earlier
   * fixes where `by` is a fix. What the user pinned or edited stays. Returns the observations that changed.
   */
  supersedeFixes(request: { project: string; families: readonly string[]; by: Observation }): Observation[];
  /** Supersedes the failures of these command families whose text `ends` accepts: the commands pass now. */
  supersedeFailures(request: {
    project: string;
    families: readonly string[];
    ends(failureText: string): boolean;
  }): Observation[];
  /** Supersedes open work of the agent from before `at` that is finished. Returns the observations that changed. */
  supersedeFinished(request: {
    project: string;
    at: number;
    finishes(openText: string): boolean;
  }): Observation[];
  /** Supersedes what the rules of the user among `made` replace. Returns the observations that changed. */
  supersedeReplaced(
    made: readonly Observation[],
    replaces: (rule: Observation, older: Observation) => boolean,
  ): Observation[];
  /** Makes the text the user's own, which no model writes over. Undefined when no observation has the id. */
  editText(id: number, text: EditedText): Observation | undefined;
}

export function createStatements(db: Sqlite): Statements {
  const derived = createDerivedRows(db);
  // Both indexes are partial: without them the planner walks every record of the project.
  const rules = db.prepare<{ projects: string | null; limit: number }, Observation>(
    `select ${observationColumns}
     from observations indexed by observations_standing
     where standing = 1 and status = 'active'
       and (@projects is null or reach = 'everywhere' or project in (select value from json_each(@projects)))
     order by created_at_epoch desc, id desc
     limit @limit`,
  );
  const statements = db.prepare<StatementsRequest, Observation>(
    `select ${observationColumns}
     from observations indexed by observations_salience
     where project = @project and salience is not null and status = 'active'
     order by salience desc, id desc
     limit @limit`,
  );
  const fixes = db.prepare<FixesRequest, Observation>(
    `select ${observationColumns}
     from (select observation_id from fix_commands where family = @family) f
     cross join observations o on o.id = f.observation_id
     where o.project = @project and o.status = 'active'
     order by o.created_at_epoch desc, o.id desc
     limit @limit`,
  );
  const supersedeFixes = db.prepare<
    { project: string; families: string; by: number; before: number; at: number; fixes: 0 | 1 },
    Observation
  >(
    `update observations
     set status = 'superseded', superseded_by = @by, revision = revision + 1, synced_at = null
     where id in (select observation_id from fix_commands where family in (select value from json_each(@families)))
       and project = @project and status = 'active' and said_by = 'tool' and pinned = 0 and generator <> 'manual'
       and (created_at_epoch, id) < (@at, @before)
       and (obs_type = 'discovery' or @fixes = 1)
     returning ${observationColumns}`,
  );
  const failures = db.prepare<{ project: string; families: string }, Observation>(
    `select ${observationColumns}
     from observations
     where id in (select observation_id from fix_commands where family in (select value from json_each(@families)))
       and project = @project and status = 'active' and said_by = 'tool' and obs_type = 'discovery'
       and pinned = 0 and generator <> 'manual'`,
  );
  const supersede = db.prepare<{ id: number; by: number | null }, Observation>(
    `update observations
     set status = 'superseded', pinned = 0, superseded_by = @by, revision = revision + 1, synced_at = null
     where id = @id and status = 'active'
     returning ${observationColumns}`,
  );
  const markSettled = db.prepare<{ events: string }, Observation>(
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
  const editText = db.prepare<EditedText & { id: number }, Observation>(
    `update observations
     set title = @title, summary = @summary, narrative = @narrative, concepts = @concepts, generator = 'manual',
       upgrade = 0, revision = revision + 1, synced_at = null
     where id = @id
     returning ${observationColumns}`,
  );

  return {
    standingRules: ({ projects, limit }) =>
      rules.all({ projects: projects === "all" ? null : JSON.stringify(projects), limit }),
    statements: (request) => statements.all(request),
    fixesOf: (request) => fixes.all(request),
    markSettled: (events) => (events.length === 0 ? [] : markSettled.all({ events: JSON.stringify(events) })),
    supersedeFixes: ({ project, families, by }) =>
      families.length === 0
        ? []
        : supersedeFixes.all({
            project,
            families: JSON.stringify(families),
            by: by.id,
            before: by.id,
            at: by.created_at_epoch,
            // A failure that stayed says nothing against what worked before.
            fixes: by.obs_type === "bugfix" ? 1 : 0,
          }),
    supersedeFailures: ({ project, families, ends }) =>
      failures
        .all({ project, families: JSON.stringify(families) })
        .filter((failure) => ends(wholeText(failure)))
        .flatMap(({ id }) => supersede.get({ id, by: null }) ?? []),
    supersedeFinished: ({ project, at, finishes }) =>
      statements
        .all({ project, limit: mostStatements })
        .filter((one) => one.said_by === "agent" && one.created_at_epoch < at && !isOfHand(one))
        .filter((one) => finishes(wholeText(one)))
        .flatMap(({ id }) => supersede.get({ id, by: null }) ?? []),
    supersedeReplaced(made, replaces) {
      const said = made.filter(({ standing, said_by }) => standing === 1 && said_by === "user");
      return said.flatMap((rule) =>
        rules
          .all({ projects: JSON.stringify([rule.project]), limit: mostRules })
          .filter((older) => replaces(rule, older))
          .flatMap(({ id }) => supersede.get({ id, by: rule.id }) ?? []),
      );
    },
    editText(id, { title, summary, narrative, concepts }) {
      const changed = editText.get({ id, title, summary, narrative, concepts });
      if (changed === undefined) return undefined;
      derived.rewrite("observations", changed);
      return changed;
    },
  };
}

// What the user wrote, edited or pinned ends by the user's hand alone.
function isOfHand({ generator, pinned }: Observation): boolean {
  return generator === "manual" || pinned === 1;
}

// As many as the start of a session looks at.
const mostStatements = 200;
const mostRules = 400;
