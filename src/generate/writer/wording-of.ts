// Reads prohibition and one-off wording of a sentence, in eight languages.
import { readSentence } from "../../statements/rules/read-sentence.ts";

export interface Wording {
  forbids: boolean;
  /** For this time only. */
  isOneOff: boolean;
}

export function wordingOf(sentence: string): Wording {
  const readings = readSentence(sentence);
  return {
    forbids: readings.some(({ whole }) => forbidding.some((cue) => whole.has(cue))),
    isOneOff: readings.some(
      ({ whole }) => whole.has("once") && !whole.has("changed") && !whole.has("duration"),
    ),
  };
}

const forbidding = ["never", "noOne", "prohibit", "noNoun"] as const;
