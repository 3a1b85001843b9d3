// Pairs of standing rules that contradict each other.
import type { Reach, Speaker } from "../domain/statement.ts";
import { compareSubjects, subjectOf } from "./subject.ts";

interface ListedRule {
  id: number;
  text: string;
  reach: Reach;
  project: string;
  said_by: Speaker | null;
  created_at_epoch: number;
}

/** Ids of the pairs that can apply together; of many rules only the newest are compared. */
export function contradictionsIn(rules: readonly ListedRule[]): { older: number; newer: number }[] {
  const compared = rules
    .toSorted((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id)
    .slice(0, mostCompared)
    .map((rule) => ({ rule, subject: subjectOf({ ...rule, standing: true }) }));
  return compared.flatMap((newer, index) =>
    compared
      .slice(index + 1)
      .filter(
        (older) => meet(older.rule, newer.rule) && compareSubjects(older.subject, newer.subject) !== null,
      )
      .map((older) => ({ older: older.rule.id, newer: newer.rule.id })),
  );
}

// Their 5,000 pairs take about 20 ms, during which the worker answers nothing else.
const mostCompared = 100;

function meet(a: ListedRule, b: ListedRule): boolean {
  return a.reach === "everywhere" || b.reach === "everywhere" || a.project === b.project;
}
