// What the wording of a sentence in a user's prompt tells, in eight languages.
import { cueOf } from "./cue-pattern.ts";

/** Classes of wording; a sentence can have several. */
const promptCues = {
  /** Forbids. */
  never: cueOf({
    words: `never|don'?t|do not|no(?! problem| idea| no)|not|nobody|no one|none|without|nothing|stop|avoid|forbidden|must not|cannot|can't|
      nie|niemals|nicht|kein\\w*|niemand|ohne|verboten|
      nunca|jamás|nadie|sin|prohibido|ning[uú]n\\w*|nada de|
      jamais|ne [^.]{1,20} pas|pas de|personne|sans|aucun\\w*|interdit|
      não|nunca|ninguém|sem|proibido|nenhum\\w*|
      никогда|нельзя|не|никто|без|запрещ\\w+`,
    runs: "不要|别|不能|不得|禁止|从不|不许|绝不|しない|ないで|禁止|いけません|だめ|ません|なしで",
  }),
  /** Says that it holds for all cases, or from now on. */
  always: cueOf({
    words: `always|every|each|all|any|anything|everything|everywhere|whatever|whenever|from (?:now|here) on|in general|generally|
      same for|as everywhere|for future|only|ever|at most|max(?:imum)?|
      immer|jede[rsmn]?|alle[sn]?|überall|grundsätzlich|generell|ab (?:jetzt|sofort)|künftig|nur|
      siempre|cada|tod[oa]s?|a partir de ahora|en general|sólo|solo|en adelante|
      toujours|chaque|tou(?:s|tes?)|partout|désormais|dorénavant|en général|seulement|uniquement|
      sempre|cada|tod[oa]s?|daqui (?:em diante|pra frente)|a partir de agora|em geral|só|somente|
      всегда|кажд\\w+|все|везде|впредь|отныне|только|вообще`,
    runs: "总是|每次|所有|一律|必须|以后|今后|都要|只能|只用|统一|常に|必ず|毎回|すべて|全て|今後|これから|だけ|のみ",
  }),
  /** Says how things are done, must be, or belong. */
  norm: cueOf({
    words: `we (?:use|do|don't|ship|keep|have|never|always|put|write|call|name|only|got)|our|us|here|by convention|must|should|has to|have to|needs? to|
      supposed to|belongs?|lives? in|goes in|expects?|please|pls|want|prefer|like|rather|instead|remember|note|mind|because|since|otherwise|
      wir|unser\\w*|bei uns|hier|muss|müssen|soll\\w*|bitte|lieber|statt|gehör\\w+|denk dran|sonst|weil|heißen|
      nosotros|nuestr[oa]s?|aquí|usamos|debe\\w*|hay que|tiene que|por favor|prefiero|mejor|recuerda|porque|si no|
      nous|notre|nos|chez nous|ici|doit|doivent|il faut|merci de|s'il|svp|préfère|plutôt|rappel|sinon|
      nós|noss[oa]s?|aqui|usamos|deve\\w*|tem que|precisa|por favor|prefiro|melhor|lembr\\w+|senão|por causa|
      мы|наш\\w*|у нас|здесь|должн\\w+|надо|нужно|пожалуйста|лучше|вместо|помни|иначе|потому что`,
    runs: "我们|这里|应该|要用|请|最好|记住|因为|否则|用|我们的|私たち|うちの|うちでは|ここでは|べき|してください|ください|ように|方が|でお願い",
  }),
  /** Corrects what the agent did. */
  correction: cueOf({
    words: `no+,? no|no[,.!]|nope|stop|wait|too (?:long|much|many|short)|wrong|not like (?:this|that)|why (?:did|are|is|euros)|redo|revert|undo|again|
      i said|i told you|instead|actually|hmm+|omg|halt|falsch|doch nicht|rückgängig|schon wieder|mach das|
      así no|mal|otra vez|deshaz|te dije|non|pas comme|refais|annule|encore|
      assim não|errado|de novo|desfaz|так нельзя|нет|неправильно|откати|опять|переделай`,
    runs: "不对|错了|重做|撤销|不是这样|又|违う|やり直|戻して|ではなく",
  }),
  /** Limits a wish to this one time. */
  oneOff: cueOf({
    words: `for now|this time|just (?:this )?once|this one|today|for the moment|temporarily|until (?:monday|tuesday|wednesday|thursday|friday|tomorrow|next)|
      in a hurry|quick(?:ly)?|
      erstmal|vorerst|diesmal|ausnahmsweise|heute|fürs erste|im moment|
      por ahora|esta vez|de momento|hoy|por esta|
      pour l'instant|cette fois|aujourd'hui|pour le moment|
      por enquanto|desta vez|hoje|só dessa vez|
      пока|на этот раз|сегодня|временно|сейчас`,
    runs: "暂时|这次|先不|今天|目前|とりあえず|今回|今日は|一旦|ひとまず",
  }),
  /** Agrees to a proposal. */
  agreement: cueOf({
    words: `^(?:yes|yep|ok(?:ay)?|agreed|fine|good|go|sure|sold|settled|makes sense|sounds good|do it|approved|ja|gut|passt|einverstanden|sí|vale|venga|de acuerdo|oui|d'accord|sim|fechado|да|хорошо|согласен)`,
    runs: "^(?:好的|好|可以|同意|はい|お願いします|了解)",
  }),
} as const;

export type PromptCue = keyof typeof promptCues;

/** The classes that the wording of a sentence has. */
export function promptCuesOf(text: string): Set<PromptCue> {
  const names = Object.keys(promptCues) as PromptCue[];
  return new Set(names.filter((name) => promptCues[name].test(text)));
}
