// What the end of a turn says of earlier records: tool uses that are routine now, and what is outdated.
import type { ComparedRule } from "../core/records/records.ts";
import type { Turn } from "../core/records/turn.ts";
import { type Finishes, finishedIn } from "../statements/finished.ts";
import { passedRuns, routineUses } from "../statements/routine.ts";
import { replacesRule } from "../statements/rules/contradictions.ts";
import { saysLeftOpen } from "../statements/text/left-open.ts";
import type { GenerationBatch, GenerationReply } from "./provider.ts";

/** A reply with the raw events whose observations are routine from now on. */
export interface SettledReply extends GenerationReply {
  routine: readonly number[];
  /** Command families that passed in the turns that end here. */
  passed: readonly string[];
  /** True for the text of a failure of them that is no longer open. */
  endsFailure?: (failureText: string) => boolean;
  /** By the message that ends a turn: whether the turn finished the open work of such a text. */
  finished?: ReadonlyMap<number, Finishes>;
  /** True when the rule certainly replaces an older one, or repeats it. */
  replaces?: (rule: ComparedRule, older: ComparedRule) => boolean;
}

/** The tool uses of a turn are settled when it gets its summary. */
export function settledUses({ turns }: Pick<GenerationBatch, "turns">, reply: GenerationReply): SettledReply {
  const ended = reply.summaries.flatMap(({ source }) => {
    const turn = turns?.get(source);
    return turn === undefined ? [] : [{ source, turn }];
  });
  const passed = ended.map(({ turn }) => passedRuns(turn));
  return {
    ...reply,
    routine: ended.flatMap(({ turn }) => routineUses(turn)),
    passed: passed.flatMap(({ families }) => families),
    endsFailure: (failureText) => passed.some((runs) => runs.ends(failureText)),
    finished: new Map(ended.flatMap(finishedBy)),
    replaces: replacesRule,
  };
}

function finishedBy({ source, turn }: { source: number; turn: Turn }): [number, Finishes][] {
  const finishes = finishedIn(turn);
  if (finishes === null) return [];
  return [[source, (openText) => saysLeftOpen(openText) && finishes(openText)]];
}
