// Sentences of the user that rules take for a rule: a model is asked which of them are.
import type { Turn } from "../../core/records/turn.ts";
import { typedOf } from "../../core/tools/typed-text.ts";
import { answeredIn, saidIn } from "../../statements/said-by-user.ts";
import type { Statement } from "../../statements/statement.ts";
import { sentencesOf } from "../../statements/text/sentences.ts";
import { excerpt } from "../../text/excerpt.ts";

/** In the order of their numbers, from 1. */
export function candidatesIn(turn: Turn): Statement[] {
  return [...saidIn(turn), ...answeredIn(turn)].filter(({ kind }) => kind === "rule");
}

/** Each with its number, and the sentence before it. */
export function candidateLines(turn: Turn): string[] {
  const sentences = sentencesOf(typedOf(turn)).map(({ text }) => text);
  return candidatesIn(turn).map(({ text }, at) => {
    const before = sentences[sentences.findIndex((sentence) => text.endsWith(sentence)) - 1];
    const after = before === undefined || text.includes(before) ? "" : ` (after: ${excerpt(before, 120)})`;
    return `${at + 1}. ${excerpt(text, 300)}${after}`;
  });
}
