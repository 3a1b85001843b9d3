// Pairs of standing rules that contradict each other.
import { wholeText } from "../../core/records/quoted-text.ts";
import type { ComparedRule } from "../../core/records/records.ts";
import type { Reach, Speaker } from "../../core/records/statement.ts";
import { isSameRule } from "./same-rule.ts";
import { compareSubjects, sameSubject, subjectOf } from "./subject.ts";

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

/** Ids of the pairs that can apply together. Compares the newest rules only. */
export function contradictionsIn(rules: readonly ListedRule[]): Contradiction[] {
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

// Their 5,000 pairs block the worker for about 20 ms.
const mostCompared = 100;

function meet(a: ListedRule, b: ListedRule): boolean {
  return a.reach === "everywhere" || b.reach === "everywhere" || a.project === b.project;
}

/**
 * True when the newer rule certainly replaces the older one, or when both say the same and the first stands for both: it
 * may then be the older one.
 */
export function replacesRule(newer: ComparedRule, older: ComparedRule): boolean {
  if (older.project !== newer.project || older.reach !== newer.reach) return false;
  const [before, after] = [wholeText(older), wholeText(newer)];
  if (isSameRule(before, after)) return standsFor(newer, older);
  if (!isBefore(older, newer)) return false;
  const said = { said_by: "user", standing: true } as const;
  return sameSubject({ text: before, ...said, said_by: older.said_by }, { text: after, ...said }) === "same";
}

// The record that the user wrote, edited or pinned, else the newer one. Two of these stand side by side.
function standsFor(one: ComparedRule, other: ComparedRule): boolean {
  if (isOfHand(one) || isOfHand(other)) return isOfHand(one) && !isOfHand(other);
  return isBefore(other, one) && other.id < one.id;
}

// Rules of one prompt have the same time, so ids break the tie.
function isBefore(one: ComparedRule, other: ComparedRule): boolean {
  return (one.created_at_epoch - other.created_at_epoch || one.id - other.id) < 0;
}

function isOfHand({ generator, pinned }: ComparedRule): boolean {
  return generator === "manual" || pinned === 1;
}
