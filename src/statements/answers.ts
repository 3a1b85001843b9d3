// What the user's answers to the agent's questions decide: the question with the answer, and rules in the user's own words.

import type { Turn } from "../core/records/turn.ts";
import { type UserAnswer, userAnswersIn } from "../core/tools/user-answers.ts";
import { clip } from "../text/plain-text.ts";
import { saidIn } from "./said-by-user.ts";
import { sentencesOf } from "./sentences.ts";
import type { Statement } from "./statement.ts";

/** The answers of this turn that no other record has. */
export function answeredIn({ uses }: Pick<Turn, "uses">): Statement[] {
  return uses
    .filter(({ isOfTurn, message }) => isOfTurn && message.turn_only === true)
    .flatMap(({ id, message }) => userAnswersIn(message).flatMap(statementsOf).map(from(id)));
}

function from(id: number): (statement: Statement) => Statement {
  return (statement) => ({ ...statement, sources: [id] });
}

function statementsOf(given: UserAnswer): Statement[] {
  const own = ownTextOf(given);
  // A question back decides nothing.
  if (/[?？]$/.test(own)) return [];
  const rules = rulesIn(own, given.question);
  const isWholeRule = plain(rules.map(({ text }) => text).join(" ")) === plain(given.answer);
  return isWholeRule ? rules : [decisionOf(given), ...rules];
}

function decisionOf({ question, answer, offered }: UserAnswer): Statement {
  const isChosen = (label: string) => answer.includes(label);
  const others = offered.filter((label) => !isChosen(label)).map(withoutAdvice);
  const rejected = others.length === 0 || !offered.some(isChosen) ? "" : ` (not ${others.join(", ")})`;
  return {
    kind: "decision",
    text: `${leadOf(question)} ${withoutAdvice(answer.trim())}${rejected.length > longestRejected ? "" : rejected}`,
    said_by: "user",
    standing: false,
    reach: "project",
    salience: answerSalience,
  };
}

// A label that the agent offered is not in the user's own words, so it never stands as a rule.
function rulesIn(own: string, question: string): Statement[] {
  if (own === "") return [];
  const said = { prompt: own, closing: "", previous: { prompt: "", closing: question }, uses: [] };
  return saidIn(said).filter(({ standing }) => standing);
}

/** The answer without the labels in front of it: a host joins several with a comma. */
function ownTextOf({ answer, offered }: UserAnswer): string {
  const own = answer.trim();
  const label = offered.find((one) => own === one || own.startsWith(`${one}, `));
  if (label === undefined) return own;
  return ownTextOf({ question: "", answer: own.slice(label.length + 1), offered });
}

// The question itself where the agent explains at length before it.
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

// Beside the sentences of closings, of which few are above 1.
const answerSalience = 2;
const longestQuestion = 160;
const longestRejected = 80;
