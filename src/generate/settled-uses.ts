// What the end of a turn says of the observations that were made of its tool uses.
import { passedFamilies } from "../statements/command-runs.ts";
import { routineUses } from "../statements/routine.ts";
import type { GenerationBatch, GenerationReply } from "./provider.ts";

/** A reply with the raw events whose observations are routine from now on. */
export interface SettledReply extends GenerationReply {
  routine: readonly number[];
  /** Command families that passed in the turns that end here: failures of them are no longer open. */
  passed: readonly string[];
}

/** The tool uses of a turn are settled when it gets its summary. */
export function settledUses({ turns }: Pick<GenerationBatch, "turns">, reply: GenerationReply): SettledReply {
  const ended = reply.summaries.flatMap(({ source }) => turns?.get(source) ?? []);
  return { ...reply, routine: ended.flatMap(routineUses), passed: ended.flatMap(passedFamilies) };
}
