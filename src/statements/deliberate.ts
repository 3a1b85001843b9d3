// Failures that were meant to happen: red before green, a test that is tried without its fix.
import { bringsBack } from "./code-changes.ts";
import type { Run } from "./command-runs.ts";
import { cueOf } from "./cue-pattern.ts";
import type { Failure } from "./failure.ts";
import { runsTests } from "./fault.ts";

/** What was asked and said around the failures. */
interface Around {
  runs: readonly Run[];
  prompt: string;
  closing: string;
}

/** True for a test that ran on code that was taken back afterwards, or of which somebody says that it has to fail. */
export function isDeliberate({ run, part }: Failure, { runs, prompt, closing }: Around): boolean {
  if (!run.isTest && !runsTests(part)) return false;
  const isUndone = runs.some((later) =>
    later.parts.some(
      (one) => (later.at > run.at || (later.id === run.id && one.start > part.start)) && bringsBack(one),
    ),
  );
  return isUndone || [run.purpose, prompt].some((text) => hasToFail.test(text)) || wasMeant.test(closing);
}

const hasToFail = cueOf({
  words: `(?:make|makes|making|make sure|see|watch|confirm|verify|check|prove|ensure)(?: that)? (?:it|they|them|the (?:\\w+ )?tests?|tests?) (?:to )?(?:fails?|goes red|is red)(?! (?:locally|here|there|for|on|in ci)\\b)|
    (?:should|must|has to|have to|needs? to|supposed to|expected to) (?:still )?(?:fail|go red|be red)(?! (?:with|when|if|on|for) (?:a|an|the|invalid|wrong|missing)\\b)|
    (?:fails?|failing|red) first|fail(?:s|ing)? without|red[ -]green|tdd|
    (?:soll|sollte|muss|müssen) (?:erst |jetzt |dann |auch |in \\w+ ){0,3}(?:fehlschlagen|rot (?:sein|werden))|erst rot|
    (?:debe|tiene que|debería) fallar|(?:doit|devrait) échouer|(?:deve|precisa|tem que) falhar|
    (?:должен|должны|должно) (?:упасть|падать|провалиться)`,
  runs: "应该失败|先失败|确认失败|失敗するはず|失敗すること|先に失敗",
});

const wasMeant = cueOf({
  words: `fail\\w* (?:without|as (?:expected|intended|it should|they should))|without (?:the|that|this) (?:fix|patch|guard|repair)|with (?:the|that|this) \\S+ (?:taken out|removed|reverted|undone)|
    on purpose|deliberately|red[ -]green|(?:red|failed|fails|failing) (?:before|first)|
    ohne (?:den|die|diesen) (?:fix|korrektur)|wie erwartet (?:rot|fehl\\w*)|absichtlich|
    sin (?:el|la|este) (?:arreglo|corrección)|sans (?:le|la|ce) (?:correctif|correction)|
    sem (?:a|o|essa) correção|без (?:этого |этой )?(?:исправлени~|правки|фикса)|намеренно`,
  runs: "没有(?:这个|该)?修复|故意|修正なし|修正前|意図的",
});
