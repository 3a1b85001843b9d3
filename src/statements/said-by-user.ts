// What a user's prompt says that outlasts the turn: rules, preferences, facts, and decisions on the work.
import type { Turn } from "../core/records/turn.ts";
import { ownWordsOf } from "./foreign-text.ts";
import { namesIn } from "./names.ts";
import { promptCuesOf } from "./prompt-cues.ts";
import { type PromptRule, promptRulesIn } from "./prompt-rules.ts";
import { salienceOfPrompt, tellsOfProblem } from "./salience.ts";
import { sentencesOf } from "./sentences.ts";
import type { Statement } from "./statement.ts";

/** At most five statements, in the order of the prompt. Only the user's own words count, not what was pasted. */
export function saidIn(turn: Turn): Statement[] {
  const sentences = sentencesOf(ownWordsOf(turn));
  const about = { isFollowUp: turn.previous !== null, sentences: sentences.length };
  const rules = promptRulesIn(sentences, {
    prompt: turn.prompt,
    isFollowUp: about.isFollowUp,
    previousClosing: turn.previous?.closing ?? null,
  });
  return sentences
    .flatMap((sentence) => {
      const { at } = sentence;
      const salience = salienceOfPrompt(sentence, about);
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
  return {
    text,
    said_by: "user",
    kind: "rule",
    standing: true,
    reach: rule.reach,
    forbids: rule.form === "never",
    salience: Math.max(salience, 0) + standingBonus,
  };
}

function wishOf(text: string, salience: number): Statement | null {
  if (salience < leastSalience || saysNothing(text)) return null;
  const kind = tellsOfProblem(text) ? "finding" : "instruction";
  return { text, said_by: "user", kind, standing: false, reach: "project", salience };
}

// A bare question, a yes, or a wish for this one time tells a later session nothing.
function saysNothing(text: string): boolean {
  const cues = promptCuesOf(text);
  if (cues.has("oneOff")) return true;
  return namesIn(text).length === 0 && (/[?？]\s*$/.test(text) || text.length < shortest);
}

const mostStatements = 5;
const leastSalience = -2.5;
const shortest = 16;
// A rule goes before any conclusion of the agent.
const standingBonus = 2;
