// Whether a turn finished work that an earlier turn left open.
import type { Turn } from "../core/records/turn.ts";
import { editedPaths } from "../core/tools/apply-patch.ts";
import { readCall } from "../core/tools/tool-kind.ts";
import { typedOf } from "../core/tools/typed-text.ts";
import { cueOf, removing } from "../text/cue-pattern.ts";
import { concludedIn, withLead } from "./concluded.ts";
import { saysLeftOpen, saysNothingLeft, withoutOpenCues } from "./text/left-open.ts";
import { namesIn } from "./text/names.ts";
import { isQuestion } from "./text/sentence-cues.ts";
import { sentencesOf } from "./text/sentences.ts";
import { sharedCount, tellingTermsOf, topicTermsOf } from "./text/topic-terms.ts";

/** True for the text of open work that the turn reports as finished. Precision goes before recall. */
export type Finishes = (openText: string) => boolean;

/** Null when the turn reports nothing as finished and gives no account of open work. */
export function finishedIn(turn: Turn): Finishes | null {
  const ways = [reportedIn(turn), takenUpIn(turn)].filter((one) => one !== null);
  return ways.length === 0 ? null : (openText) => ways.some((finishes) => finishes(openText));
}

// Null when neither the user nor the agent reports anything as finished.
function reportedIn(turn: Turn): Finishes | null {
  const closing = sentencesOf(turn.closing);
  const said = sentencesOf(typedOf(turn));
  const reports = [
    ...closing.filter(({ text }) => saysFinished(text)).map((one) => withLead(one, closing)),
    ...said.filter(({ text }) => userSaysFinished(text)).map(({ text }) => text),
  ].map((text) => ({ terms: termsOf(text), isShort: subjectOf(text).size <= 2 }));
  if (reports.length === 0) return null;
  const stillOpen = closing.filter(({ text, lead }) => saysLeftOpen(`${lead} ${text}`));
  const left = stillOpen.map((one) => subjectOf(withLead(one, closing)));
  const asked = termsOf(said.map(({ text }) => text).join(" "));
  return (openText) => {
    const subject = subjectOf(openText);
    if (subject.size < leastTerms && namesIn(openText).length === 0) return false;
    if (left.some((one) => sharedCount(subject, one) * 2 >= subject.size)) return false;
    const names = nameTerms(openText);
    return reports.some(({ terms, isShort }) => {
      if (covers(terms, subject, names)) return true;
      // "Done, the tests pass." reports what the prompt asked for.
      const isAboutIt = isShort || sharedCount(subject, terms) * 2 >= subject.size;
      return isAboutIt && covers(new Set([...terms, ...asked]), subject, names);
    });
  };
}

function subjectOf(text: string): Set<string> {
  return termsOf(withoutFinishedCues(withoutOpenCues(text)));
}

function termsOf(text: string): Set<string> {
  return new Set(tellingTermsOf(text));
}

function covers(
  report: ReadonlySet<string>,
  subject: ReadonlySet<string>,
  names: ReadonlySet<string>,
): boolean {
  const common = sharedCount(subject, report);
  return common > 0 && common >= subject.size * leastShare && sharedCount(names, report) === names.size;
}

const leastTerms = 2;
const leastShare = 0.7;

/**
 * Tells of the text of open work whether the turn replaces it: each of its parts was worked on, or is in the turn's own
 * account of what is left, and at least one was worked on. Null for a turn without an account, or without work.
 */
function takenUpIn(turn: Turn): Finishes | null {
  if (!turn.uses.some(({ isOfTurn }) => isOfTurn)) return null;
  const closing = sentencesOf(turn.closing);
  const account = closing.filter(({ text, lead }) => saysLeftOpen(`${lead} ${text}`));
  if (account.length === 0 && !closing.some(({ text }) => saysNothingLeft(text))) return null;
  // What is only in the closing is lost to later sessions: it replaces nothing.
  const kept = concludedIn(turn).flatMap(({ text }) => (saysLeftOpen(text) ? [termsOf(text)] : []));
  const said = sentencesOf(typedOf(turn)).flatMap(({ text }) => text.split(clauseEnd));
  const put = said.filter((text) => putOff.test(text)).map(termsOf);
  const prompt = termsOf(said.filter((text) => !putOff.test(text)).join("\n"));
  const reported = closing.filter((one) => !account.includes(one)).map(({ text }) => text);
  const done = new Set([...prompt, ...termsOf(reported.join("\n")), ...termsOf(editedFiles(turn).join(" "))]);
  const resumes = said.some((text) => resumption.test(text));
  const before = termsOf(turn.previous?.closing ?? "");
  return (openText) => {
    const isOfTurnBefore = allOf(termsOf(openText), before);
    const workedOn = (part: string): boolean =>
      resumes || (isOfTurnBefore && isAskedFor(prompt, part)) ? mentions(done, part) : isCovered(done, part);
    const parts = partsOf(withoutOpenCues(openText)).map((part) => ({
      isWorkedOn: workedOn(part),
      isKept: kept.some((one) => share(termsOf(part), one) >= leastKept),
      isPutOff: put.some((one) => share(termsOf(part), one) >= half || share(nameTerms(part), one) >= half),
    }));
    const isReplaced = parts.every(({ isKept, isPutOff, isWorkedOn }) => isKept || (isWorkedOn && !isPutOff));
    return isReplaced && !parts.every(({ isKept }) => isKept);
  };
}

// "Left: the naked number in `post.ts`, and the test for the time zone."
function partsOf(openText: string): string[] {
  const parts = openText.split(partEnd).filter((part) => termsOf(part).size > 0);
  return parts.length === 0 || parts.some((part) => termsOf(part).size < 2) ? [openText] : parts;
}

/** Most of its names, and of the words around them, are there. */
function isCovered(turn: ReadonlySet<string>, part: string): boolean {
  const names = nameTerms(part);
  const words = wordsBesides(names, part);
  if (names.size === 0) return countOfWords(words) >= 2 && share(words, turn) >= leastWithoutNames;
  return presentNames(turn, part) >= half && (words.size === 0 || share(words, turn) >= half);
}

function isAskedFor(prompt: ReadonlySet<string>, part: string): boolean {
  return presentNames(prompt, part) > 0 || share(nameTerms(part), prompt) >= half;
}

/** One of its names is there, or half of its words: enough where the prompt takes the work up again. */
function mentions(turn: ReadonlySet<string>, part: string): boolean {
  const words = wordsBesides(nameTerms(part), part);
  return presentNames(turn, part) > 0 || (countOfWords(words) >= 2 && share(words, turn) >= half);
}

function wordsBesides(names: ReadonlySet<string>, part: string): Set<string> {
  return new Set([...termsOf(part)].filter((term) => !names.has(term)));
}

function presentNames(turn: ReadonlySet<string>, part: string): number {
  const names = namesIn(part).map((name) => new Set(topicTermsOf(name)));
  const telling = names.filter(({ size }) => size > 0);
  return telling.length === 0 ? 0 : telling.filter((name) => allOf(name, turn)).length / telling.length;
}

function countOfWords(terms: ReadonlySet<string>): number {
  return [...terms].filter((term) => /\p{L}/u.test(term)).length;
}

function nameTerms(text: string): Set<string> {
  return new Set(namesIn(text).flatMap((name) => topicTermsOf(name)));
}

function allOf(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return some.size > 0 && share(some, all) === 1;
}

function share(some: ReadonlySet<string>, all: ReadonlySet<string>): number {
  return some.size === 0 ? 0 : sharedCount(some, all) / some.size;
}

function editedFiles({ uses }: Turn): string[] {
  return uses.flatMap(({ isOfTurn, message }) => {
    const { tool_name = "" } = message;
    if (!isOfTurn || !/edit|write|patch/i.test(tool_name)) return [];
    return editedPaths(readCall(message)).map((path) => path.split("/").slice(-2).join("/"));
  });
}

const half = 0.5;
const leastKept = 0.6;
const leastWithoutNames = 0.7;
const clauseEnd = /[,;，；、]\s*/;
const partEnd = /[;；]\s|,\s(?:and|und|sowie|y|et|e|и)\s|，(?:以及|还有)|、(?:および|そして)/i;

// Resumes the work of an earlier session.
const resumption = cueOf({
  words: `where (?:were|are) we|where did (?:we|you|i) (?:stop|leave|get)|carry on|go on with|continue|resume|pick (?:it |this |that )?up|finish (?:it|this|that|the rest|up|what)|(?:do|finish|take) (?:the )?(?:rest|remaining \\w+|open \\w+)|what (?:is|was|'s) (?:still )?(?:left|open)|back to|keep going|next step|
    weiter (?:mit|geht|im|beim)|mach(?:en wir)? (?:da |dort |bitte )?weiter|weitermachen|wo waren wir|wo sind wir|mach (?:es |das |den rest )fertig|den rest|was (?:ist|war) (?:noch )?offen|
    sigue con|sigamos|continúa|continuamos|retoma\\w*|dónde (?:estábamos|quedamos|nos quedamos)|termina lo|
    continue[zr]?|on (?:reprend|continue)|reprends|reprenons|où en (?:étions|était|sommes)|termine(?:z)? le|
    continua\\w*|retom\\w+|onde (?:paramos|estávamos)|termina o|
    продолж\\w+|где мы остановились|на чём остановились|на чем остановились|доделай|закончи`,
  runs: "继续|接着|上次(?:做|停)到|完成剩下|続き|再開|どこまで|前回の",
});

// "The rest can wait": the work stays open.
const putOff = cueOf({
  words: `later|not now|not yet|can wait|another time|next time|tomorrow|leave [^.]{1,40} (?:for now|alone|open)|später|nicht jetzt|noch nicht|kann warten|morgen|ein andermal|
    más tarde|luego|ahora no|mañana|puede esperar|plus tard|pas maintenant|demain|peut attendre|mais tarde|depois|agora não|amanhã|pode esperar|
    потом|позже|не сейчас|завтра|подожд[её]т`,
  runs: "以后再|稍后|先不|明天|之后再|後で|あとで|明日|今はいい|また今度",
});

/** True when a sentence of an agent reports something as finished, without limits. */
function saysFinished(text: string): boolean {
  return finished.test(text) && !limited.test(text) && !isQuestion(text);
}

/** True when a user says that something is finished or no longer needed. */
function userSaysFinished(text: string): boolean {
  if (isQuestion(text)) return false;
  return notNeeded.test(text) || (userFinished.test(text) && !limited.test(text));
}

/** The text without the words that say that something is finished. */
function withoutFinishedCues(text: string): string {
  return removing(finished, removing(notNeeded, text));
}

const participles = {
  en: `done|finished|completed|complete|implemented|added|written|wrote|built|fixed|merged|pushed|committed|converted|
    migrated|moved|removed|deleted|renamed|replaced|updated|ported|rewritten|resolved|closed|shipped|released|deployed`,
  de: `erledigt|fertig|abgeschlossen|umgesetzt|hinzugefügt|ergänzt|geschrieben|behoben|gemergt|gepusht|umgestellt|migriert|
    verschoben|entfernt|gelöscht|eingebaut`,
  es: `hech[oa]s?|terminad[oa]s?|completad[oa]s?|implementad[oa]s?|añadid[oa]s?|agregad[oa]s?|escrit[oa]s?|corregid[oa]s?|
    arreglad[oa]s?|migrad[oa]s?|movid[oa]s?|eliminad[oa]s?|list[oa]s?`,
  fr: `faite?s?|terminée?s?|achevée?s?|ajoutée?s?|implémentée?s?|écrite?s?|corrigée?s?|migrée?s?|déplacée?s?|supprimée?s?|
    prête?s?`,
  pt: `feit[oa]s?|pront[oa]s?|concluíd[oa]s?|terminad[oa]s?|adicionad[oa]s?|implementad[oa]s?|escrit[oa]s?|corrigid[oa]s?|
    migrad[oa]s?|movid[oa]s?|removid[oa]s?`,
  ru: `сделан\\w*|готов\\w*|закончен\\w*|заверш[её]н\\w*|добавлен\\w*|написан\\w*|исправлен\\w*|перенесен\\w*|удал[её]н\\w*|
    реализован\\w*`,
};

const finished = cueOf({
  words: `${Object.values(participles).join("|")}|works|passes|in place|are in|is in|
    funktioniert|läuft|funcionan?|añadí|agregué|escribí|corregí|fonctionnent?|adicionei|escrevi|corrigi|removi|
    сделал\\w*|закончил\\w*|добавил\\w*|написал\\w*|исправил\\w*|пер[её]н[её]с\\w*|удалил\\w*|реализовал\\w*|работа[ею]т`,
  runs: "完成|做完|搞定|已经|已添加|已实现|添加了|实现了|修复了|写好|完了|終わり|実装しました|追加しました|修正しました|対応しました|書きました|済み",
});

const userFinished = cueOf({
  words: `(?:is|are|was|were|been|it's|that's|already|got) (?:now |already |all |both )*(?:${participles.en})|
    i(?:'ve| have)? (?:just |already |now )*(?:did|${participles.en})|
    (?:ist|sind|wurden?|habe ich|schon) (?:\\w+ )?(?:schon |jetzt |bereits )*(?:${participles.de})|
    (?:ya )?(?:está|están|quedó|fue|ya) (?:ya )?(?:${participles.es})|
    (?:est|sont|c'est|déjà) (?:déjà )?(?:${participles.fr})|
    (?:já )?(?:está|estão|foi|ficou|já) (?:já )?(?:${participles.pt})|
    (?:уже )?(?:${participles.ru})|я (?:уже )?(?:сделал\\w*|закончил\\w*|добавил\\w*|исправил\\w*)`,
  runs: "(?:已经|都)(?:完成|做完|合并|修复|写好)|做完了|完成了|搞定了|もう(?:終わ|完了|済)|完了しました|終わりました|済みです",
});

const notNeeded = cueOf({
  words: `no longer (?:needed|necessary|wanted)|not (?:needed|necessary) any ?more|(?:don't|do not) need \\w[^.]{0,60} any ?more|
    nicht mehr (?:nötig|gebraucht)|brauchen wir nicht mehr|ya no (?:hace falta|se necesita)|n'est plus nécessaire|
    não é mais (?:necessári[oa]|preciso)|больше не (?:нужн\\w+|требуется)`,
  runs: "不再需要|不需要了|もう(?:必要ない|不要)|不要になりました",
});

const limited = cueOf({
  words: `not|\\w+n't|no|never|nothing|none|but|except|still|yet|only|partly|partially|half|almost|nearly|mostly|some of|most of|
    first|would|should|could|will|shall|must|needs?|has to|have to|if|when|once|until|unless|before|without|plan|planned|
    fails?|failed|failing|broken|remains?|remaining|left|next|todo|to-do|to be|untested|
    nicht|kein\\w*|nie|noch|aber|nur|teilweise|halb|fast|wenn|falls|sobald|bis|muss|müssen|soll\\w*|würde|fehl\\w*|offen|ohne|bevor|
    nunca|pero|todavía|aún|solo|sólo|casi|parcial\\w*|cuando|hasta|faltan?|pendientes?|debe\\w*|hay que|sin|
    pas|ne|mais|encore|seulement|presque|quand|jusqu'\\w*|reste\\w*|manque\\w*|doit|faut|sans|avant|
    não|mas|ainda|só|quase|quando|até|pendentes?|deve\\w*|sem|antes|
    не|нет|но|ещё|еще|только|почти|частично|если|когда|пока|остал\\w*|нужно|надо|без`,
  runs: "没|不|未|但|还|只|部分|如果|需要|ない|ません|まだ|が、|だけ|一部|もし|必要|予定|ずに",
});
