// Classifies a prompt by wording: general talk or work, and whether it takes earlier work up again.
import { cueOf } from "../text/cue-pattern.ts";

/** `general` is small talk and common knowledge; `unknown` may be either. */
export type PromptKind = "general" | "work" | "unknown";

export interface AskedFor {
  kind: PromptKind;
  /** Takes earlier work up again. */
  isResumed: boolean;
}

/** Covers eight languages; when in doubt, `unknown`. */
export function askedFor(prompt: string): AskedFor {
  const isResumed = resume.test(prompt);
  if (general.test(prompt)) return { kind: "general", isResumed };
  return { kind: isResumed || work.test(prompt) ? "work" : "unknown", isResumed };
}

const resume = cueOf({
  words: `where were we|where (?:are we|did (?:we|it|the) [^.?]{0,40}(?:stop|end up))|what(?:'?s| is| are|)? (?:still )?(?:left|to do|open|next|missing|remaining|outstanding)|what do (?:we|i) still (?:have|need) to|still (?:missing|open|to do)|
  anything left|is left|still to do|continue|finish|pick up|carry on|resume|go on with|keep going|next (?:bit|step|part|one)|
  the rest|back on|again please|weiter\\w*|fertig\\w*|zu ende|wo waren wir|noch offen|termina\\w*|sigue|seguimos|continúa|
  retoma\\w*|qué falta|continue[zr]?|reprends?|reprenons|finis|termine|continua\\w*|o que falta|продолж\\w+|законч\\w+|
  доделай|что осталось|не сделано`,
  runs: "继续|接着|剩下|还有什么|続き|再開|続けて|残り",
});

// Trivia, wording, translation, family and leisure: questions beside the work.
const general = cueOf({
  words: `my (?:parents?|mom|mum|mother|dad|father|kids?|sons?|daughters?|sisters?|brothers?|nephews?|nieces?|
  grand(?:ma|pa|mother|father|son|daughter|parents)|aunt|uncle|cousin|girlfriend|boyfriend|dog|cat|neighbou?rs?|friends?|
  landlord|dentist|doctor|flat|apartment|garden|kitchen)|our (?:kids?|sons?|daughters?|dog|cat|parents)|\\d+[- ]years?[- ]olds?|
  (?:totally|completely|something|slightly) different (?:thing|topic|question|subject)|different topic|side question|
  how (?:do|would|does one|can) (?:you|i|we)? ?(?:say|spell|pronounce)|how is .{1,40} pronounced|fall asleep|what does .{1,40} mean in general|heard (?:it|that|about it) on|my (?:throat|back|neck|eyes?|ears?|stomach|knees?|teeth|tooth) (?:is|are|has|have|hurts?)|
  (?:mein|unser)\\w* (?:eltern|mutter|vater|kind(?:er)?|sohn|tochter|schwester|bruder|neffe|nichte|oma|opa|freund\\w*|hund|katze|nachbar\\w*|garten|küche|auto)|
  mis? (?:padres?|madre|hij[oa]s?|herman[oa]s?|sobrin[oa]s?|abuel[oa]s?|novi[oa]|perr[oa]|gat[oa]|vecin[oa]s?|amig[oa]s?|coche)|
  (?:mon|ma|mes|notre|nos) (?:parents|mère|père|enfants?|fils|fille|sœur|soeur|frère|neveu|nièce|grand-\\w+|copine?|chien|chat|voisine?s?|amie?s?|voiture)|
  (?:meu|minha|meus|minhas) (?:pais|mãe|pai|filh[oa]s?|irmão|irmã|sobrinh[oa]s?|avó|avô|namorad[oa]|cachorro|gato|vizinh[oa]s?|amig[oa]s?|carro)|
  (?:мо[йяеиюём]+|наш\\w*|моих|моей|моего|моему) (?:родител\\w+|мам\\w|пап\\w|дет\\w+|сын\\w*|доч\\w+|сестр\\w*|брат\\w*|племянни\\w+|бабушк\\w|дедушк\\w|собак\\w*|кошк\\w|сосед\\w*|друг\\w*)|
  translate|translation|limerick|poem|haiku|joke|recipe|a (?:good )?book|novel|movie|quiz|homework|daughter|wife|husband|
  birthday|anniversary|privately|private question|random(?:ly)?|unrelated|nothing to do with|off.?topic|icebreakers?|offsite|
  trivia|explain like|eli5|in (?:one|two|three|a few|simple|plain) (?:short )?(?:sentences?|words|english)|for fun|
  (?:what'?s|what is|explain) the difference between|unterschied zwischen|diferencia (?:hay )?entre|différence entre|diferença entre|разница между|чем .{1,40} отлича\\w+|how many (?:days|weeks|hours|months)|thank you|thanks(?! to)|
  good (?:night|day|evening)|see you|goodbye|weather|lunch|dinner|breakfast|boil|weekend|vacation|good name for|sounds? better|
  slogan|cover letter|who (?:invented|wrote|won)|what year|history of|stands? for|recommend (?:a|me|some)|
  suggest (?:three|five|some|a few)|congratulat\\w+|glückw[uü]nsch\\w*|felicita\\w+|félicitations?|parabéns|поздрав\\w+|übersetz\\w*|gedicht|witz|rezept|buchtipp|auf (?:englisch|deutsch|französisch)|
  erklär\\w* (?:mir )?(?:kurz|in)|wie (?:sage|sagt) (?:ich|man)|wie hei(?:ß|ss)t (?:nochmal|der befehl)|danke|
  schönen (?:tag|abend|feierabend)|bis morgen|was bedeutet|traduce|traduc\\w+|poema|chiste|receta|gracias|hasta mañana|
  en (?:una|dos|tres|pocas) (?:frases|palabras)|cómo se dice|qué significa|traduis|traduire|poème|blague|recette|merci|
  à demain|en (?:une|deux|trois|quelques) (?:phrases|mots)|comment dit-on|que signifie|traduza|piada|receita|obrigad[oa]|
  até amanhã|em (?:uma|duas|três|poucas) (?:frases|palavras)|como se diz|o que significa|переведи|стих\\w*|шутк\\w+|рецепт\\w*|
  спасибо|до завтра|в двух (?:словах|предложениях)|как сказать|что значит|что означает`,
  runs: "翻译|笑话|写一首|谢谢|明天见|用一句话|两句话|是什么意思|有(?:什么|啥)区别|の違い(?:は|って)|推荐.{0,6}书|我(?:的)?(?:妈|爸|父母|孩子|儿子|女儿|老婆|老公|侄|朋友)|怎么(?:说|读|念)|母(?:が|の|に)|父(?:が|の|に)|娘(?:が|の|に)|息子|友達|翻訳|俳句|冗談|ありがとう|お疲れ|挨拶|とは何|一言で|お祝い|祝贺|生日|誕生日|どういう意味",
});

const changes = `add|implement|write|create|fix|put|build|make|change|update|remove|delete|drop|rename|run|rerun|deploy|roll|commit|
  push|merge|investigate|look|check|take|finish|test|wire|give|turn|move|extend|refactor|set up|expose|cap|cover|start|upgrade|
  bump|split|raise|schreib\\w*|bau\\w*|füg\\w*|leg\\w*|erstell\\w*|änder\\w*|mach\\w*|fang|añade|agrega|crea|escribe|arregla|
  cambia|lanza|ajoute|crée|écris|corrige|change|mets|adicione|crie|escreva|corrija|altere|registre|добавь|создай|напиши|исправь|
  поменяй|почини|сделай`;

// A requested change, or words of running a project.
const work = cueOf({
  words: `^(?:(?:ok|okay|now|next|and|also|so|please|pls|can you|could you|agora|jetzt|ahora|maintenant|теперь)[,:]?\\s+){0,3}(?:${changes})|
  we need|we have to|we'?re (?:adding|going)|we want|i want to|time to|have a look|customers?|users?|staging|production|prod|
  deploy\\w*|endpoints?|api|services?|tables?|columns?|branch|release|migration|pipeline|ci|tests?|jobs?|queue|workers?|database|
  exports?|imports?|invoices?|orders?|wir brauchen|kunden?|tabelle|klasse|spalte|necesitamos|clientes?|servicio|tabla|hace falta|
  nous avons besoin|factures?|colonne|precisamos|tabela|нам нужно|нужно|таблиц\\w*|коммит\\w*|закоммить`,
  runs: "请|添加|实现|修复|导入|追加|実装|修正|作りたい|してください|コミット|お願い",
});
