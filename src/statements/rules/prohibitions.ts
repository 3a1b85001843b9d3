// Finds what a rule forbids: the words that its negations apply to, in eight languages.
import { cueOf } from "../../text/cue-pattern.ts";

export interface Prohibition {
  /** The clause with the negation. */
  clause: string;
  /** The words that it applies to. */
  object: string;
}

/** The prohibitions of a text, in order. A warning, a question why, and "don't forget to" are none. */
function prohibitionsIn(text: string): Prohibition[] {
  const negation = negationFor(text);
  return clausesOf(text).flatMap((clause) => {
    if (asksWhy.test(clause)) return [];
    const said = clause.replace(notForbidding, " ");
    return [askFirst(said), instead(said), negated(said, negation)].flatMap((object) =>
      object === null || object.trim() === "" ? [] : [{ clause: said, object }],
    );
  });
}

// A clause ends at punctuation, before "but", and where a conjunction leads to the next negation. A bare list of
// names after a comma belongs to the clause before it.
function clausesOf(text: string): string[] {
  const clauses: string[] = [];
  for (const part of text.split(clauseEnd)) {
    const clause = part.trim();
    const last = clauses.length - 1;
    if (last >= 0 && bareNames.test(clause)) clauses[last] = `${clauses[last]}, ${clause}`;
    else if (clause !== "") clauses.push(clause);
  }
  return clauses;
}

// "ask me before adding a dependency"
function askFirst(clause: string): string | null {
  if (!asks.test(clause)) return null;
  const before = beforehand.exec(clause);
  if (before === null) return null;
  const after = clause.slice(before.index + before[0].length);
  return after.trim() === "" ? clause.slice(0, before.index) : after;
}

// "pnpm instead of npm": Japanese has the reverse order.
function instead(clause: string): string | null {
  const forward = insteadOf.exec(clause);
  if (forward !== null) return upToCondition(clause.slice(forward.index + forward[0].length));
  const backward = ratherThan.exec(clause);
  return backward === null ? null : clause.slice(0, backward.index);
}

// The words after the negation, or those before it when only verbs and adverbs follow.
function negated(clause: string, negation: RegExp): string | null {
  const passive = isForbidden.exec(clause);
  if (passive !== null) return clause.slice(0, passive.index);
  const match = negation.exec(clause);
  if (match === null) return null;
  const after = upToCondition(clause.slice(match.index + match[0].length));
  const before = clause.slice(0, match.index);
  return saysLittle(after) ? `${before} ${after}` : after;
}

// "never push without running the tests" forbids no tests.
function upToCondition(text: string): string {
  const match = condition.exec(text);
  return match === null || match.index === 0 ? text : text.slice(0, match.index);
}

function saysLittle(text: string): boolean {
  const rest = text.replace(adverbs, " ").match(/[\p{L}\p{N}`./_-]+/gu) ?? [];
  return rest.every(
    (word) => inflection.test(word) || editVerb.test(word) || operationVerb.test(word) || useVerb.test(word),
  );
}

/** Changes to files, in eight languages. */
export const editVerb = cueOf({
  words: `edit\\w*|touch\\w*|chang(?:e|es|ed|ing)|modif\\w+|writ(?:e|es|ing|ten)|rewrit\\w+|overwrit\\w+|delet\\w+|remov\\w+|renam\\w+|mov(?:e|es|ed|ing)|
    hands off|stay out|keep out|
    änder\\w*|geänder\\w*|bearbeit\\w*|anfass\\w*|angefasst|anrühr\\w*|lösch\\w*|gelösch\\w*|finger weg|
    tocar?|toques?|toca\\w*|edit\\w+|cambi\\w+|borr\\w+|touche\\w*|supprim\\w+|
    mex\\w+|alter\\w+|apag\\w+|mud\\w+|
    трога\\w+|меня\\w+|измен\\w+|прав(?:ь|ить|им|ьте)|редактир\\w+|удал\\w+`,
  runs: "修改|更改|改动|编辑|动|删除|変更|編集|触|さわ|いじ|書き換え|削除",
});

/** Operations with effects outside the machine, by sub-command. */
export const operations: ReadonlyMap<string, RegExp> = new Map(
  (
    [
      ["push", "push\\w*|pusch\\w*|gepusht|pouss\\w+|empuj\\w+|пуш\\w*|запуш\\w*", "プッシュ|推送|push"],
      [
        "deploy",
        "deploy\\w*|déploi\\w+|déploy\\w+|desplieg\\w+|despleg\\w+|implant\\w+|депло\\w+|выкат\\w+",
        "デプロイ|部署|deploy",
      ],
      ["apply", "appl(?:y|ies|ied|ying)|angewendet|aplicar?|applique\\w*|примен\\w+", "適用|应用|apply"],
      ["commit", "commit\\w*|committ?e\\w*|комми[тч]\\w*", "コミット|提交|commit"],
      ["merge", "merg\\w+|gemergt|fusion\\w+|мерж\\w*|влива\\w+", "マージ|合并|merge"],
      ["rebase", "rebas\\w+|ребейз\\w*", "リベース|变基|rebase"],
      [
        "publish",
        "publish\\w*|veröffentlich\\w*|publi(?:c|er|ez|qu)\\w*|публик\\w+|опублик\\w+",
        "公開|发布|publish",
      ],
      ["release", "releas\\w+|релиз\\w*", "リリース|release"],
      ["migrate", "migrat\\w+|migrier\\w*|migr[aeo]\\w*|мигр\\w+", "移行|迁移|migrate"],
      ["install", "install\\w*|instal\\w+|установ\\w+|устанавлива\\w+", "インストール|安装|install"],
      ["upgrade", "upgrad\\w+|bump\\w*|обновл\\w+", "アップグレード|升级|upgrade"],
      ["destroy", "destroy\\w*|zerstör\\w*|destru\\w+|détrui\\w+|уничтож\\w+", "破棄|销毁|destroy"],
      ["reset", "reset\\w*|zurücksetz\\w*|сбр[оа]с\\w*", "リセット|重置|reset"],
      ["tag", "tag(?:s|ged|ging)?", "タグ|打标签"],
    ] satisfies [string, string, string][]
  ).map(([verb, words, runs]) => [verb, cueOf({ words, runs })]),
);

const operationVerb = new RegExp([...operations.values()].map(({ source }) => source).join("|"), "i");

const useVerb = cueOf({
  words: `us(?:e|es|ed|ing)|run|runs|allow\\w*|
    benutz\\w*|nutz\\w*|verwend\\w*|genutzt|erlaubt|us[aeo]\\w*|utilis\\w+|utiliz\\w+|использ\\w+|примен\\w+|запуска\\w+|работа\\w+|wird|werden`,
  runs: "使用|使う|使い|使わ|用",
});

const clauseEnd =
  /[.!?](?=\s|$)|[;。！？；\n,、，—–()]|[:：](?=\s)|\s-\s|\s(?=(?:but|aber|sondern|pero|sino|mais|mas|но|а)\s)|\s(?:and|und|y|e|et|и)\s(?=(?:never|don'?t|do not|not|no|nie|nicht|kein\w*|nunca|no|jamais|pas|ne|não|никогда|не)\s)/iu;
const bareNames =
  /^(?:(?:or|and|nor|oder|und|y|o|et|ou|e|и|или)\s+)?(?:`[^`]+`|[\w@*-]*[./*_][\w@./*-]*)(?:\s+(?:or|and|oder|und|y|o|et|ou|e|и|или)\s+(?:`[^`]+`|[\w@*-]*[./*_][\w@./*-]*))*$/iu;
const asksWhy =
  /^\s*(?:why|how come|warum|wieso|pourquoi|por qué|por que|почему|зачем)(?![\p{L}])|^(?:为什么|为何|なぜ|どうして)/iu;

// Negations that forbid nothing.
const notForbidding = cueOf({
  words: `(?:do not|don'?t|never) (?:forget|worry|hesitate|know|think|need|mind|have)|not (?:only|just|sure|yet|enough|necessary)|no (?:need|problem|idea|worries|(?:more|later|longer|fewer|less) than)|(?:has|have) no|
    nicht (?:nur|vergessen|nötig|genug)|vergiss nicht|kein problem|(?:hat|haben) kein\\w*|no (?:tienen?|solo|sólo|olvides|hace falta|basta)|n'oublie[sz]? pas|n'(?:a|ont) pas|pas (?:seulement|besoin)|
    não (?:tem|têm|só|esque\\w+|precisa|basta)|не (?:только|забудь\\w*|надо|нужно|обязательно)`,
  runs: "不要忘记|别忘|不仅|不只|不用|忘れないで|だけでなく",
});

const isForbidden = cueOf({
  words: `(?:is|are|must|should|may|can)(?:n't| not| never) (?:be )?(?:allowed|(?:hand-?)?edited|touched|changed|modified|used|committed|pushed|applied|deployed|merged)|
    (?:is|are) (?:strictly )?(?:forbidden|prohibited|banned|off[- ]limits|taboo|read[- ]only|blocked|rejected)|
    (?:ist|sind) (?:verboten|tabu|gesperrt)|está[n]? prohibid[oa]s?|(?:est|sont) interdite?s?|(?:é|são) proibid[oa]s?|запрещен[оаы]?`,
  runs: "禁止(?=です|だ|で|され|$)",
});

const insteadOf = cueOf({
  words: `instead of|rather than|in place of|anstatt|statt|anstelle von|en (?:vez|lugar) de|au lieu d[e']|plutôt que|em vez de|ao invés de|no lugar de|вместо`,
  runs: "而不是|代替",
});
const ratherThan = /(?:ではなく|じゃなく|の代わりに)/u;

const asks = cueOf({
  words: `ask|check with|talk to me|discuss|approval|frag\\w*|rücksprache|absprech\\w*|pregunt\\w+|consult\\w+|demand\\w+|pergunt\\w+|спрос\\w+|спраш\\w+|соглас\\w+`,
  runs: "问我|先问|询问|确认|聞いて|確認して|相談",
});
const beforehand = cueOf({
  words: `before|prior to|first|bevor|vorher|zuerst|antes de|antes|avant d[e']|avant|перед|сначала|прежде чем`,
  runs: "之前|前に|先に|再",
});

const condition = cueOf({
  words: `without|unless|until|before|except|outside|ohne|außer|bevor|bis|solange|sin|salvo|excepto|hasta|antes|sans|sauf|avant|tant que|sem|exceto|até|без|кроме|пока|если`,
  runs: "除非|以外",
});

// Endings of Japanese verbs and particles.
const inflection = /^\p{Script=Hiragana}+$/u;

const adverbs = new RegExp(
  cueOf({
    words: `directly|direct|straight|here|any ?more|anymore|longer|ever|please|yourself|by hand|manually|again|at all|
      direkt|hier|mehr|bitte|von hand|manuell|einfach|selbst|direct[ao]mente|directement|aquí|ici|aqui|más|plus|a mano|à la main|à mão|manualmente|
      напрямую|здесь|больше|вручную|руками|not|never|nicht|nie|ne|pas|no|não|не|we|i|you|on|the|to|be|is|it|this|that|wir|ich|du|man|es|das|nosotros|nous|vous|tu|мы|никто|se|jamais|nunca|никогда`,
    runs: "直接|再|手动|手で|ください|下さい|は|を|に",
  }).source,
  "gi",
);

/** The negations for a text. A bare "no" negates in English and Spanish; in Portuguese it means "in the". */
function negationFor(text: string): RegExp {
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

export interface ParsedRule {
  prohibitions: readonly Prohibition[];
  /** True for "never npm" and for "pnpm, not npm"; false for a rule that only says what to do. */
  forbids: boolean;
}

export function parseRule(text: string): ParsedRule {
  const prohibitions = prohibitionsIn(text.slice(0, maxChars));
  return { prohibitions, forbids: prohibitions.length > 0 };
}

const maxChars = 2_000;
