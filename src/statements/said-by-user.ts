// Finds what a user says that outlasts the turn: rules, preferences, facts, answers to questions.
import type { Turn } from "../core/records/turn.ts";
import { typedOf } from "../core/tools/typed-text.ts";
import { ownTextOf, refusalIn, type UserAnswer, userAnswersIn } from "../core/tools/user-answers.ts";
import { clip } from "../text/plain-text.ts";
import { decidedIn } from "./rules/decided.ts";
import { type PromptRule, promptRulesIn } from "./rules/prompt-rules.ts";
import { readSentence } from "./rules/read-sentence.ts";
import { isExcluded } from "./rules/standing.ts";
import { salienceOfPrompt, tellsOfProblem } from "./salience.ts";
import { type Statement, statementOnWork } from "./statement.ts";
import { namesIn } from "./text/names.ts";
import { isQuestion, promptCuesOf } from "./text/sentence-cues.ts";
import { sentencesOf } from "./text/sentences.ts";

/** At most five statements, in the order of the prompt. Pasted text does not count. */
export function saidIn(turn: Turn): Statement[] {
  const sentences = sentencesOf(typedOf(turn));
  const rules = promptRulesIn(sentences, {
    prompt: turn.prompt,
    isFollowUp: turn.previous !== null,
    previousClosing: turn.previous?.closing ?? null,
  });
  return sentences
    .flatMap((sentence) => {
      const { at } = sentence;
      const salience = salienceOfPrompt(sentence.text, { at, sentences: sentences.length });
      const rule = rules.find((one) => at >= one.from && at <= one.at);
      const statement = rule === undefined ? wishOf(sentence.text, salience) : ruleAt(at, rule, salience);
      return statement === null ? [] : [{ at, statement }];
    })
    .sort((a, b) => b.statement.salience - a.statement.salience)
    .slice(0, mostStatements)
    .sort((a, b) => a.at - b.at)
    .map(({ statement }) => statement);
}

function ruleAt(position: number, { text, rule, at }: PromptRule, salience: number): Statement | null {
  if (position !== at) return null;
  // Later sessions get it in any case: it need not be proposed.
  if (!rule.isSure && salience > toldSalience)
    return statementOnWork({ kind: "decision", text, said_by: "user", salience });
  return {
    text,
    said_by: "user",
    kind: "rule",
    standing: rule.isSure,
    reach: rule.isSure ? rule.reach : "project",
    forbids: rule.form === "never",
    salience: Math.max(salience, 0) + standingBonus,
  };
}

function wishOf(text: string, salience: number): Statement | null {
  if (isDecision(text)) {
    const worth = Math.max(salience, decisionSalience);
    return statementOnWork({ kind: "decision", text, said_by: "user", salience: worth });
  }
  if (salience < leastSalience || saysNothing(text)) return null;
  const kind = tellsOfProblem(text) ? "finding" : "instruction";
  return statementOnWork({ kind, text, said_by: "user", salience });
}

// "We decided to go with Stripe": a question, a guess and the report of somebody else are none.
function isDecision(text: string): boolean {
  return decidedIn(text) !== null && !readSentence(text).some(isExcluded);
}

// A bare question, a yes, or a one-time wish means nothing to a later session.
function saysNothing(text: string): boolean {
  const cues = promptCuesOf(text);
  if (cues.has("oneOff")) return true;
  return namesIn(text).length === 0 && (isQuestion(text) || text.length < shortest);
}

const mostStatements = 5;
const leastSalience = -2.5;
const shortest = 16;
// As much as a good finding.
const decisionSalience = 1;
const toldSalience = 0.1;
// A rule ranks above any conclusion of the agent.
const standingBonus = 2;

/** What the user said in tool uses of this turn that no other record has: answers, and the words of a refusal. */
export function answeredIn({ uses }: Pick<Turn, "uses">): Statement[] {
  return uses
    .filter(({ isOfTurn, message }) => isOfTurn && message.turn_only === true)
    .flatMap(({ id, message }) =>
      [...userAnswersIn(message).flatMap(statementsOf), ...settledBy(refusalIn(message) ?? "", "")].map(
        (statement) => ({ ...statement, sources: [id] }),
      ),
    );
}

function statementsOf(given: UserAnswer): Statement[] {
  const own = ownTextOf(given);
  // A counter-question decides nothing.
  if (/[?？]$/.test(own)) return [];
  // An offered label is the agent's wording, so it never becomes a rule.
  const rules = settledBy(own, given.question).filter(({ standing }) => standing);
  const isWholeRule = plain(rules.map(({ text }) => text).join(" ")) === plain(given.answer);
  return isWholeRule ? rules : [decisionOf(given), ...rules];
}

function decisionOf({ question, answer, offered }: UserAnswer): Statement {
  const isChosen = (label: string) => answer.includes(label);
  const others = offered.filter((label) => !isChosen(label)).map(withoutAdvice);
  const rejected = others.length === 0 || !offered.some(isChosen) ? "" : ` (not ${others.join(", ")})`;
  const lead = `${leadOf(question)} ${withoutAdvice(answer.trim())}`;
  const text = `${lead}${rejected.length > longestRejected ? "" : rejected}`;
  return statementOnWork({ kind: "decision", text, said_by: "user", salience: answerSalience });
}

// Rules and decisions in the user's answer to a message of the agent.
function settledBy(prompt: string, closing: string): Statement[] {
  const said = saidIn({ prompt, closing: "", previous: { prompt: "", closing }, uses: [] });
  return said.filter(({ standing, kind }) => standing || kind === "decision");
}

// Skips a long explanation before the question.
function leadOf(question: string): string {
  const asked = sentencesOf(question).findLast(({ text }) => /[?？]$/.test(text))?.text ?? question;
  const lead = clip(question.length <= longestQuestion ? question.trim() : asked, longestQuestion);
  return /\p{P}$/u.test(lead) ? lead : `${lead}:`;
}

function withoutAdvice(label: string): string {
  return label.replace(/\s*\(recommended\)/gi, "");
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

// Few sentences of closings score above 1.
const answerSalience = 2;
const longestQuestion = 160;
const longestRejected = 80;
