// Decides whether a sentence of a prompt is a standing rule, preference or fact.
import type { Reach } from "../../core/records/statement.ts";
import { bareWordsOf } from "../../text/words.ts";
import { type Alternative, alternativesIn } from "./alternatives.ts";
import { decidedIn } from "./decided.ts";
import { parseRule } from "./prohibitions.ts";
import {
  type Clause,
  keptFolderMark,
  nameMark,
  pathMark,
  type ReadSentence,
  readSentence,
} from "./read-sentence.ts";
import { withdrawsRule } from "./rule-wording.ts";

export interface SentenceContext {
  /** The whole prompt. */
  prompt: string;
  /** True when the prompt answers an earlier turn of the session. */
  isFollowUp: boolean;
  previousClosing: string | null;
  /** The sentence is what somebody decided: a decision on the product is no instruction to the agent. */
  isDecision?: boolean;
}

export interface Standing {
  standing: true;
  reach: Reach;
  form: "do" | "never";
  /** It says itself that it lasts. Any other is a proposal: of 64 found in real sessions 6 were rules. */
  isSure: boolean;
  /** "Same for all figures": it needs the sentence before it. */
  pointsBack: boolean;
}

/**
 * What a sentence of `ownWords(prompt)` lays down for good, or null. Precision goes before recall: a question, a
 * one-off, a report, a guess, a bug and a wish for the product are none.
 */
export function standingOf(sentence: string, context: SentenceContext): Standing | null {
  if (sentence.length > maxChars || /[:：]\s*$/.test(sentence)) return null;
  const decided = decidedIn(sentence);
  if (decided !== null) return standingOf(decided, { ...context, isDecision: true });
  const readings = readSentence(sentence, context.prompt);
  if (readings.some(isExcluded)) return null;
  if (readings.length > 1 && readings.some(({ whole }) => whole.has("bug"))) return null;
  const isWithdrawal =
    withdrawsRule(sentence) && readings.every(({ whole }) => !whole.text.includes(pathMark));
  if (isWithdrawal) return { standing: true, reach: "project", form: "do", isSure: true, pointsBack: false };
  for (const read of readings) {
    const rule = read.clauses.find((clause) => isRule(clause, read, context));
    if (rule === undefined || takesBack(read, rule)) continue;
    const form = parseRule(sentence).forbids ? "never" : "do";
    const pointsBack = read.whole.has("pointsBack") && sentence.length <= shortChars;
    return { standing: true, reach: reachOf(read), form, isSure: saysItLasts(read, form), pointsBack };
  }
  return null;
}

function saysItLasts({ whole: { has, text } }: ReadSentence, form: Standing["form"]): boolean {
  if (statesFact.test(text)) return false;
  if (has("duration") || has("everywhere") || has("always")) return true;
  return has("prohibit") ? form === "never" && has("never") && !has("remember") : has("remember");
}

// "There is always a file beside it", "drop it for good": how something is, and a task.
const statesFact =
  /(?<!\p{L})(?:there (?:is|are|was|will be)|there's|for good|(?:es )?gibt|hay|il y a|há|有)(?!\p{L})/iu;

const maxChars = 500;
const shortChars = 100;

function takesBack({ clauses }: ReadSentence, rule: Clause): boolean {
  return clauses.slice(clauses.indexOf(rule) + 1).some(({ has }) => has("takenBack"));
}

/** True for a question, a one-off, a report and a guess. */
export function isExcluded({ whole, asks }: ReadSentence): boolean {
  if (whole.has("once") && !whole.has("changed")) return true;
  if (whole.has("reported") || whole.has("doubt") || whole.has("question")) return true;
  return asks && !(whole.has("polite") && (isGeneral(whole) || whole.has("command")));
}

function isGeneral({ has }: Clause): boolean {
  return has("duration") || has("always") || has("never") || has("condition");
}

function isRule(clause: Clause, read: ReadSentence, context: SentenceContext): boolean {
  const { has } = clause;
  const { whole } = read;
  const before = read.clauses.slice(0, read.clauses.indexOf(clause));
  if (has("question")) return false;
  if (before.some((one) => (one.has("task") || one.has("bug")) && /[:：]/.test(one.mark))) return false;
  if (whole.has("everywhere") || has("remember") || has("applies") || has("stays")) return !has("bug");
  if (has("bug") || (has("event") && !has("changed"))) return false;
  if (has("changed") || (has("environment") && !has("task"))) return true;
  if (has("duration") && !has("product")) return true;
  if (has("norm") || (has("general") && !has("task"))) return true;
  if (isOurHabit(clause, read)) return true;
  if ([...before, clause].some(isProductWish)) return false;
  if (isConvention(clause, whole) || isLabelled(clause, read) || isOrder(clause, read)) return true;
  if (context.isDecision === true) {
    const isOfAll = has("always") && has("artifact") && clause.find("artifact") < clause.find("always");
    return isOfAll || (whole.has("contrast") && choosesTool(whole.text, ofProduct));
  }
  if (isAboutKind(clause, read, context.prompt)) return true;
  if (isAboutAnswers(clause, read)) return true;
  if (!context.isFollowUp || opensWithTask(context.prompt)) return false;
  return corrects(clause, read) || (context.previousClosing !== null && correctsAnswer(clause, read));
}

function isProductWish({ has }: Clause): boolean {
  return has("product") && !has("here") && !has("possessive");
}

function isStrict({ has }: Clause): boolean {
  return has("always") || has("never") || has("only");
}

// "We use pnpm here", "our tests never hit the network".
function isOurHabit(clause: Clause, { whole, clauses }: ReadSentence): boolean {
  const { has, text } = clause;
  if (has("task")) return false;
  if (has("habit")) {
    if (isStrict(clause) || has("here") || has("every") || has("place")) return true;
    if (whole.has("contrast") || hasName(text)) return true;
    if (has("artifact")) return true;
  }
  if (has("possessive") && !has("product")) {
    if (isStrict(clause) || has("place") || has("deontic")) return true;
    if (has("artifact") && whole.has("never")) return true;
  }
  if (whole.has("here") && has("artifact") && has("copula") && !whole.has("adopt")) return true;
  if (!has("here") || whole.has("bug") || (has("prohibit") && clauses.some((one) => one.has("task"))))
    return false;
  if (has("copula") && (hasName(text) || /\d/.test(text))) return true;
  return isStrict(clause) || has("deontic") || has("noNoun");
}

// "Every migration needs a down script", "texts belong in locales/en.json", "no one pushes to main".
function isConvention(clause: Clause, whole: Clause): boolean {
  const { has, find, text } = clause;
  if (has("task")) return false;
  const isNarrowed = isStrict(clause) || has("every");
  if (has("noOne") && has("devVerb")) return true;
  if (has("general")) return true;
  if (has("passive") && isNarrowed && !isState(text)) return true;
  if (has("place") && (text.includes(pathMark) || (has("artifact") && (isNarrowed || whole.has("contrast")))))
    return true;
  if (has("artifact") && isNarrowed && has("deontic")) return true;
  const isOnly = has("only") && find("artifact") < find("only");
  const isOrdered = has("prohibit");
  if (has("artifact") && (has("always") || (has("never") && !isOrdered) || isOnly) && has("copula"))
    return true;
  if (has("artifact") && has("never") && has("devVerb") && find("artifact") < find("never") && !isOrdered)
    return true;
  if (has("artifact") && has("copula") && whole.has("contrast") && hasName(text)) return true;
  return text.includes(pathMark) && has("every") && has("deontic");
}

// "Commit subjects in this repo: lower case, no period". A task or a report behind the colon is no convention.
function isLabelled(clause: Clause, { clauses }: ReadSentence): boolean {
  if (!clause.has("label") || !/[:：]/.test(clause.mark) || clause.text.length > longestLabel) return false;
  const values = clauses.slice(clauses.indexOf(clause) + 1);
  if (values.length === 0 || values.some(({ has }) => has("bug") || has("event"))) return false;
  return !values[0]?.has("task") && !values[0]?.has("copula");
}

const longestLabel = 60;

// "Never commit to main", "don't edit anything by hand", "whenever you change the schema, ...", "run make, always".
function isOrder({ has, text }: Clause, { whole, clauses }: ReadSentence): boolean {
  if (has("command")) return true;
  const isAboutWork = has("artifact") || has("devVerb") || text.includes(pathMark);
  const isForbidden = has("prohibit") || (has("never") && !has("task"));
  if (isForbidden && has("generic") && isAboutWork) return true;
  const isTail = clauses[0]?.has("task") || clauses[0]?.has("noNoun");
  if (has("always") && isTail && !/[\p{L}\p{N}].*\s.*[\p{L}\p{N}]/u.test(text.trim())) return true;
  if (has("prohibit") && whole.has("always") && !has("always")) return true;
  if (has("condition")) return true;
  return whole.has("occasion") && isStrict(whole) && !has("task") && !whole.has("bug");
}

function isAboutAnswers(clause: Clause, { whole, clauses }: ReadSentence): boolean {
  const { has } = clause;
  if (whole.has("nextTime") && (has("answer") || has("shape"))) return true;
  if (has("task") || (clauses[0]?.has("task") && !whole.has("correction"))) return false;
  if (has("answer") && isGeneral(whole)) return true;
  if (!has("prefer")) return false;
  return has("answer") || has("shape") || ((isGeneral(whole) || has("every")) && has("artifact"));
}

// "One or two sentences at the end, no headings": only an answer can have been too long.
function correctsAnswer(clause: Clause, { whole, clauses }: ReadSentence): boolean {
  const { has } = clause;
  if (has("task") || (clauses[0]?.has("task") && !whole.has("correction"))) return false;
  return has("shape") || (has("answer") && (isStrict(clause) || has("prohibit") || has("noNoun")));
}

function corrects(clause: Clause, { whole, clauses }: ReadSentence): boolean {
  const { has, find, text } = clause;
  if (has("task") || (clauses[0]?.has("task") && !whole.has("correction"))) return false;
  if (has("noNoun") && (has("artifact") || hasName(text))) return true;
  const isOneThing = has("definite") || (text.includes(nameMark) && !has("lasting"));
  if (has("prohibit") && has("generic") && !isOneThing) return true;
  if (has("prohibit") && !isOneThing && !clauses.some((one) => one.has("task")))
    return (has("artifact") || has("devVerb")) && !isBare(text);
  if (has("artifact") && has("only") && find("artifact") < find("only")) return true;
  if (whole.has("correction") && (has("here") || has("possessive") || has("place"))) return true;
  const isNarrowed = whole.has("contrast") || isStrict(clause) || has("every");
  return has("artifact") && has("copula") && isNarrowed && whole.has("correction");
}

// "Don't push": without an object it concerns the current task.
function isBare(text: string): boolean {
  return (text.match(/[\p{L}\p{N}'’-]+/gu) ?? []).length <= 2 && !/[\u3040-\u9fff]/.test(text);
}

// "Nothing is pushed" is a state; "nothing is pushed without a review" is a rule.
function isState(text: string): boolean {
  return (text.match(/[\p{L}\p{N}'’-]+/gu) ?? []).length <= 3 && !/[\u3040-\u9fff]/.test(text);
}

function hasName(text: string): boolean {
  return text.includes(nameMark) || text.includes(pathMark);
}

function reachOf({ whole }: ReadSentence): Reach {
  if (whole.has("everywhere")) return "everywhere";
  const isLocal = whole.has("here") || whole.has("possessive") || whole.text.includes(pathMark);
  return whole.has("answer") && whole.has("always") && !isLocal ? "everywhere" : "project";
}

/**
 * "Don't touch vendor/", "use tabs, not spaces". A prompt that asks for work may mean them for that work, unless they
 * choose a tool or keep a folder that projects never edit by hand. "A map, not a list" speaks of one thing.
 */
function isAboutKind(clause: Clause, read: ReadSentence, prompt: string): boolean {
  const { has, text } = clause;
  const { whole, clauses } = read;
  if (clauses.some(asksForWork)) return false;
  const isChoice = whole.has("contrast") && choosesTool(whole.text);
  const isOneThing = has("here") || whole.has("definite");
  const isUse = has("adopt") && whole.has("contrast") && !isOneThing && comparesKinds(clauses);
  const isOrder = has("lasting") && (text.includes(pathMark) || !isOneThing);
  const isWording = has("artifact") && has("shape") && !whole.has("copula") && !has("single");
  if (!(isChoice || isUse || isOrder || isWording)) return false;
  return (
    isChoice || !opensWithTask(prompt) || (isOrder && (namesTool(text) || text.includes(keptFolderMark)))
  );
}

function comparesKinds(clauses: readonly Clause[]): boolean {
  const compared = clauses.filter(({ has }) => has("adopt") || has("contrast"));
  return !compared.some(({ has, text }) => has("single") || /\d/.test(text) || choosesPerTask(text));
}

function asksForWork({ has }: Clause): boolean {
  return has("task") && !has("adopt") && !has("lasting");
}

// "pnpm, not npm": two values of one choice.
function choosesTool(text: string, except: ReadonlySet<string> = new Set()): boolean {
  const named = toolsIn(text).filter(({ choice }) => !except.has(choice));
  return named.some(({ choice, value }) =>
    named.some((other) => other.choice === choice && other.value !== value),
  );
}

function namesTool(text: string): boolean {
  return toolsIn(text).length > 0;
}

function toolsIn(text: string): Alternative[] {
  return bareWordsOf(text)
    .flatMap(alternativesIn)
    .filter(({ choice }) => !perTask.has(choice));
}

// "Use main, not develop": each task can choose again.
function choosesPerTask(text: string): boolean {
  return bareWordsOf(text)
    .flatMap(alternativesIn)
    .some(({ choice }) => perTask.has(choice));
}

// Of the product, not of how its code is written.
const ofProduct = new Set(["database", "containers"]);
const perTask = new Set(["main branch", "integration", "text format", "config format", "api style"]);

/** True for a prompt that begins with a task or a question; "undo that" begins with neither. */
function opensWithTask(prompt: string): boolean {
  const [read] = readSentence(prompt.trimStart().slice(0, 200));
  const first = read?.clauses[0];
  return (
    first !== undefined && (asksForWork(first) || first.has("question")) && !read?.whole.has("correction")
  );
}
