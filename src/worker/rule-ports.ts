// Standing rules and edited texts, over the store and the comparison of rules.
import { eventsOf } from "../capture/record-observation.ts";
import { createEditText, type EditText } from "../context/freshness/edit-text.ts";
import { createRules, type Rules } from "../context/freshness/rules.ts";
import type { Clock } from "../core/clock.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { contradictionsIn } from "../statements/rules/contradictions.ts";
import { parseRule } from "../statements/rules/prohibitions.ts";
import { sameSubject } from "../statements/rules/subject.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { WorkerProjects } from "./project-ports.ts";

interface RuleDeps {
  store: Store;
  clock: Clock;
  projects: Pick<WorkerProjects, "labelOf" | "claim" | "current">;
  publish(event: StreamEvent): void;
  /** These observations have another text. */
  onNewText(ids: readonly number[]): void;
}

export function buildRules({ store, clock, projects, publish, onNewText }: RuleDeps): {
  rules: Rules;
  editText: EditText;
} {
  const forbids = (text: string): boolean => parseRule(text).forbids;
  const { commit, observations, statements, truth } = store;
  const rules = createRules({
    standingRules: statements.standingRules,
    ...store.rules,
    clock,
    commit,
    insert: observations.insert,
    supersede: (id, by) => truth.setStanding(id, { status: "superseded", pinned: 0, superseded_by: by }),
    labelOf: projects.labelOf,
    claimOf: projects.claim,
    projectNamed: projects.current,
    forbids,
    contradictionsIn,
    replaces: (text, older) =>
      sameSubject({ ...older, standing: true }, { text, said_by: "user", standing: true }) === "same",
    publish: (events) => {
      for (const event of events) publish(event);
    },
    eventsOf,
  });
  const editText = createEditText({
    commit,
    byId: observations.byId,
    editText: statements.editText,
    forbids,
    onEdited(observation) {
      publish({ type: "observation_changed", observation });
      onNewText([observation.id]);
    },
  });
  return { rules, editText };
}
