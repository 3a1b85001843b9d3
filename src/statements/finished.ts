// Whether a turn finished work that an earlier turn left open.
import type { Turn } from "../core/records/turn.ts";
import { typedOf } from "../core/tools/typed-text.ts";
import { cueOf, removing } from "../text/cue-pattern.ts";
import { withLead } from "./concluded.ts";
import { saysLeftOpen, withoutOpenCues } from "./text/left-open.ts";
import { namesIn } from "./text/names.ts";
import { isQuestion } from "./text/sentence-cues.ts";
import { sentencesOf } from "./text/sentences.ts";
import { sharedCount, tellingTermsOf, topicTermsOf } from "./text/topic-terms.ts";

/** True for the text of open work that the turn reports as finished. Precision goes before recall. */
export type Finishes = (openText: string) => boolean;

/** Null when neither the user nor the agent reports anything as finished. */
export function finishedIn(turn: Turn): Finishes | null {
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

function nameTerms(text: string): Set<string> {
  return new Set(namesIn(text).flatMap((name) => topicTermsOf(name)));
}

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

const participles = `done|finished|complete(?:d)?|implemented|added|written|wrote|built|fixed|merged|pushed|committed|converted|migrated|
  moved|removed|deleted|renamed|replaced|updated|ported|rewritten|resolved|closed|shipped|released|deployed|
  erledigt|fertig|abgeschlossen|umgesetzt|hinzugefügt|ergänzt|geschrieben|behoben|gemergt|gepusht|umgestellt|migriert|
  verschoben|entfernt|gelöscht|eingebaut|
  hech[oa]s?|terminad[oa]s?|completad[oa]s?|implementad[oa]s?|añadid[oa]s?|agregad[oa]s?|escrit[oa]s?|corregid[oa]s?|
  arreglad[oa]s?|migrad[oa]s?|movid[oa]s?|eliminad[oa]s?|list[oa]s?|
  faite?s?|terminée?s?|achevée?s?|ajoutée?s?|implémentée?s?|écrite?s?|corrigée?s?|migrée?s?|déplacée?s?|supprimée?s?|prête?s?|
  feit[oa]s?|pront[oa]s?|concluíd[oa]s?|adicionad[oa]s?|corrigid[oa]s?|removid[oa]s?|
  сделан\\w*|готов\\w*|закончен\\w*|заверш[её]н\\w*|добавлен\\w*|написан\\w*|исправлен\\w*|перенесен\\w*|удал[её]н\\w*|
  реализован\\w*`;

const finished = cueOf({
  words: `${participles}|works|passes|in place|are in|is in|
    funktioniert|läuft|funcionan?|añadí|agregué|escribí|corregí|fonctionnent?|adicionei|escrevi|corrigi|removi|
    сделал\\w*|закончил\\w*|добавил\\w*|написал\\w*|исправил\\w*|пер[её]н[её]с\\w*|удалил\\w*|реализовал\\w*|работа[ею]т`,
  runs: "完成|做完|搞定|已经|已添加|已实现|添加了|实现了|修复了|写好|完了|終わり|実装しました|追加しました|修正しました|対応しました|書きました|済み",
});

// "Is done", "I already finished", "ya está hecho".
const userFinished = cueOf({
  words: `(?:is|are|was|were|been|it's|that's|already|got|i|i've|we|we've|ist|sind|wurden?|habe|schon|ya|está|están|fue|est|sont|c'est|déjà|já|estão|foi|уже|я)(?: \\w+){0,2} (?:${participles})`,
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
