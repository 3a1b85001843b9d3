// Splits a rule into asked and rejected clauses, and finds replacement, withdrawal and scope. Eight languages.
import { cueOf } from "../../text/cue-pattern.ts";
import { isPortuguese } from "./prohibitions.ts";

/** Removes the fillers of Chinese and Japanese. */
export function withoutFillers(text: string): string {
  return text.replace(fillerRuns, " ");
}

/** True when the rule announces a change: "from now on", "no longer". */
export function isReplacement(text: string): boolean {
  return replacement.test(text);
}

/** What the rule withdraws: "drop the type prefixes, ..." gives "the type prefixes". */
export function withdrawnIn(text: string): string[] {
  return [...text.matchAll(withdrawal)].map(([, what = ""]) => what.replace(replacementGlobal, " "));
}

/** True for a sentence that withdraws a rule as such: "drop the rule about the linter". */
export function withdrawsRule(text: string): boolean {
  return ruleWithdrawal.test(text) && !ofProduct.test(text);
}

/** The subjects that the rule gives up, in plain words: "the rule about make lint", "instead of `make lint`". */
export function givenUpIn(text: string): string[] {
  const named = [ruleWithdrawal, noLongerNeeded, replacedBy].flatMap((cue) => {
    const [, ...found] = cue.exec(text) ?? [];
    return found.flatMap((subject) => subject ?? []);
  });
  return named.map(plainWordsOf).filter((words) => words.includes(" "));
}

/** The words in lower case, separated by single spaces, without marks and leading articles. */
export function plainWordsOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}./:@_-]*(?<![.:])/gu) ?? [];
  return words.join(" ").replace(leadingWords, "");
}

/** The words that limit where a rule applies: "in the frontend". */
export function scopeOf(text: string): string[] {
  // "No" forbids in English, and means "in the" in Portuguese.
  const isScope = isPortuguese(text) ? () => true : (found: string) => !/^no\s/i.test(found);
  return [...text.replace(replacementGlobal, " ").matchAll(scope)].flatMap(([found, where = ""]) =>
    isScope(found) ? [where] : [],
  );
}

const fillerRuns =
  /从现在开始|从现在起|现在起|从现在|以后|今后|今後は?|これから|今日から|代わりに|代わり|必ず|常に|总是|一律|统一|请|都|改用|改为|换成|使用|只用|不再|不要|不能|不得|禁止|而不是|而是|不用|用|しない|ないで|ではなく|ください|使って|使わない|使います|使う|使い|いつも|もう/gu;

const replacement = cueOf({
  words: `from (?:now|here) on|no longer|not any ?more|any ?more|instead|(?<!for |until |by |right )now|
    (?:have |we've |we )?(?:switched|moved|migrated) to|changed (?:my|our) minds?|new rule|as of (?:now|today)|
    ab jetzt|ab sofort|ab heute|künftig|nicht mehr|stattdessen|statt|neue regel|jetzt|
    a partir de ahora|desde ahora|de ahora en adelante|ya no|ahora|en vez de|en lugar de|
    désormais|dorénavant|à partir de maintenant|n[e'][^.]{1,30} plus|maintenant|au lieu d~|
    a partir de agora|de agora em diante|daqui em diante|agora|em vez de|no lugar de|não [^.]{1,30} mais|
    теперь|отныне|впредь|с этого момента|больше не|вместо|перешли`,
  runs: "从现在|现在起|以后|今后|改用|改为|换成|不再|而不是|今後|これから|今日から|もう|代わりに",
});

// "From now on pnpm": pnpm is not a scope.
const replacementGlobal = new RegExp(replacement.source, "gi");

const withdrawal = new RegExp(
  `${
    cueOf({
      words: `(?<!(?:not|n't|dont|never) )(?:forget|drop|scrap|ditch|skip)(?= (?:about )?(?:the|those|these|all|any|our|your|that)(?![a-z]))|get rid of|no more|no longer|stop with|away with|
        vergiss(?! nicht)|streich~?|schluss mit|weg mit|keine?n?(?=[^.,;]{2,60} mehr)|
        olvida|olvídate de|quita|basta de|se acabaron?|ya no|
        (?<!n['’])oublie|supprime|enlève|fini~?|plus d(?:e|es)|
        (?<!não )esque[cç][ea]|chega de|acabou|acabaram|tira|não (?=[^.,;]{2,60} mais)|
        (?<!не )забудь(?: про| о| об)?|убираем|убери|хватит|больше (?:никаких|не)`,
      runs: "别再|不再|不用再|取消|去掉|もう",
    }).source
  }([^,;!?，。；！？、\\n]{2,120}?)(?=[,;!?，。；！？、]|\\.(?:\\s|$)|\\s[-–—]\\s|$)`,
  "giu",
);

// "Remove the rule for port 80" is work: only a rule about something the agent does is withdrawn.
const ruleWithdrawal =
  /(?<!(?:not|n't|dont|never) )(?<![\p{L}-])(?:forget|drop|scrap|ditch|lift|revoke|cancel|ignore|remove|discard)(?: about)? (?:(?:the|that|this|our|my|your|those|these) )(?:old |earlier |previous |other )?(?:rules? (?:about|on|of|that says?|to|regarding|concerning) ([^,;:.!?()]{2,80})|((?:(?!css|cors|firewall|eslint|nginx|iptables|routing|alert|validation)[\p{L}`'-]+ ){1,3})rules?(?=[.,;:!]|$| now| again| from now))|(?<!\p{L})(?:vergiss|streich)e? (?:die|diese) regel (?:über|zu|mit|zum|zur) ([^,;:.!?()]{2,80})|(?<!\p{L})(?:olvida|esquece|oublie) (?:la|a|cette) (?:regla|regra|règle) (?:de|del|da|do|sobre|sur|du) ([^,;:.!?()]{2,80})|(?<!\p{L})забудь (?:про )?правило (?:о|об|про) ([^,;:.!?()]{2,80})/iu;
const ofProduct = /\p{L} (?:in|from) (?:the|our|all)? ?[\p{L}-]+\W*$/u;
const noLongerNeeded =
  /^(?:\W*(?:actually|also|and|so|ok(?:ay)?)[\s,]+)?(?:the |our )?(?:rule (?:about|on) )?([^,;:.!?()]{2,80}?)(?: rule)? (?:is|are) (?:no longer (?:needed|necessary|required|wanted)|not (?:needed|necessary|required) any ?more)(?!\p{L})/iu;
const replacedBy =
  /(?<!\p{L})(?:instead of|rather than|in place of|no longer(?: use| run)?|statt|anstatt) ([^,;:.!?()]{2,80})/iu;
const leadingWords = /^(?:(?:the|a|an|our|your|to|use|using|run|running|der|die|das|den) )+/;

// One word after the preposition, without articles.
const scope = new RegExp(
  `${cueOf({ words: "in|inside|within|under|for|at|on|bei|für|unter|im|en|para|dentro|dans|pour|sous|sur|em|no|na|nos|nas|в|во|на|для|при" }).source}\\s+(?:(?:the|our|my|all|der|die|das|dem|den|el|la|los|las|le|les|o|a|os|as)\\s+)?([\\p{L}\\p{N}][\\p{L}\\p{N}_./-]*)`,
  "giu",
);

export interface RuleClause {
  text: string;
  /** True for what the rule forbids or replaces: "never npm", "instead of npm". */
  isRejected: boolean;
}

/** The clauses of a rule in order, without its reason. */
export function clausesOf(rule: string): RuleClause[] {
  const text = rule
    .slice(0, maxChars)
    .replace(/[’`´]/g, "'")
    .replace(reason, "")
    .replace(preferred, "$1$2$3$4 instead of ");
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

/** "pnpm not npm": a rejecting word begins a part. */
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

// Japanese rejects the words before these.
const rejectsBefore = /^(?:しない|ないで|いけません|ではなく|の代わりに|使わない|避け)$/;

const without = cueOf({ words: "without|ohne|sin|sans|sem|без" }, "^");

// "Statt npm nehmen wir pnpm": one word is rejected, the rest is asked for.
const swappedFirst =
  /^((?:instead of|rather than|statt|anstatt|anstelle von|en (?:lugar|vez) de|au lieu de|em vez de|вместо)\s+\S+)\s+(.+)$/iu;

// "Prefer tabs over spaces", "lieber Tabs als Leerzeichen", "composition over inheritance".
const preferred =
  /((?<!\p{L})(?:prefer|favou?r|rather)\p{L}*(?!\p{L})[^.,;!?]{1,60}?) (?:over|than) |((?<!\p{L})lieber [^.,;!?]{1,60}?) als |((?<!\p{L})(?:prefier|prefir|préf[èé]r)\p{L}+ \S+) (?:a|à|sobre|antes que) |(^\W*[\p{L}\d-]+) over (?=[\p{L}\d-]+\W*$)/giu;

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

// A list continues the rejection: "never touch dist/, vendor/ or build/".
const listed = cueOf({ words: "and|or|nor|und|oder|noch|y|o|ni|et|ou|e|nem|и|или|ни" });
