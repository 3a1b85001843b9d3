// The context settings of the contract.
import type { Mode } from "../core/records/mode.ts";
import { observationConcepts, observationTypes } from "../core/records/records.ts";

export interface ContextSettings {
  /** Observations injected, 1 to 200. */
  observations: number;
  /** Newest sessions that they are taken from, 1 to 50. */
  sessions: number;
  /** Ids of the mode. Empty, or every standard one, means all, including records without a concept. */
  types: readonly string[];
  concepts: readonly string[];
  /** Newest observations shown expanded, 0 to 20, and the field they show. */
  fullCount: number;
  fullField: "narrative" | "facts";
  /** Tokens of one text. */
  tokenBudget: number;
  /** The user set no budget: a text requested over HTTP has all records that the counts ask for. */
  isBudgetDefault?: boolean;
  /** The user set which records the timeline has: a host gets all of these too, else only what adds to the sections. */
  isTimelineSet?: boolean;
  readTokens: boolean;
  workTokens: boolean;
  savings: boolean;
  lastSummary: boolean;
  lastMessage: boolean;
}

type ChosenWords = Pick<ContextSettings, "types" | "concepts">;

/**
 * The chosen types and concepts that the mode has. If it has none of them, all count: a typo must not empty the context.
 * Every standard word means `all`, whatever the mode has.
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
