// What the end of a turn says about earlier records: which are routine now, and which are superseded.
import { wholeText } from "../core/records/quoted-text.ts";
import type { ComparedRule } from "../core/records/records.ts";
import type { Turn } from "../core/records/turn.ts";
import { replacesFix } from "../statements/commands/known-fix.ts";
import { type Finishes, finishedIn } from "../statements/finished.ts";
import { passedFamilies, routineUses } from "../statements/routine.ts";
import { replacesRule } from "../statements/rules/contradictions.ts";
import { isSameRule } from "../statements/rules/same-rule.ts";
import { saysLeftOpen } from "../statements/text/left-open.ts";
import type { GenerationBatch, GenerationReply } from "./provider.ts";

export interface SettledReply extends GenerationReply {
  /** Raw events whose observations are routine from now on. */
  routine: readonly number[];
  /** Command families that passed in these turns. */
  passed: readonly string[];
  /** Whether a fix takes the place of an older one of the same command family, by their texts. */
  replacesFix?: (newerText: string, olderText: string) => boolean;
  /** By the message that ends a turn: whether the turn finished open work, by its text. */
  finished?: ReadonlyMap<number, Finishes>;
  /** Whether a rule replaces or repeats an older one. */
  replaces?: (rule: ComparedRule, older: ComparedRule) => boolean;
  /** Whether two rules say the same. */
  saysSame?: (one: ComparedRule, other: ComparedRule) => boolean;
}

/** A turn settles its tool uses when it gets its summary. */
export function settledUses(
  { turns, knownBefore }: Pick<GenerationBatch, "turns" | "knownBefore">,
  reply: GenerationReply,
): SettledReply {
  // Rules write a summary of each turn that had work.
  const ended =
    reply.isJudged === true
      ? [...(turns ?? [])].map(([source, turn]) => ({ source, turn }))
      : reply.summaries.flatMap(({ source }) => {
          const turn = turns?.get(source);
          return turn === undefined ? [] : [{ source, turn }];
        });
  const settled = {
    ...reply,
    routine: ended.flatMap(({ turn }) => routineUses(turn)),
    passed: ended.flatMap(({ turn }) => passedFamilies(turn)),
    replacesFix,
  };
  // What a turn ends or makes sure is the model's to say, where one is asked.
  if (reply.isDraft === true) return settled;
  if (reply.isJudged === true && knownBefore !== undefined) return { ...settled, replaces: replacesRule };
  const saysSame = (one: ComparedRule, other: ComparedRule) => isSameRule(wholeText(one), wholeText(other));
  return { ...settled, finished: new Map(ended.flatMap(finishedBy)), replaces: replacesRule, saysSame };
}

function finishedBy({ source, turn }: { source: number; turn: Turn }): [number, Finishes][] {
  const finishes = finishedIn(turn);
  if (finishes === null) return [];
  return [[source, (openText) => saysLeftOpen(openText) && finishes(openText)]];
}
