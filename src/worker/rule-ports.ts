// Standing rules and edited texts, over the store and the comparison of rules.
import { eventsOf } from "../capture/record-observation.ts";
import type { Clock } from "../clock.ts";
import type { StreamEvent } from "../domain/events.ts";
import { wholeText } from "../domain/quoted-text.ts";
import type { Observation } from "../domain/records.ts";
import { forbids } from "../statements/clauses.ts";
import { contradictionsIn } from "../statements/contradictions.ts";
import { sameSubject } from "../statements/subject.ts";
import type { Store } from "../store/sqlite/store.ts";
import { createEditText, type EditText } from "../truth/edit-text.ts";
import { createRules, type Rules } from "../truth/rules.ts";
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
  /** Supersedes older rules that these observations certainly replace or repeat. */
  replaceOlder(made: readonly Observation[]): Promise<void>;
} {
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
  async function replaceOlder(made: readonly Observation[]): Promise<void> {
    const rulesSaid = made.filter(({ standing, said_by }) => standing === 1 && said_by === "user");
    for (const rule of rulesSaid) {
      const changed = await commit(() =>
        statements
          .standingRules({ projects: [rule.project], limit: mostRules })
          .filter((older) => isReplaced(older, rule))
          .flatMap(
            ({ id }) =>
              truth.setStanding(id, { status: "superseded", pinned: 0, superseded_by: rule.id }) ?? [],
          ),
      );
      for (const observation of changed) publish({ type: "observation_changed", observation });
    }
  }
  return { rules, editText, replaceOlder };
}

const mostRules = 400;

// A rule of one project must not end one that applies everywhere, nor one that is made again a newer one.
function isReplaced(older: Observation, newer: Observation): boolean {
  if (older.project !== newer.project || older.reach !== newer.reach) return false;
  if (older.created_at_epoch > newer.created_at_epoch || older.id === newer.id) return false;
  const [before, after] = [wholeText(older), wholeText(newer)];
  if (before.toLowerCase() === after.toLowerCase()) return older.id < newer.id && !isOfHand(older);
  const said = { said_by: "user", standing: true } as const;
  return sameSubject({ text: before, ...said, said_by: older.said_by }, { text: after, ...said }) === "same";
}

// What the user wrote, edited or pinned is not replaced by a copy of it.
function isOfHand({ generator, pinned }: Observation): boolean {
  return generator === "manual" || pinned === 1;
}
