// Standing rules and edits of texts over the store.
import { type Exclusions, refuseExcluded } from "../capture/exclusions.ts";
import { createRecordEdits, type RecordEdits } from "../context/freshness/edit-record.ts";
import { createEditText, type EditText } from "../context/freshness/edit-text.ts";
import { createRules, type Rules } from "../context/freshness/rules.ts";
import type { Clock } from "../core/clock.ts";
import type { StreamEvent } from "../core/records/events.ts";
import type { Scheduler } from "../generate/scheduler.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { WorkerProjects } from "./projects.ts";
import { publishText } from "./trash.ts";

interface RuleDeps {
  store: Store;
  clock: Clock;
  projects: Pick<WorkerProjects, "labelOf" | "claim" | "current">;
  publish(event: StreamEvent): void;
  /** These observations have a new text. */
  onNewText(ids: readonly number[]): void;
  scheduler: Pick<Scheduler, "cancel" | "notify">;
  exclusions: Exclusions;
}

export function buildRules(deps: RuleDeps): {
  rules: Rules;
  edits: RecordEdits & { observation: EditText };
} {
  const { store, clock, projects, publish, onNewText, scheduler } = deps;
  const { commit, observations, summaries, prompts, sessions, statements, review } = store;
  const rules = createRules({
    ...store.review,
    standingRules: statements.standingRules,
    replacedBy: statements.replacedBy,
    proposals: statements.proposals,
    accept: statements.accept,
    clock,
    commit,
    insert: observations.insert,
    supersede: (id, by) => review.setStanding(id, { status: "superseded", pinned: 0, superseded_by: by }),
    projects,
    publish,
    refuseExcluded: ({ project, cwd }) => refuseExcluded(deps.exclusions, { project, cwd }),
  });
  const observation = createEditText({
    commit,
    byId: observations.byId,
    editText: (id, text) => store.edits.observation(id, text, clock.now()),
    onEdited(edited) {
      publishText({ store, publish }, "observation", edited.id);
      onNewText([edited.id]);
    },
  });
  const others = createRecordEdits({
    commit,
    summaryById: summaries.byId,
    promptById: prompts.byId,
    sessionById: sessions.byId,
    store: {
      summary: (id, text) => store.edits.summary(id, text, clock.now()),
      prompt: (id, text) => store.edits.prompt(id, text, clock.now()),
      session: (id, title) => store.edits.session(id, title, clock.now()),
    },
    onEdited: (kind, id) => publishText({ store, publish }, kind, id),
    async discardCall(session) {
      await scheduler.cancel(session);
      scheduler.notify(session);
    },
  });
  return { rules, edits: { ...others, observation } };
}
