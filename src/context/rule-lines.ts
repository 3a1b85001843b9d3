// Standing rules for a session start: whether a rule needs its day, and the newest statement that changes it.
import type { QuotedRecord } from "../core/records/records.ts";
import { createContradictions } from "../statements/rules/contradictions.ts";
import { saysChanged } from "../statements/text/sentence-cues.ts";
import { createTextCache, keyOf, type TextCache, textOf } from "./turns.ts";

export interface ReadRule {
  rule: QuotedRecord;
  /** Another listed rule may contradict it; the day shows which one is newer. */
  needsDay: boolean;
  /** The newest later statement that something about it changed. */
  since: QuotedRecord | null;
}

export type RuleReader = (rules: readonly QuotedRecord[], statements: readonly QuotedRecord[]) => ReadRule[];

/** Caches what it has read: rules are listed at every session start. */
export function createRuleReader(texts: TextCache = createTextCache()): RuleReader {
  const contradictionsIn = createContradictions();
  const changed = new Map<string, boolean>();
  // Checked before the terms are parsed: few statements report a change.
  const reportsChange = (one: QuotedRecord): boolean => {
    const key = keyOf(one);
    const known = changed.get(key);
    if (known !== undefined) return known;
    if (changed.size >= maxCached) changed.clear();
    const reports = saysChanged(textOf(one));
    changed.set(key, reports);
    return reports;
  };
  const datedIn = (rules: readonly QuotedRecord[]): ReadonlySet<number> => {
    // All rules apply here, whatever their project.
    const listed = rules.map((one) => ({ ...one, text: one.summary, project: "" }));
    return new Set(contradictionsIn(listed).flatMap(({ older, newer }) => [older, newer]));
  };
  return (rules, statements) => {
    if (rules.length === 0) return [];
    const dated = datedIn(rules);
    const changes = statements
      .filter((one) => one.standing === 0 && one.salience !== null && reportsChange(one))
      .sort((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id);
    return rules.map((rule) => {
      const terms = texts.ofRecord(rule);
      const isSince = (one: QuotedRecord) => isAfter(one, rule) && isSameSubject(terms, texts.ofRecord(one));
      return { rule, needsDay: dated.has(rule.id), since: changes.find(isSince) ?? null };
    });
  };
}

function isAfter(one: QuotedRecord, rule: QuotedRecord): boolean {
  const later = one.created_at_epoch - rule.created_at_epoch;
  return later > 0 || (later === 0 && one.id > rule.id);
}

function isSameSubject(rule: ReadonlySet<string>, change: ReadonlySet<string>): boolean {
  const shared = [...rule].filter((term) => change.has(term)).length;
  return shared >= leastShared && shared >= leastShare * Math.min(rule.size, change.size);
}

const maxCached = 12_000;
const leastShared = 2;
const leastShare = 0.5;
