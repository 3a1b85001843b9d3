// Finds the programs that a rule chooses among known alternatives: "always use pnpm" excludes npm. Eight languages.
import { setOf } from "../../core/tools/name-lists.ts";
import { cueOf } from "../../text/cue-pattern.ts";
import { isFunctionWord } from "../../text/function-words.ts";
import { type Alternative, programAlternative } from "./alternatives.ts";
import { clausesOf } from "./rule-wording.ts";

/**
 * True when the rule chooses another program than these, which are one use. A program that the rule names anywhere without
 * rejecting it is not excluded: "uv for scripts, pip elsewhere".
 */
export function choosesOther(rule: string, programs: Iterable<string>): boolean {
  const used = [...programs].flatMap((name) => programAlternative(name) ?? []);
  if (used.length === 0) return false;
  const asked = clausesOf(rule).filter(({ isRejected }) => !isRejected);
  const named = asked.flatMap(({ text }) => namedIn(text));
  const isOf = (one: Alternative) => (other: Alternative) => one.choice === other.choice;
  return used.some((one) => {
    const options = named.filter(isOf(one));
    const isNamed = used
      .filter(isOf(one))
      .some(({ value }) => options.some((other) => other.value === value));
    return !isNamed && options.some(({ isChosen }) => isChosen);
  });
}

interface Named extends Alternative {
  /** The words around it say to use it. */
  isChosen: boolean;
}

function namedIn(clause: string): Named[] {
  return [...clause.matchAll(name)].flatMap((match) => {
    const found = programAlternative(match[0]);
    if (found === null) return [];
    const before = clause.slice(Math.max(0, match.index - maxBefore), match.index);
    const after = clause.slice(match.index + match[0].length);
    return [{ ...found, isChosen: saysToUse(before, after) }];
  });
}

// "npm scripts" and "the docker image" are names of something else.
function saysToUse(before: string, after: string): boolean {
  if (useAfter.test(after)) return true;
  const [, next = ""] = /^[`"'»”]?\s*([\p{L}\p{N}-]*)/u.exec(after.toLowerCase()) ?? [];
  const isAlone = next === "" || isFunctionWord(next) || adverbs.has(next) || !/^\p{L}/u.test(next);
  return (isAlone && useBefore.test(before)) || ((isAlone || work.test(next)) && meansBefore.test(before));
}

const name = /(?<![\w@./-])[a-z][a-z0-9]*(?![\w/-]|\.\w)/gi;
const maxBefore = 60;

// The verb, at most two words such as "always" or "only", and an opening quote.
const useBefore = ending(
  cueOf({
    words: `use|uses|prefer|stick (?:to|with)|go with|switch to|
      nutz(?:e|t|en)|benutz(?:e|t|en)|verwende[nt]?|nimm|nehmen|nehmt|setz(?:e|t|en)? auf|bleib(?:e|t|en)? bei|
      us[aeo]|usad|usen|uséis|usamos|usemos|utiliza[rn]?|utilice[ns]?|utilizamos|utilizad|
      utilise[rsz]?|utilisons|utilisent|préfère[rsz]?|préférez|passe[rsz]? par|passons par|
      usar|use[mn]?|utilize[mn]?|utilizem|
      использу(?:й|йте|ем|ет|ют|ется)|использовать|пользуйся|пользуемся|применяй(?:те)?|бери(?:те)?`,
    runs: "使用|采用|改用|只用|用",
  }),
  2,
);

// "install with pnpm", "only pnpm".
const meansBefore = ending(
  cueOf({
    words: `with|via|through|only|exclusively|mit|über|per|nur|ausschließlich|con|mediante|solo|sólo|solamente|únicamente|
      avec|uniquement|seulement|exclusivement|com|só|somente|apenas|через|с помощью|только|исключительно`,
    runs: "通过|只能",
  }),
  0,
);

// German and Japanese have the verb behind; "pnpm only".
const useAfter = new RegExp(
  `^[\`"'»”]?\\s*(?:${
    cueOf({
      words: `(?:immer |nur |hier |bitte ){0,2}(?:benutzen|verwenden|nutzen|nehmen|einsetzen)|(?:is|are) (?:the|our) (?:only )?(?:package manager|test runner|bundler|build tool)|only|exclusively|nur|solamente|uniquement|somente|apenas`,
      runs: "(?:だけ|のみ)?(?:を|に)?(?:必ず|常に)?(?:使[いうっえお]|使用|利用|統一)|だけ|のみ|で(?:インストール|実行|ビルド|テスト|お願い|統一)|安装|来",
    }).source
  })`,
  "iu",
);

function ending(cue: RegExp, mostWords: number): RegExp {
  return new RegExp(`(?:${cue.source})(?:\\s+[\\p{L}']+){0,${mostWords}}[\\s:]*[\`"'«„“]?$`, "iu");
}

const work =
  /^(?:install|instal|run|add|build|test|ausführ|bau|lauf|hinzu|ejecut|exécut|lanc|execut|став|установ|запуск|собир)/;
const adverbs = setOf(
  `always only instead everywhere here throughout exclusively please now immer nur überall hier stattdessen bitte
    für in im auf en para por dans pour em для в на
    siempre solo sólo aquí toujours partout ici uniquement sempre só aqui sempre всегда везде только здесь`,
);
