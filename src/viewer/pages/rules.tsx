// The section of Home with the standing rules: add, edit, replace, remove; below them proposals: accept, drop.
import { useState } from "preact/hooks";
import {
  acceptProposal,
  deleteRecord,
  editRecord,
  rejectObservation,
  removeEntry,
  replaceObservation,
} from "../actions.ts";
import { type Loaded, Shown, useLoaded, useReloadOn } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { recordLink } from "../lines.ts";
import { FoldedList, type ListPlace } from "../parts/folded-list.tsx";
import { InlineCode } from "../parts/inline-code.tsx";
import { PanelEntry } from "../parts/panel-entry.tsx";
import { Age } from "../parts/record-row.tsx";
import { TextForm } from "../parts/text-form.tsx";
import { type Toast, useViewer } from "../viewer.ts";

type RuleAnswer = Reads["/api/rules"];
type Rule = RuleAnswer["rules"][number];

/** The rules of a project and those that apply everywhere; without a project all rules. */
export function useRules(project: string | null): Loaded<RuleAnswer> {
  const { api } = useViewer();
  const query = project === null ? { all: true } : { project };
  const loaded = useLoaded((signal) => api.get("/api/rules", query, signal), [project]);
  useReloadOn(
    loaded.reload,
    (event) => event.type.startsWith("observation_") || event.type.startsWith("record_"),
  );
  return loaded;
}

export function RulesSection({ project, loaded }: { project: string | null; loaded: Loaded<RuleAnswer> }) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <section aria-labelledby="rules-title" class="panel">
      <div class="panel-head">
        <h2 id="rules-title">Standing rules</h2>
        <button type="button" class="link" onClick={() => setIsAdding(true)}>
          Add a rule
        </button>
      </div>
      {isAdding && <NewRule project={project} onDone={() => setIsAdding(false)} />}
      <Shown of={loaded}>
        {({ rules, proposals, contradictions }) => (
          <>
            <FoldedList
              items={rules}
              keyOf={({ id }) => id}
              empty="No rules yet. They come from what you tell your agent, or from here."
              row={(rule, place) => (
                <RuleRow
                  rule={rule}
                  place={place}
                  showProject={project === null}
                  clashes={clashesOf(rule, contradictions)}
                />
              )}
            />
            {proposals.length > 0 && (
              <Proposals proposals={proposals} showProject={project === null} reload={loaded.reload} />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

interface ProposalsProps {
  /** Newest first. */
  proposals: readonly Rule[];
  showProject: boolean;
  reload(): void;
}

function Proposals({ proposals, showProject, reload }: ProposalsProps) {
  const { api, act } = useViewer();
  const drop = async (id: number) => ({ ...(await rejectObservation(api, id)), text: `Dropped #${id}.` });
  const choices = [["Accept", (id: number) => acceptProposal(api, id)] as const, ["Drop", drop] as const];
  const row = (rule: Rule) => (
    <div class="panel-row">
      <a href={recordLink("observation", rule.id)} dir="auto" data-row>
        <InlineCode text={rule.text} />
      </a>
      <p class="row-detail">
        <RuleFacts rule={rule} showProject={showProject} />
      </p>
      <div class="buttons">
        {choices.map(([name, choose]) => (
          <button
            key={name}
            type="button"
            aria-label={`${name} #${rule.id}`}
            onClick={() => void act(() => choose(rule.id)).then(reload)}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
  return (
    <section aria-labelledby="proposals-title">
      <h3 id="proposals-title" class="panel-row">
        Proposals, which no agent gets
      </h3>
      <FoldedList items={proposals} keyOf={({ id }) => id} empty="" folded={2} row={row} />
    </section>
  );
}

function clashesOf({ id }: Rule, contradictions: RuleAnswer["contradictions"]): number[] {
  return contradictions.flatMap(({ older, newer }) => (older === id ? [newer] : newer === id ? [older] : []));
}

function NewRule({ project, onDone }: { project: string | null; onDone: () => void }) {
  const viewer = useViewer();
  const add = (text: string) => viewer.act(() => addRule(viewer.api, text, project));
  const where = project === null ? "for every project" : `for ${project}`;
  return <TextForm label={`New rule ${where}`} save="Add" onSave={add} onClose={onDone} />;
}

type Api = ReturnType<typeof useViewer>["api"];

async function addRule(api: Api, text: string, project: string | null): Promise<Toast> {
  const place = project === null ? { reach: "everywhere" } : { reach: "project", project };
  const answer = await api.post("/api/rules", { text, ...place });
  if (answer.status === "skipped") return { text: "The whole text is private, so it was not stored." };
  if (answer.status === "exists") return { text: "This rule is there already." };
  const { id } = answer.rule;
  const undo = async () => void (await deleteRecord(api, "observation", id));
  return { text: "Rule added.", ...(answer.status === "stored" ? { undo } : {}) };
}

interface RuleRowProps {
  rule: Rule;
  place: ListPlace;
  showProject: boolean;
  clashes: number[];
}

function RuleRow({ rule, place, showProject, clashes }: RuleRowProps) {
  const { api } = useViewer();
  const { id, text } = rule;
  return (
    <PanelEntry
      id={id}
      name="Rule"
      text={text}
      place={place}
      writings={[
        {
          name: "Edit",
          label: "Edit the rule",
          save: (written) => editRecord(api, "observation", id, { text: written }),
        },
        {
          name: "Replace",
          label: "Replace the rule by",
          save: (written) => replaceRule(api, rule, written),
        },
      ]}
      remove={() => removeEntry(api, "Rule", id)}
    >
      <RuleFacts rule={rule} showProject={showProject} />
      {clashes.map((other) => (
        <a key={other} class="mark replaced" href={recordLink("observation", other)}>
          contradicts #{other}
        </a>
      ))}
    </PanelEntry>
  );
}

function RuleFacts({ rule, showProject }: Pick<RuleRowProps, "rule" | "showProject">) {
  const { reach, project, said_by, created_at_epoch } = rule;
  const where = reach === "everywhere" ? "everywhere" : showProject ? project : null;
  return (
    <>
      {where !== null && (
        <span class="project" dir="auto">
          {where}
        </span>
      )}
      {said_by !== null && <span>{said_by} said</span>}
      <Age at={created_at_epoch} />
    </>
  );
}

// The new rule may have replaced the old one by itself, when both are about the same.
async function replaceRule(api: Api, { id, project, reach }: Rule, text: string): Promise<Toast> {
  const answer = await api.post("/api/rules", { text, reach, project });
  if (answer.status === "skipped") return { text: "The whole text is private, so nothing was changed." };
  if (answer.rule.id === id) return { text: "The rule says this already." };
  const { text: said, undo } = await replaceObservation(api, id, answer.rule.id);
  const isNew = answer.status === "stored";
  return {
    text: said,
    undo: async () => {
      await undo?.();
      if (isNew) await deleteRecord(api, "observation", answer.rule.id);
    },
  };
}
