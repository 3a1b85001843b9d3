// Detects sentences that only request work of their turn and mean nothing to a later session.

import { cueOf } from "../text/cue-pattern.ts";
import { readSentence } from "./rules/read-sentence.ts";
import { namesIn } from "./text/names.ts";

/**
 * True for "please fix that too" and "take it out again, leave the test alone", and for what only announces a paste. A
 * name, a number, a reason, a fact, and what holds for all are content.
 */
export function isPlainRequest(text: string): boolean {
  if (text.length > longest || /\d/.test(text) || namesIn(text).length > 0) return false;
  if (/[:：][\s…]*$/.test(text)) return text.length <= longestAnnouncement;
  if (/[:：]\s*\S/.test(text) || content.test(text)) return false;
  if (asks.test(text)) return true;
  const clauses = readSentence(text.replace(opening, ""))[0]?.clauses ?? [];
  return clauses.length > 0 && clauses.every(({ text: clause, has }) => has("task") || command.test(clause));
}

const longest = 110;
const longestAnnouncement = 60;

const opening = /^(?:(?:and|but|so|then|now|also|ok|und|dann|jetzt|y|luego|et|puis|e|и|а)[\s,]+)+/i;
const command = /^\W*(?:take|put|leave|bring|turn|throw|pull) (?:it|that|this|those|them)(?!\w)/i;

const asks = cueOf({
  words: `please|pls|plz|can you|could you|would you|bitte|kannst du|könntest du|por favor|puedes|svp|s'il (?:te|vous) plaît|
    merci de|peux-tu|pouvez-vous|você pode|pode|пожалуйста|можешь`,
  runs: "请|麻烦|ください|お願い",
});

// A reason, a rule, a product requirement, or a fact.
const content = cueOf({
  words: `because|since|so that|otherwise|always|never|every|each|all|any|only|must|should|have to|has to|we|our|instead|rather|
    prefer|like|want|is|are|was|were|isn't|aren't|no longer|from now on|without|not \\w+ but|weil|damit|sonst|immer|nie|jede[rsmn]?|alle[sn]?|nur|muss|müssen|soll\\w*|
    wir|unser\\w*|statt|lieber|ist|sind|war|ohne|porque|para que|si no|siempre|nunca|cada|todos?|todas?|sólo|solo|debe\\w*|hay que|nuestr\\w+|prefiero|es|son|está|están|sin|
    parce que|pour que|sinon|toujours|jamais|chaque|tous|toutes|seulement|doit|doivent|faut|nous|notre|nos|préfère|est|sont|sans|
    para que|senão|sempre|cada|tod[oa]s|só|somente|deve\\w*|nós|noss\\w+|prefiro|é|são|sem|
    потому что|чтобы|иначе|всегда|никогда|кажд\\w+|все|только|должн\\w+|надо|нужно|мы|наш\\w*|лучше|без`,
  runs: "因为|否则|总是|所有|每|必须|只|我们|应该|不要|なぜなら|必ず|常に|すべて|だけ|私たち|べき|ないで",
});
