// Decides whether two rules contradict each other, and whether the newer one replaces the older.
import type { Speaker } from "../../core/records/statement.ts";
import { bareWordsOf } from "../../text/words.ts";
import { sharedCount, tellingTermsOf, topicTermsOf } from "../text/topic-terms.ts";
import { alternativesIn } from "./alternatives.ts";
import {
  clausesOf,
  givenUpIn,
  isReplacement,
  plainWordsOf,
  type RuleClause,
  scopeOf,
  withdrawnIn,
  withdrawsRule,
  withoutFillers,
} from "./rule-wording.ts";

/** A rule as it is compared: an observation or a draft. */
export interface ComparedRule {
  text: string;
  said_by: Speaker | null;
  standing: boolean;
}

/** The subject of a rule; computed once to compare it with many. */
export interface Subject {
  isOfUser: boolean;
  asked: ReadonlySet<string>;
  rejected: ReadonlySet<string>;
  /** Values by choice. */
  chosen: ReadonlyMap<string, ReadonlySet<string>>;
  refused: ReadonlyMap<string, ReadonlySet<string>>;
  /** Terms besides those values. */
  rest: ReadonlySet<string>;
  all: ReadonlySet<string>;
  /** Terms of numbers with a unit behind them: "80 columns", and not "server 1". */
  amounts: ReadonlySet<string>;
  scope: ReadonlySet<string>;
  /** Terms of what it gives up: "drop the type prefixes". */
  withdrawn: ReadonlySet<string>;
  /** The plain words of what it gives up by name, two at least: "make lint". */
  givenUp: readonly string[];
  /** It withdraws a rule as such, whatever that rule asks or forbids. */
  withdrawsRule: boolean;
  /** The plain words of its clauses that ask for something, and of all of it. */
  plain: { asked: string; all: string };
  /** Terms of each of its parts: "lines in the changelog, and tests beside the code" has two. */
  parts: readonly (readonly string[])[];
  isReplacement: boolean;
}

/**
 * "same": both are rules of the user on one subject, and the newer one certainly replaces the older. "related": they
 * contradict each other, and only the user can tell which applies. Null: neither.
 */
export function sameSubject(older: ComparedRule, newer: ComparedRule): "same" | "related" | null {
  return compareSubjects(subjectOf(older), subjectOf(newer));
}

export function compareSubjects(older: Subject, newer: Subject): "same" | "related" | null {
  const conflict =
    choiceConflict(older, newer) ?? rejectionConflict(older, newer) ?? amountConflict(older, newer);
  const withdrawal = withdrawalOf(older, newer);
  if (conflict === null || withdrawal === "same") return withdrawal;
  const isSaidSo = newer.isReplacement || conflict === "rejected by the newer";
  // With another amount, the newer one lacks only the older amount.
  const coversOlder = conflict === "other amount" || isSubset(older.rest, newer.all);
  const isAsWide = isSubset(newer.scope, older.all);
  return older.isOfUser && newer.isOfUser && isSaidSo && coversOlder && isAsWide ? "same" : "related";
}

/** "Drop the changelog lines" against the rule that asks for them. A rule that asks for more is not replaced. */
function withdrawalOf(older: Subject, newer: Subject): "same" | "related" | null {
  if (givesUp(newer, older)) return isGivenUpWhole(older, newer) ? "same" : "related";
  const given = [...newer.withdrawn].filter((term) => older.asked.has(term) && !older.rejected.has(term));
  if (given.length === 0 || given.length * 2 < newer.withdrawn.size) return null;
  const isCertain =
    given.length >= 2 && older.parts.every((part) => part.some((term) => newer.all.has(term)));
  const isAsWide = isSubset(newer.scope, older.all);
  return isCertain && isAsWide && older.isOfUser && newer.isOfUser ? "same" : "related";
}

// "We now use `just lint` instead of `make lint`", by the words of the older rule.
function givesUp(newer: Subject, older: Subject): boolean {
  const words = newer.withdrawsRule ? older.plain.all : older.plain.asked;
  return newer.givenUp.some((given) => ` ${words} `.includes(` ${given} `));
}

function isGivenUpWhole(older: Subject, newer: Subject): boolean {
  const isWhole = older.parts.every((part) => part.some((term) => newer.all.has(term)));
  return isWhole && isSubset(newer.scope, older.all) && older.isOfUser && newer.isOfUser;
}

export function subjectOf({ text, said_by, standing }: ComparedRule): Subject {
  const sides = { asked: emptySide(), rejected: emptySide() };
  const clauses = clausesWithTerms(text);
  for (const { text: clause, isRejected } of clauses)
    addClause(isRejected ? sides.rejected : sides.asked, clause);
  const { asked, rejected } = sides;
  const rest = new Set([...asked.rest, ...rejected.rest]);
  return {
    isOfUser: said_by === "user" && standing,
    asked: asked.terms,
    rejected: rejected.terms,
    chosen: asked.values,
    refused: rejected.values,
    rest,
    all: new Set([...asked.terms, ...rejected.terms]),
    amounts: new Set((text.match(amount) ?? []).flatMap(termsOf)),
    scope: new Set(scopeOf(text).flatMap((found) => termsOf(found).filter((term) => rest.has(term)))),
    withdrawn: new Set(withdrawnIn(text).flatMap(termsOf)),
    givenUp: givenUpIn(text),
    withdrawsRule: withdrawsRule(text),
    plain: {
      asked: plainWordsOf(clauses.flatMap((one) => (one.isRejected ? [] : [one.text])).join(" ")),
      all: plainWordsOf(text),
    },
    parts: text
      .split(partEnd)
      .map(termsOf)
      .filter((terms) => terms.length > 0),
    isReplacement: isReplacement(text),
  };
}

interface Side {
  terms: Set<string>;
  rest: Set<string>;
  values: Map<string, Set<string>>;
}

function emptySide(): Side {
  return { terms: new Set(), rest: new Set(), values: new Map() };
}

// "npm is not used": a rejecting clause without terms rejects the clause before it.
function clausesWithTerms(text: string): RuleClause[] {
  const kept: RuleClause[] = [];
  for (const clause of clausesOf(text).map(withWithdrawal)) {
    const before = kept.at(-1);
    if (termsOf(clause.text).length > 0) kept.push(clause);
    else if (clause.isRejected && before !== undefined) before.isRejected = true;
  }
  return kept;
}

// "Forget the changelog lines" rejects them.
function withWithdrawal(clause: RuleClause): RuleClause {
  return { ...clause, isRejected: clause.isRejected || withdrawnIn(clause.text).length > 0 };
}

function addClause({ terms, rest, values }: Side, clause: string): void {
  const ofValues = new Set<string>();
  for (const word of bareWordsOf(clause)) {
    for (const { choice, value } of alternativesIn(word)) {
      values.set(choice, (values.get(choice) ?? new Set()).add(value));
      for (const term of topicTermsOf(word.text)) ofValues.add(term);
    }
  }
  for (const term of termsOf(clause)) {
    terms.add(term);
    if (!ofValues.has(term)) rest.add(term);
  }
}

function termsOf(text: string): string[] {
  return tellingTermsOf(withoutFillers(text));
}

type Conflict = "rejected by the newer" | "other amount" | "other" | null;

// Two values of one choice: npm and pnpm, tabs and spaces. Rules without a shared word have different subjects.
function choiceConflict(older: Subject, newer: Subject): Conflict {
  if (older.rest.size > 0 && newer.rest.size > 0 && sharedCount(older.rest, newer.rest) === 0) return null;
  for (const [choice, values] of older.chosen) {
    const refused = newer.refused.get(choice);
    if (refused !== undefined && sharedCount(values, refused) > 0) return "rejected by the newer";
    const chosen = newer.chosen.get(choice);
    if (chosen !== undefined && sharedCount(values, chosen) === 0) return "other";
  }
  for (const [choice, values] of older.refused)
    if (sharedCount(values, newer.chosen.get(choice) ?? noTerms) > 0) return "other";
  return null;
}

// One asks for what the other rejects, and they share half of their words.
function rejectionConflict(older: Subject, newer: Subject): Conflict {
  const common = sharedCount(older.all, newer.all);
  if (common < 2 || common * 2 < Math.min(older.all.size, newer.all.size)) return null;
  if (opposed(older.asked, newer.rejected, newer.asked, older.rejected)) return "rejected by the newer";
  if (opposed(newer.asked, older.rejected, older.asked, newer.rejected)) return "other";
  return null;
}

function opposed(
  asked: ReadonlySet<string>,
  rejected: ReadonlySet<string>,
  askedToo: ReadonlySet<string>,
  rejectedToo: ReadonlySet<string>,
): boolean {
  return [...asked].some((term) => rejected.has(term) && !askedToo.has(term) && !rejectedToo.has(term));
}

// The same sentence with another amount in it. With another name or number it is a second rule: "never edit b.ts".
function amountConflict(older: Subject, newer: Subject): Conflict {
  const [ownOlder, ownNewer] = [without(older.all, newer.all), without(newer.all, older.all)];
  const common = sharedCount(older.all, newer.all);
  const isAlike = common >= 2 && common * 3 >= Math.max(older.all.size, newer.all.size) * 2;
  const isAmount = (own: readonly string[], { amounts }: Subject) =>
    own.length > 0 && own.every((term) => amounts.has(term));
  return isAlike && isAmount(ownOlder, older) && isAmount(ownNewer, newer) ? "other amount" : null;
}

function without(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((term) => !b.has(term));
}

function isSubset(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return sharedCount(a, b) === a.size;
}

const partEnd = /[;；。]|[.!?！？]\s|\s(?:and|und|y|et|e|и)\s/u;
const noTerms: ReadonlySet<string> = new Set();
const amount =
  /(?<![\p{L}\d./_-])\d[\d.,]*\s?(?:%|[kmg]i?b|px|m?s|min|h|(?:sec|seg|min|minut|seconde|sekunde|stunde|hour|hora|heure|day|tag|día|dia|jour|week|woche|semana|semaine|col|column|spalte|columna|colonne|coluna|char|character|zeichen|caracter|caract[eè]re|line|zeile|línea|ligne|linha|word|wort|wörter|palabra|mot|palavra|space|version|file|datei|test)(?:e?[sn]|es|utes?|onds?)?|секунд\p{L}*|минут\p{L}*|час\p{L}*|дн\p{L}*|строк\p{L}*|символ\p{L}*|слов\p{L}*|秒|分|时|時|天|日|行|字符?|文字|列)(?![\p{L}\d])/giu;
