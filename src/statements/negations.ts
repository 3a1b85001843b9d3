// Words that negate, in eight languages.
import { cueOf } from "./cue-pattern.ts";

/** The pattern of negations for a text. A bare "no" negates in English and Spanish; in Portuguese it is "in the". */
export function negationFor(text: string): RegExp {
  return isPortuguese(text) ? negationInPortuguese : negation;
}

export function isPortuguese(text: string): boolean {
  return portuguese.test(text);
}

const words = `never|do not|don'?t|does(?: not|n't)|must(?: not|n't)|should(?: not|n't)|may not|can(?:not|'t)|won't|shall not|not|nobody|no one|none of|nothing|avoid|stop|
    hands off|stay out of|keep out of|forbidden to|without|
    nie|niemals|nicht|nichts|kein|keine[nmrs]?|niemand|ohne|finger weg von|verboten|
    nunca|jamás|nada|nadie|sin|ning[uú]n\\w*|prohibido|evita\\w*|
    jamais|ne|n'|rien|sans|pas(?: de)?|personne|aucun\\w*|interdit de|évite\\w*|
    não|nada|sem|ninguém|nenhum\\w*|proibido|evite\\w*|
    никогда|нельзя|не|ничего|без|никто|запрещ\\w+`;
const runs =
  "不要|别|不能|不得|不许|不准|不可|禁止|严禁|从不|绝不|しないで|わないで|ないで|しない|ません|ないルール|ないこと|いけません|だめ|ダメ|やめて|使わない";

const negationInPortuguese = cueOf({ words, runs });
const negation = cueOf({ words: `${words}|no`, runs });
const portuguese = /[ãõç]|(?<![\p{L}.])(?:com|uma|dos|ao|sempre|você)(?!\p{L})/iu;
