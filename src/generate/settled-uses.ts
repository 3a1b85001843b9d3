// What the end of a turn says about earlier records: which are routine now, and which are superseded.
import type { Reply, SettledReply } from "../core/records/drafts.ts";
import { wholeText } from "../core/records/quoted-text.ts";
import { replacesFix } from "../statements/commands/known-fix.ts";
import { finishedIn } from "../statements/finished.ts";
import { passedFamilies, routineUses } from "../statements/routine.ts";
import { replacesRule } from "../statements/rules/contradictions.ts";
import { isSameRule } from "../statements/rules/same-rule.ts";
import { saysLeftOpen } from "../statements/text/left-open.ts";
import type { GenerationBatch } from "./provider.ts";

/** A turn settles its tool uses when it gets its summary: rules write one of each turn that had work. */
export function settledUses(
  { turn, knownBefore }: Pick<GenerationBatch, "turn" | "knownBefore">,
  reply: Reply,
): SettledReply {
  const isEnded = turn !== undefined && (reply.isJudged === true || reply.summaries.length > 0);
  const settled = {
    ...reply,
    routine: isEnded ? routineUses(turn) : [],
    passed: isEnded ? passedFamilies(turn) : [],
    replacesFix,
  };
  // What a turn ends or makes sure is the model's to say, where one is asked.
  if (reply.isDraft === true) return settled;
  if (reply.isJudged === true && knownBefore !== undefined) return { ...settled, replaces: replacesRule };
  const finishes = isEnded ? finishedIn(turn) : null;
  return {
    ...settled,
    finishes: finishes === null ? undefined : (openText) => saysLeftOpen(openText) && finishes(openText),
    replaces: replacesRule,
    saysSame: (one, other) => isSameRule(wholeText(one), wholeText(other)),
  };
}
