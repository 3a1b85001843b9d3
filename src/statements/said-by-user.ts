// What a user's prompt says that outlasts the turn: rules, preferences, facts, and decisions on the work.
import type { Turn } from "../domain/turn.ts";
import { ownWordsOf } from "./foreign-text.ts";
import { namesIn } from "./names.ts";
import { promptCuesOf } from "./prompt-cues.ts";
import { salienceOfPrompt, tellsOfProblem } from "./salience.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import { standingOf } from "./standing.ts";
import type { Statement } from "./statement.ts";

/** At most five statements, in the order of the prompt. Only the user's own words count, not what was pasted. */
export function saidIn(turn: Turn): Statement[] {
  const sentences = sentencesOf(ownWordsOf(turn));
  const about = { isFollowUp: turn.previous !== null, sentences: sentences.length };
  return sentences
    .flatMap(
      (sentence) => statementOf(sentence, turn, { ...about, before: sentences[sentence.at - 1] }) ?? [],
    )
    .sort((a, b) => b.statement.salience - a.statement.salience)
    .slice(0, mostStatements)
    .sort((a, b) => a.at - b.at)
    .map(({ statement }) => statement);
}

function statementOf(
  sentence: Sentence,
  turn: Turn,
  about: { isFollowUp: boolean; sentences: number; before: Sentence | undefined },
): { at: number; statement: Statement } | null {
  const { text, at } = sentence;
  const rule = standingOf(text, {
    prompt: turn.prompt,
    isFollowUp: about.isFollowUp,
    previousClosing: turn.previous?.closing ?? null,
  });
  const salience = salienceOfPrompt(sentence, about);
  const common = { text, said_by: "user" } as const;
  if (rule !== null) {
    const { reach, form, pointsBack } = rule;
    // "Same for all figures" says nothing without the sentence before it.
    const whole = pointsBack && about.before !== undefined ? `${about.before.text} ${text}` : text;
    const statement = {
      ...common,
      text: whole,
      kind: "rule",
      standing: true,
      reach,
      forbids: form === "never",
    } as const;
    return { at, statement: { ...statement, salience: Math.max(salience, 0) + standingBonus } };
  }
  if (salience < leastSalience || saysNothing(text)) return null;
  const kind = tellsOfProblem(text) ? "finding" : "instruction";
  return { at, statement: { ...common, kind, standing: false, reach: "project", salience } };
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
