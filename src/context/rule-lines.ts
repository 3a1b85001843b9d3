// Standing rules as a start lists them: with their days where two may contradict each other, and with what changed since.
import type { QuotedRecord } from "../core/records/records.ts";
import { createContradictions } from "../statements/rules/contradictions.ts";
import { saysChanged } from "../statements/text/sentence-cues.ts";
import { createTextMemory, keyOf, type TextMemory, textOf } from "./past-turns.ts";

export interface ReadRule {
  rule: QuotedRecord;
  /** Another rule of the list may contradict it: the day tells which one came later. */
  needsDay: boolean;
  /** The newest statement after it that says that something of it changed. */
  since: QuotedRecord | null;
}

/** Reads the first of `rules`; keeps what it has read of texts, because a start comes with every session. */
export type RuleReader = (rules: readonly QuotedRecord[], statements: readonly QuotedRecord[]) => ReadRule[];

export function createRuleReader(texts: TextMemory = createTextMemory()): RuleReader {
  const contradictionsIn = createContradictions();
  const read = (one: QuotedRecord) => texts.of(keyOf(one), textOf(one));
  const changed = new Map<string, boolean>();
  // Few say so, and only they are read in full.
  const tellsOfChange = (one: QuotedRecord): boolean => {
    const key = keyOf(one);
    const known = changed.get(key);
    if (known !== undefined) return known;
    if (changed.size >= mostKept) changed.clear();
    const tells = saysChanged(textOf(one));
    changed.set(key, tells);
    return tells;
  };
  return (rules, statements) => {
    if (rules.length === 0) return [];
    // All of them apply here.
    const listed = rules.map((one) => ({ ...one, text: one.summary, project: "" }));
    const dated = new Set(contradictionsIn(listed).flatMap(({ older, newer }) => [older, newer]));
    const changes = statements
      .filter((one) => one.standing === 0 && one.salience !== null && tellsOfChange(one))
      .sort((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id);
    return rules.map((rule) => {
      const { terms } = read(rule);
      const since = changes.find((one) => isAfter(one, rule) && isOfSame(terms, read(one).terms)) ?? null;
      return { rule, needsDay: dated.has(rule.id), since };
    });
  };
}

function isAfter(one: QuotedRecord, rule: QuotedRecord): boolean {
  const isLater = one.created_at_epoch - rule.created_at_epoch;
  return isLater > 0 || (isLater === 0 && one.id > rule.id);
}

function isOfSame(rule: ReadonlySet<string>, change: ReadonlySet<string>): boolean {
  const shared = [...rule].filter((term) => change.has(term)).length;
  return shared >= leastShared && shared >= leastShare * Math.min(rule.size, change.size);
}

const mostKept = 12_000;
const leastShared = 2;
const leastShare = 0.5;
