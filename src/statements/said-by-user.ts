// Finds what a user says that outlasts the turn: rules, decisions, facts, answers to questions.
import type { Turn } from "../core/records/turn.ts";
import { typedOf } from "../core/tools/typed-text.ts";
import { ownTextOf, refusalIn, type UserAnswer, userAnswersIn } from "../core/tools/user-answers.ts";
import { cueOf, removing } from "../text/cue-pattern.ts";
import { clip } from "../text/plain-text.ts";
import { isNoRule } from "./rules/no-rule.ts";
import { type Standing, standingOf } from "./rules/standing.ts";
import { salienceOfPrompt, tellsOfProblem } from "./salience.ts";
import { type Statement, statementOnWork } from "./statement.ts";
import { namesIn } from "./text/names.ts";
import { isQuestion, promptCuesOf } from "./text/sentence-cues.ts";
import { sentencesOf } from "./text/sentences.ts";

/** At most five statements, in the order of the prompt. Pasted text does not count. */
export function saidIn(turn: Turn): Statement[] {
  const typed = typedOf(turn);
  const sentences = sentencesOf(typed);
  const closing = turn.previous?.closing ?? "";
  return sentences
    .flatMap(({ text, at }) => {
      const salience = salienceOfPrompt(text, { at, sentences: sentences.length });
      const before = needsBefore(text) ? (sentences[at - 1]?.text ?? closing) : "";
      const whole = before === "" ? text : `${before} ${text}`;
      const found = before.length > longestBefore ? null : standingOf(text, typed);
      // With words of the agent it is not what the user said.
      const rule = found && { ...found, isSure: found.isSure && !(at === 0 && before !== "") };
      if (rule !== null) return [{ at, statement: ruleOf(rule, whole, salience) }];
      const statement = wishOf(text, salience);
      return statement === null ? [] : [{ at, statement }];
    })
    .sort((a, b) => b.statement.salience - a.statement.salience)
    .slice(0, mostStatements)
    .sort((a, b) => a.at - b.at)
    .map(({ statement }) => statement);
}

// "Same for all figures from here on": what it speaks of stands in the sentence before, or in the agent's message.
function needsBefore(text: string): boolean {
  const namesItself = namesIn(text).length > 0 || promptCuesOf(text).has("work");
  return !namesItself && text.length <= longestPointer && pointsBack.test(text);
}

function ruleOf(rule: Standing, text: string, salience: number): Statement {
  const isTold = salience > toldSalience && !promptCuesOf(text).has("oneOff");
  // Later sessions get it in any case: it need not be proposed.
  if (!rule.isSure && (isTold || isDecision(text))) return decisionOfUser(text, salience);
  return {
    text,
    said_by: "user",
    kind: "rule",
    standing: rule.isSure,
    reach: "project",
    forbids: rule.forbids,
    salience: Math.max(salience, 0) + standingBonus,
  };
}

function wishOf(text: string, salience: number): Statement | null {
  if (isDecision(text)) return decisionOfUser(text, Math.max(salience, decisionSalience));
  if (salience < leastSalience || promptCuesOf(text).has("oneOff")) return null;
  if (namesIn(text).length === 0 && (isQuestion(text) || text.length < shortest)) return null;
  // A report is no change: only what is asked for may become one.
  const kind = promptCuesOf(text).has("order") && !tellsOfProblem(text) ? "instruction" : "finding";
  return statementOnWork({ kind, text, said_by: "user", salience });
}

function decisionOfUser(text: string, salience: number): Statement {
  return statementOnWork({ kind: "decision", text, said_by: "user", salience });
}

// "We decided to go with Stripe": a question, a guess and the report of somebody else are none.
function isDecision(text: string): boolean {
  return decidedIn(text) !== null && !isNoRule(text);
}

/** What was decided: "we decided to go with Stripe" gives "go with Stripe". Null for another sentence. */
export function decidedIn(sentence: string): string | null {
  if (!decided.test(sentence)) return null;
  const content = removing(decided, sentence)
    .replace(/^[\s,:;，：、]+/u, "")
    .trim();
  return /\p{L}/u.test(content) ? content : null;
}

// "Since we decided that" gives a reason for something else.
const decided = cueOf({
  words: `(?<!(?:since|after|when|before|because|if|unless|until|once|as|what|why|how) )(?:we|i|they|(?:the|our) (?:\\w+ )?(?:team|board|client|customer|boss|management|designers?|architects?|committee|owner|company))(?:'ve| have| has| had)? (?:(?:all|both|just|now|also|already|finally|recently|eventually|jointly|then) ){0,2}(?:decided|agreed|settled|chose(?! (?:badly|poorly|wrong\\w*))|chosen|picked(?! (?:up|out|off))|opted|voted(?! against [^.]{1,80}, so ))(?: (?:to|that|on|upon|for|in favou?r of))?|
    (?:it|this) (?:was|has been|is) (?:decided|agreed)(?: (?:to|that|on))?|(?:the|our) decision(?: is| was)?(?: to| that| ?:)|
    (?:we're|we are|we will be|we'll be) going with|we went with|(?:we'll|we will) go with|
    (?:wir haben|haben wir|ich habe|habe ich|(?:das|unser) team hat|es wurde)(?= [^.]{0,90}(?:beschlossen|entschieden|geeinigt|vereinbart|gewählt))(?: (?:uns|gestern|heute|jetzt|schon|gemeinsam|endlich|dafür|darauf|dazu)){0,3}|(?:beschlossen|entschieden|geeinigt|vereinbart)(?:,? dass)?|
    (?:hemos|han|he) (?:\\w+ )?(?:decidido|acordado|elegido|optado por|quedado en)(?: que)?|(?:decidimos|acordamos|elegimos|optamos por|quedamos en)(?: que)?|se (?:ha )?(?:decidió|decidido)(?: que)?|el equipo (?:ha )?(?:decidió|decidido)(?: que)?|
    (?:on a|nous avons|j'ai|l'équipe a) (?:\\w+ )?(?:décidé|choisi|convenu|opté|retenu|tranché)(?: (?:de|d'|que|pour))?|il a été décidé(?: (?:de|que))?|
    (?:(?:a gente|nós|o time|a equipe) )?(?:decidiu|decidimos|combinamos|combinou|escolhemos|optamos por|optou por|acordamos)(?: (?:que|de))?|(?:foi|ficou) decidido(?: que)?|
    (?:мы |команда )?(?:решили|решила|договорились|выбрали|остановились на)(?:,? что)?|(?:было )?решено`,
  runs: "(?:我们|团队|大家)(?:已经|刚刚?|都|最后|最终|一起)*(?:决定|商定|选择了?|选定了?|说好|定了)|ことにし(?:た|まし(?:た)?)|に決め(?:た|まし(?:た)?)|に決まりました|に決定し(?:た|まし(?:た)?)",
});

const longestPointer = 100;
const longestBefore = 300;
const pointsBack = cueOf({
  words: `it|this|that|these|them|same|das|dies~|es|gleiche~|eso|esto|lo mismo|ça|cela|c'est|pareil|isso|isto|o mesmo|это~|так же|то же`,
  runs: "同样|一样|这个|同じ|これ|それ",
});
const mostStatements = 5;
const leastSalience = -1.5;
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
