// One line before an action: a rule that forbids it, or what made the same command work before.
import type { Observation } from "../domain/records.ts";
import { familiesToLookUp } from "../statements/command-family.ts";
import { ruleForbids } from "../statements/rule-match.ts";
import { contextBlock } from "./block.ts";
import type { ContextPort } from "./context-port.ts";
import { plainLine } from "./plain-line.ts";

export interface Action {
  command?: string;
  path?: string;
}

export interface ActionInjection {
  text: string;
  /** The record that the line quotes. */
  record: number;
  /** The command family that the record is a fix or a failure of; absent for a rule. */
  family?: string;
}

/** Null when nothing bears on the action, or the reader was reminded of it before. */
export function actionContext(
  { statements }: ContextPort,
  { project, action, known }: { project: string; action: Action; known: ReadonlySet<number> },
): ActionInjection | null {
  if (statements === undefined) return null;
  const isNew = ({ id }: Observation): boolean => !known.has(id);
  const rules = statements.standingRules({ projects: [project], limit: mostRules });
  const rule = rules.find((one) => isNew(one) && ruleForbids({ text: one.summary }, action));
  if (rule !== undefined) return lineOf(rule, "A rule from the user bears on this");
  const families = action.command === undefined ? [] : familiesToLookUp(action.command);
  const fixes = families.flatMap((family) =>
    statements.fixesOf({ project, family, limit: fixesPerFamily }).map((record) => ({ record, family })),
  );
  const fix = fixes
    .filter(({ record }) => isNew(record))
    .toSorted((a, b) => fixesFirst(a.record, b.record))[0];
  return fix === undefined ? null : { ...lineOf(fix.record, "From an earlier session"), family: fix.family };
}

// What worked says more than that it failed; of those the newest counts.
function fixesFirst(a: Observation, b: Observation): number {
  const isFix = (one: Observation): number => Number(one.obs_type === "bugfix");
  return isFix(b) - isFix(a) || b.created_at_epoch - a.created_at_epoch || b.id - a.id;
}

function lineOf(record: Observation, heading: string): ActionInjection {
  const quote = plainLine(record.summary, maxChars);
  return { text: contextBlock([`${heading}: ${quote} (#${record.id})`]), record: record.id };
}

const mostRules = 100;
const fixesPerFamily = 3;
const maxChars = 240;
