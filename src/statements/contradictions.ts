// Pairs of standing rules that contradict each other.
import type { Reach, Speaker } from "../core/records/statement.ts";
import { compareSubjects, type Subject, subjectOf } from "./subject.ts";

/** Ids of two rules. */
interface Contradiction {
  older: number;
  newer: number;
}

interface ListedRule {
  id: number;
  text: string;
  reach: Reach;
  project: string;
  said_by: Speaker | null;
  created_at_epoch: number;
}

/** Ids of the pairs that can apply together; of many rules only the newest are compared. */
export function contradictionsIn(rules: readonly ListedRule[]): Contradiction[] {
  return createContradictions()(rules);
}

/** The same, for lists that come again: the subjects of texts are kept. */
export function createContradictions(): (rules: readonly ListedRule[]) => Contradiction[] {
  const subjects = new Map<string, Subject>();
  const read = (rule: ListedRule): Subject => {
    const key = `${rule.said_by} ${rule.text}`;
    const known = subjects.get(key);
    if (known !== undefined) return known;
    if (subjects.size >= mostKept) subjects.clear();
    const subject = subjectOf({ ...rule, standing: true });
    subjects.set(key, subject);
    return subject;
  };
  return (rules) => {
    const compared = rules
      .toSorted((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id)
      .slice(0, mostCompared)
      .map((rule) => ({ rule, subject: read(rule) }));
    return compared.flatMap((newer, index) =>
      compared
        .slice(index + 1)
        .filter(
          (older) => meet(older.rule, newer.rule) && compareSubjects(older.subject, newer.subject) !== null,
        )
        .map((older) => ({ older: older.rule.id, newer: newer.rule.id })),
    );
  };
}

const mostKept = 1_000;
// Their 5,000 pairs take about 20 ms, during which the worker answers nothing else.
const mostCompared = 100;

function meet(a: ListedRule, b: ListedRule): boolean {
  return a.reach === "everywhere" || b.reach === "everywhere" || a.project === b.project;
}
