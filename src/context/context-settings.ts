// The context settings of the contract, as the context builder takes them.
import type { Mode } from "../core/records/mode.ts";
import { observationConcepts, observationTypes } from "../core/records/records.ts";

export interface ContextSettings {
  /** Observations injected, 1 to 200. */
  observations: number;
  /** Newest sessions they are drawn from, 1 to 50. */
  sessions: number;
  /** Ids of the mode. Empty, or every standard one, means all: records without a concept count then too. */
  types: readonly string[];
  concepts: readonly string[];
  /** Newest observations shown expanded, 0 to 20, and by which field. */
  fullCount: number;
  fullField: "narrative" | "facts";
  /** Tokens that one text may cost. */
  tokenBudget: number;
  /** The user set the count and no budget: a text that is asked for over HTTP shows that many, whatever they cost. */
  countDecides?: boolean;
  readTokens: boolean;
  workTokens: boolean;
  savings: boolean;
  lastSummary: boolean;
  lastMessage: boolean;
}

type ChosenWords = Pick<ContextSettings, "types" | "concepts">;

/**
 * Those of the chosen words that the mode has. Where it has none of them all count: a typo must not empty the context.
 * Every standard word is how `all` reads, whatever the mode has.
 */
export function wordsOfMode(chosen: ChosenWords, mode: Pick<Mode, keyof ChosenWords>): ChosenWords {
  return {
    types: knownWords(chosen.types, mode.types, observationTypes),
    concepts: knownWords(chosen.concepts, mode.concepts, observationConcepts),
  };
}

function knownWords(
  chosen: readonly string[],
  known: Mode["types"],
  standard: readonly string[],
): readonly string[] {
  if (standard.every((word) => chosen.includes(word))) return chosen;
  return chosen.filter((word) => known.some(({ id }) => id === word));
}
