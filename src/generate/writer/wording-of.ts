// What the wording of a sentence tells about a rule, in eight languages.
import { readSentence } from "../../statements/rules/read-sentence.ts";

export interface Wording {
  forbids: boolean;
  /** Meant for this one time. */
  isOneOff: boolean;
}

export function wordingOf(sentence: string): Wording {
  const readings = readSentence(sentence);
  return {
    forbids: readings.some(({ whole }) => forbidding.some((cue) => whole.has(cue))),
    isOneOff: readings.some(
      ({ whole }) => whole.has("once") && !whole.has("decided") && !whole.has("duration"),
    ),
  };
}

const forbidding = ["never", "nobody", "prohibit", "noNoun"] as const;
