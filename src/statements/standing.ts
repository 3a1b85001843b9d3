// Whether a sentence of a user's prompt states a rule. A first version, by cue words alone.
import type { Reach } from "../domain/statement.ts";
import { promptCuesOf } from "./prompt-cues.ts";

interface Around {
  prompt: string;
  isFollowUp: boolean;
  previousClosing: string | null;
}

/** Null for a sentence that states none. */
export function standingOf(
  sentence: string,
  _around: Around,
): { standing: true; reach: Reach; form: "do" | "never" } | null {
  const cues = promptCuesOf(sentence);
  if (cues.has("oneOff") || /[?？]\s*$/.test(sentence) || sentence.length < 25) return null;
  if (!cues.has("always") || !(cues.has("never") || cues.has("norm"))) return null;
  return { standing: true, reach: "project", form: cues.has("never") ? "never" : "do" };
}
