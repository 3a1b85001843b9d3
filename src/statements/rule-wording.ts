// Wording of rules that tells nothing of their subject, in eight languages: fillers, replacement, scope.
import { cueOf } from "./cue-pattern.ts";
import { isPortuguese } from "./negations.ts";
import { topicTermsOf } from "./topic-terms.ts";

/** True for a term that every rule may have: "always", "use", "from now on". */
export function isFiller(term: string): boolean {
  return fillers.has(term);
}

/** The text without the fillers of scripts that do not part their words. */
export function withoutFillers(text: string): string {
  return text.replace(fillerRuns, " ");
}

/** True when the rule says that it changes what was: "from now on", "no longer". */
export function isReplacement(text: string): boolean {
  return replacement.test(text);
}

/** What the rule gives up, as written: "drop the type prefixes, ..." gives "the type prefixes". */
export function withdrawnIn(text: string): string[] {
  return [...text.matchAll(withdrawal)].map(([, what = ""]) => what.replace(replacementGlobal, " "));
}

/** The words that limit where a rule applies: "in the frontend". */
export function scopeOf(text: string): string[] {
  // "No" forbids in English, and means "in the" in Portuguese.
  const isScope = isPortuguese(text) ? () => true : (found: string) => !/^no\s/i.test(found);
  return [...text.replace(replacementGlobal, " ").matchAll(scope)].flatMap(([found, where = ""]) =>
    isScope(found) ? [where] : [],
  );
}

const fillers: ReadonlySet<string> = new Set(
  topicTermsOf(`always never not nor instead rather longer anymore any more only must should shall may can prefer preferred
    avoid stop use used uses using switch switched switching moved change changed keep kept choose chose future rule forget
    without forbidden banned allowed everything anything here project
    nie niemals statt stattdessen anstatt verwende verwenden verwendet benutze benutzen benutzt nutze nutzen nutzt nimm
    nehmen nehme lieber künftig sofort immer grundsätzlich ab jetzt regel verboten vermeide vermeiden projekt
    nunca jamás usa usar usamos usen uses lugar vez adelante partir siempre evita evitar prefiere regla proyecto
    jamais utilise utilisez utiliser utilisons lieu plutôt désormais dorénavant partir toujours évite préfère règle projet
    use usar usamos usem lugar vez diante partir agora sempre evite prefira regra projeto
    никогда нельзя вместо используй используем использовать используйте всегда отныне впредь теперь момента больше правило
    проекте бери берём`),
);

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

// "From now on pnpm" limits nothing to pnpm.
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

// One word behind the preposition, articles left out.
const scope = new RegExp(
  `${cueOf({ words: "in|inside|within|under|for|at|on|bei|für|unter|im|en|para|dentro|dans|pour|sous|sur|em|no|na|nos|nas|в|во|на|для|при" }).source}\\s+(?:(?:the|our|my|all|der|die|das|dem|den|el|la|los|las|le|les|o|a|os|as)\\s+)?([\\p{L}\\p{N}][\\p{L}\\p{N}_./-]*)`,
  "giu",
);
