// Standing rules and edited texts over the store.
import { createEditText, type EditText } from "../context/freshness/edit-text.ts";
import { createRules, type Rules } from "../context/freshness/rules.ts";
import type { Clock } from "../core/clock.ts";
import type { StreamEvent } from "../core/records/events.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { WorkerProjects } from "./projects.ts";

interface RuleDeps {
  store: Store;
  clock: Clock;
  projects: Pick<WorkerProjects, "labelOf" | "claim" | "current">;
  publish(event: StreamEvent): void;
  /** These observations have a new text. */
  onNewText(ids: readonly number[]): void;
}

export function buildRules({ store, clock, projects, publish, onNewText }: RuleDeps): {
  rules: Rules;
  editText: EditText;
} {
  const { commit, observations, statements, review } = store;
  const rules = createRules({
    ...store.review,
    standingRules: statements.standingRules,
    clock,
    commit,
    insert: observations.insert,
    supersede: (id, by) => review.setStanding(id, { status: "superseded", pinned: 0, superseded_by: by }),
    projects,
    publish,
  });
  const editText = createEditText({
    commit,
    byId: observations.byId,
    editText: statements.editText,
    onEdited(observation) {
      publish({ type: "observation_changed", observation });
      onNewText([observation.id]);
    },
  });
  return { rules, editText };
}
