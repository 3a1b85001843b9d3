// The standing rules of a prompt: sentences, and rules in the parentheses of sentences that are none.
import { isReplacement } from "./rule-wording.ts";
import {
  givesReplacement,
  isOnAnswers,
  isReported,
  namesItsSubject,
  ordersAnswer,
  withdrawsHabit,
  withdrawsLast,
} from "./sentence-roles.ts";
import type { Sentence } from "./sentences.ts";
import { type SentenceContext, type Standing, standingOf } from "./standing.ts";

export interface PromptRule {
  /** The rule, with the sentence before it where it needs that one. */
  text: string;
  rule: Standing;
  /** Positions of the sentences in it. */
  from: number;
  at: number;
}

/** The rules of a prompt in its order. A rule that the next sentence takes back is none. */
export function promptRulesIn(sentences: readonly Sentence[], context: SentenceContext): PromptRule[] {
  const rules: PromptRule[] = [];
  for (const { text, at } of sentences) {
    const next = sentences[at + 1]?.text;
    if (next !== undefined && withdrawsLast(next)) continue;
    const said = ruleIn(text, context) ?? replacementIn(sentences, at, rules);
    const last = rules.at(-1);
    if (said !== null) rules.push(withBefore({ ...said, from: at, at }, sentences, rules));
    else if (last?.at === at - 1 && isOnAnswers(last.text) && ordersAnswer(text))
      rules.splice(-1, 1, { ...last, text: `${last.text} ${text}`, at });
  }
  return rules;
}

type Said = Pick<PromptRule, "text" | "rule">;

/** "Put the test there (tests live next to the code)": the rule is what the parentheses say. */
function ruleIn(text: string, context: SentenceContext): Said | null {
  const whole = standingOf(text, context);
  const [found = "", inner = ""] = parenthesis.exec(text) ?? [];
  const isApart = inner !== "" && namesItsSubject(inner) && !isReported(text);
  const rule = isApart ? standingOf(inner, { ...context, prompt: inner }) : null;
  const isOfInner = rule !== null && standingOf(text.replace(found, " "), context) === null;
  if (isOfInner) return { text: inner, rule };
  return whole === null ? null : { text, rule: whole };
}

// "Forget the changelog lines from now on. A tool writes them. Instead start the subject with the ticket."
function replacementIn(
  sentences: readonly Sentence[],
  at: number,
  rules: readonly PromptRule[],
): Said | null {
  const text = sentences[at]?.text ?? "";
  const replaced = rules.find((rule) => rule.at < at && rule.at >= at - farthestReplaced);
  if (replaced === undefined || !givesReplacement(text) || !withdrawsHabit(replaced.text)) return null;
  return { text, rule: { standing: true, reach: "project", form: "do", pointsBack: false } };
}

// "Same for all figures" says nothing without the sentence before it; a withdrawal belongs to what replaces it.
function withBefore(
  said: PromptRule,
  sentences: readonly Sentence[],
  rules: readonly PromptRule[],
): PromptRule {
  const before = sentences[said.at - 1]?.text;
  if (before === undefined) return said;
  const isFree = rules.every((rule) => rule.at !== said.at - 1);
  const isReplacing = isFree && isReplacement(said.text) && withdrawsHabit(before);
  if (!said.rule.pointsBack && !isReplacing) return said;
  return { ...said, text: `${before} ${said.text}`, from: said.at - 1 };
}

const farthestReplaced = 2;
const parenthesis = /[(（]([^()（）]{16,300})[)）]/;
