// Statements: the rules that stand, what is most worth passing on, known fixes, and the marks that change later.
import type { Observation } from "../../domain/records.ts";
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

/** The texts of a record that its user may change. */
type EditedText = Pick<Observation, "title" | "summary" | "narrative">;

export interface Statements {
  /** Active standing rules, newest first. */
  standingRules(request: RulesRequest): Observation[];
  /** Active statements of the project, those most worth passing on first. */
  statements(request: StatementsRequest): Observation[];
  /** Active observations that are known fixes for the command family, newest first. */
  fixesOf(request: FixesRequest): Observation[];
  /** Returns the observations that changed, as they are now. */
  markRoutine(ids: readonly number[], routine: boolean): Observation[];
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
  const markRoutine = db.prepare<{ ids: string; routine: 0 | 1 }, Observation>(
    `update observations
     set routine = @routine, revision = revision + 1, synced_at = null
     where id in (select value from json_each(@ids)) and routine <> @routine
     returning ${observationColumns}`,
  );
  const editText = db.prepare<EditedText & { id: number }, Observation>(
    `update observations
     set title = @title, summary = @summary, narrative = @narrative, generator = 'manual', upgrade = 0,
       revision = revision + 1, synced_at = null
     where id = @id
     returning ${observationColumns}`,
  );

  return {
    standingRules: ({ projects, limit }) =>
      rules.all({ projects: projects === "all" ? null : JSON.stringify(projects), limit }),
    statements: (request) => statements.all(request),
    fixesOf: (request) => fixes.all(request),
    markRoutine: (ids, routine) => markRoutine.all({ ids: JSON.stringify(ids), routine: routine ? 1 : 0 }),
    editText(id, { title, summary, narrative }) {
      const changed = editText.get({ id, title, summary, narrative });
      if (changed === undefined) return undefined;
      derived.dropObservation(id);
      derived.ofObservation(changed);
      return changed;
    },
  };
}
