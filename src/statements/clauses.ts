// Splits a rule into clauses, and tells what it rejects from what it asks for. Eight languages.
import { cueOf } from "./cue-pattern.ts";
import { isPortuguese } from "./negations.ts";

export interface RuleClause {
  text: string;
  /** True for what the rule forbids or replaces: "never npm", "instead of npm". */
  isRejected: boolean;
}

/** The clauses of a rule in their order, without the reason that it gives. */
export function clausesOf(rule: string): RuleClause[] {
  const text = rule.slice(0, maxChars).replace(/[’`´]/g, "'").replace(reason, "");
  const rejecting = rejectingWordsOf(text);
  const clauses: RuleClause[] = [];
  for (const sentence of text.split(sentenceEnd)) {
    let goesOn = false;
    for (const piece of sentence.split(clauseEnd)) {
      for (const [index, part] of partsOf(piece, rejecting).entries()) {
        const before = clauses.at(-1);
        const isListed = index === 0 && goesOn && listed.test(part);
        const isCondition = index > 0 && before?.isRejected === true && without.test(part);
        // "Never commit without the tests" asks for the tests, and does not reject commits.
        if (isCondition) before.isRejected = false;
        clauses.push({ text: part, isRejected: !isCondition && (rejects(part, rejecting) || isListed) });
      }
      goesOn = clauses.at(-1)?.isRejected ?? false;
    }
  }
  return clauses.filter(({ text: part }) => /[\p{L}\p{N}]/u.test(part));
}

function rejectingWordsOf(text: string): RegExp {
  return isPortuguese(text) ? rejectingInPortuguese : rejectingWords;
}

function rejects(part: string, rejecting: RegExp): boolean {
  return rejecting.test(part) && !positive.test(part);
}

/** "pnpm, not npm" without its comma: a word that rejects begins a part. */
function partsOf(piece: string, rejecting: RegExp): string[] {
  const swapped = swappedFirst.exec(piece.trim());
  if (swapped !== null) return [swapped[1] ?? "", swapped[2] ?? ""];
  const all = new RegExp(rejecting.source, "gi");
  const cuts = [...piece.matchAll(all)]
    .map(({ index, 0: word }) => (rejectsBefore.test(word) ? index + word.length : index))
    .filter((at) => at > 0 && at < piece.length);
  const starts = [0, ...cuts, piece.length];
  const parts = starts.slice(0, -1).map((start, index) => piece.slice(start, starts[index + 1]).trim());
  return parts.filter((part) => part !== "");
}

const maxChars = 2_000;

const rejecting = `never|don't|dont|do not|does not|doesn't|not(?! only)|no longer|nothing|nor|avoid|stop|forbidden|must not|mustn't|
  shouldn't|can't|cannot|without|instead of|rather than|refrain from|banned|prohibited|
  nie|niemals|nicht(?! nur)|kein~|ohne|statt|anstatt|anstelle|verboten|vermeide~|keinesfalls|
  nunca|jamás|sin|en lugar de|en vez de|prohibid[oa]s?|evita~|ningun[oa]?|
  jamais|pas|sans|au lieu d(?:e|u|es)?|plutôt qu(?:e|')|interdit~|évite~|aucune?|n'~ plus|ne \\p{L}+ plus|
  não|sem|em vez d[eoa]s?|no lugar d[eoa]s?|proibid[oa]s?|evite~|nenhuma?|
  никогда|нельзя|не(?! только)|без|вместо|запрещ~|избега~`;
const runs =
  "不要|不能|不得|禁止|从不|不许|绝不|不再|不用|不使用|避免|而不是|请勿|しない|ないで|いけません|ではなく|の代わりに|使わない|避け";

// A bare "no" rejects in English and Spanish, and is "in the" in Portuguese.
const rejectingInPortuguese = cueOf({ words: rejecting, runs });
const rejectingWords = cueOf({ words: `${rejecting}|no`, runs });

// Japanese rejects what stands in front of these.
const rejectsBefore = /^(?:しない|ないで|いけません|ではなく|の代わりに|使わない|避け)$/;

const without = cueOf({ words: "without|ohne|sin|sans|sem|без" }, "^");

// "Statt npm nehmen wir pnpm": one word is replaced, and the rest says by what.
const swappedFirst =
  /^((?:instead of|rather than|statt|anstatt|anstelle von|en (?:lugar|vez) de|au lieu de|em vez de|вместо)\s+\S+)\s+(.+)$/iu;

// They forbid nothing: "don't forget to run the linter", "no more than ten lines".
const positive =
  /^(?:(?:never|don't|do not) (?:forget|hesitate|worry)|no (?:more|later|longer|fewer|less) than|nicht vergessen|no olvides|n'oublie~? pas|não esqueça|не забыва)/iu;

const sentenceEnd = /[!?。！？;；\n]|\.(?=\s|$)/u;
const clauseEnd =
  /[,，、:：()（）]|\s[-–—]+\s|\s(?=(?:but|sondern|sino|mais|mas|pero|aber|а|но)\s)|(?=而是|而用)/iu;
const reason = new RegExp(
  `${cueOf({ words: "because|weil|porque|parce que|car|pois|потому что|так как", runs: "因为" }).source}[^.!?;。！？；]*`,
  "gi",
);

// An item of a list goes on with what the item before it says: "never touch dist/, vendor/ or build/".
const listed = cueOf({ words: "and|or|nor|und|oder|noch|y|o|ni|et|ou|e|nem|и|или|ни" });
