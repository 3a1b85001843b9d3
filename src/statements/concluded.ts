// Picks the sentences of a closing message that are most worth passing on.
import type { Turn } from "../core/records/turn.ts";
import { cueOf } from "../text/cue-pattern.ts";
import { salienceOfClosing, type TurnTraits, tellsOfProblem } from "./salience.ts";
import { type Statement, type StatementKind, statementOnWork } from "./statement.ts";
import { saysLeftOpen } from "./text/left-open.ts";
import { namesIn } from "./text/names.ts";
import { type ClosingCue, closingCuesOf, promptCuesOf } from "./text/sentence-cues.ts";
import { type Sentence, sentencesOf } from "./text/sentences.ts";

/** At most six statements of the agent and three more on open work, in the order of the message. */
export function concludedIn(turn: Turn): Statement[] {
  const sentences = sentencesOf(turn.closing);
  const asked = turn.prompt.slice(0, readOfPrompt);
  const ofProblem = tellsOfProblem(asked);
  const traits: TurnTraits = {
    afterAgreement: promptCuesOf(asked).has("agreement"),
    uses: turn.uses.filter(({ isOfTurn }) => isOfTurn).length,
  };
  const weighed = sentences
    .filter((one) => isTelling(one, sentences))
    .map((sentence) => {
      const before = sentences[sentence.at - 1]?.text ?? "";
      const isFound = saysFound.test(before) || saysFound.test(sentence.text);
      const read = isFound ? `${before} ${sentence.text}` : sentence.text;
      const salience = salienceOfClosing(read, traits);
      return { sentence, text: withLead(sentence, sentences), salience, isFound };
    })
    .filter(
      ({ salience, text }) => saysLeftOpen(text) || (salience > leastSalience.part && !/[?？]$/.test(text)),
    );
  const all = withoutBeginnings(weighed).sort((a, b) => b.salience - a.salience);
  // Of a turn that says little the best sentence tells what came of it.
  const ranked = all.filter(
    (one, at) => at === 0 || one.salience > leastSalience.record || saysLeftOpen(one.text),
  );
  // What is left is only here, however short.
  const left = ranked.slice(mostStatements).filter(({ text }) => saysLeftOpen(text));
  return [...ranked.slice(0, mostStatements), ...left.slice(0, mostLeft)]
    .sort((a, b) => a.sentence.at - b.sentence.at)
    .map(({ sentence, text, salience, isFound }) =>
      statementOnWork({
        kind: isFound ? "cause" : kindOf(text, closingCuesOf(sentence.text), ofProblem),
        text,
        said_by: "agent",
        salience,
      }),
    );
}

interface Weighed {
  sentence: Sentence;
  text: string;
  salience: number;
  /** "Found it." stands before it. */
  isFound: boolean;
}

// A sentence and the next one that refers to it are one quote.
function withoutBeginnings(weighed: readonly Weighed[]): Weighed[] {
  const isAfter = (before: Weighed, { sentence, text }: Weighed): boolean =>
    before.sentence.at === sentence.at - 1 && text.startsWith(`${before.text} `);
  return weighed.flatMap((one) => {
    if (weighed.some((next) => isAfter(one, next))) return [];
    const before = weighed.find((other) => isAfter(other, one));
    return before === undefined ? [one] : [{ ...one, salience: Math.max(one.salience, before.salience) }];
  });
}

function isTelling(sentence: Sentence, all: readonly Sentence[]): boolean {
  const { text } = sentence;
  if (text.length < shortest || isSmallTalk(text) || lookHint.test(text)) return false;
  return !saysNothingAlone(sentence, { hasLead: withLead(sentence, all) !== text });
}

function kindOf(text: string, cues: ReadonlySet<ClosingCue>, ofProblem: boolean): StatementKind {
  if (saysLeftOpen(text)) return "open";
  if (cues.has("cause") && ofProblem) return "cause";
  if (cues.has("decision")) return "decision";
  return cues.has("change") ? "change" : "finding";
}

/** Prefixes a list item with the line above its list, and a sentence that refers back with the sentence before. */
export function withLead(sentence: Sentence, all: readonly Sentence[]): string {
  const { text, kind, lead, at } = sentence;
  if (kind === "item") {
    const isShown = lead !== "" && lead.length <= longestLead && !isReportLead(lead);
    return isShown ? `${ended(lead)} ${text}` : text;
  }
  const before = all[at - 1];
  if (before?.kind !== "prose" || !pointsBack(text)) return text;
  const longest = needsSentenceBefore(text) ? longestNeeded : longestLead;
  return before.text.length <= longest ? `${before.text} ${text}` : text;
}

function ended(lead: string): string {
  return /[:：.!?]$/.test(lead) ? lead : `${lead}:`;
}

// "Found it. The proxy cuts the header.": what follows is the cause.
const saysFound = cueOf(
  {
    words: `found (?:it|the (?:cause|bug|problem|issue|culprit|reason))|(?:ursache |fehler |problem )?gefunden|(?:lo )?encontré|(?:j'ai )?trouvé|achei|encontrei|нашёл|нашел|нашла|причина найдена`,
    runs: "找到(?:了|原因|问题)|原因が(?:わかり|分かり|判明)",
  },
  "^\\W*",
);
// How to look at the result says nothing about it.
const lookHint = cueOf(
  {
    words: `(?:please |now |just |to (?:see|try|test) (?:it|this|that|the changes?)[,:]? ?){0,3}(?:hard[- ])?(?:reload|refresh|reopen)(?: (?:the|your|this) \\p{L}+| it(?!\\p{L})|[.,:;!]|$)|(?:bitte )?(?:lade|laden sie) [^.]{1,40} neu|(?:por favor )?recarg[aue]\\w*|(?:veuillez )?(?:recharge[rz]?|rafraîchi\\w+)|(?:por favor )?recarregue|обнови(?:те)? страницу|перезагрузи\\w*`,
    runs: "(?:请)?刷新(?:页面|一下)|(?:ページを)?(?:リロード|再読み込み)し",
  },
  "^\\W*",
);

const mostStatements = 6;
const mostLeft = 3;
// The topic of a prompt is in its first words.
const readOfPrompt = 4_000;
const shortest = 12;
// A sentence of less is not even a part of a quote.
const leastSalience = { part: -3, record: -1 };
const longestLead = 90;
const longestNeeded = 200;

/** True for "Done." and "Understood." */
export function isSmallTalk(text: string): boolean {
  return smallTalk.test(text);
}

/** True for a sentence that refers to the one before it: "This also fixes the logout." */
function pointsBack(text: string): boolean {
  return anaphor.test(text);
}

/** True when only the sentence before names the subject. "This repository uses pnpm" needs none. */
function needsSentenceBefore(text: string): boolean {
  return bareAnaphor.test(text) || germanAnaphor.test(text);
}

/** True for a heading or a line before a list that only announces a report: "Summary", "Here is what I changed:". */
export function isReportLead(lead: string): boolean {
  return !/[\p{L}\p{N}]/u.test(lead.replace(reportWords, " "));
}

/** True for a sentence that introduces the next one, is only a name, or refers to a missing sentence. */
export function saysNothingAlone({ text, kind, at }: Sentence, { hasLead }: { hasLead: boolean }): boolean {
  if (/[:：]$/.test(text)) return true;
  if (hasLead) return false;
  if (kind === "item" && (isOnlyNames(text) || isFragment(text))) return true;
  // The first sentence of a closing refers to the request.
  return at > 0 && needsSentenceBefore(text) && isPlain(text);
}

function isOnlyNames(text: string): boolean {
  const names = namesIn(text);
  if (names.length === 0) return false;
  const rest = names.reduce((left, name) => left.replaceAll(name, " "), text);
  return !/\p{L}{2}/u.test(rest);
}

/** True for a sentence without a name, a number, a reason, a decision, a contrast or open work. */
function isPlain(text: string): boolean {
  if (/\d/.test(text) || namesIn(text).length > 0) return false;
  const cues = closingCuesOf(text);
  return !tellingCues.some((cue) => cues.has(cue));
}

const tellingCues = ["cause", "decision", "open", "change", "general", "contrast"] as const;

// "Message to the user", "added a test": only the message gives the context.
function isFragment(text: string): boolean {
  if (/\d/.test(text) || namesIn(text).length > 0) return false;
  const words = text.split(/\s+/).length;
  return unspaced.test(text) ? text.length < shortestUnspaced : words < fewestWords;
}

const fewestWords = 5;
const shortestUnspaced = 8;
const unspaced = /[\u3040-\u30ff\u4e00-\u9fff]/;

const anaphor =
  /^(?:it|this|that|they|these|those|both|neither|so|then|there|das|dies\w*|es|sie|deshalb|eso|esto|por eso|ça|cela|c'est|il|elle|isso|это|он|она|они)\b|^(?:这|它|这是|これ|それ)/i;

const bareAnaphor =
  /^(?:it|they|both|neither)\s|^(?:this|that|these|those)\s+(?:also|is|are|was|were|will|would|should|can|could|has|have|had|does|did|do|means?|now|only|still|way|adds?|keeps?|lets?|gives?|works?|breaks?|avoids?|happens?|explains?|needs?|shows?|leaves?|stops?|\p{L}{3,}(?:es|ed))\s|^(?:esto|eso|ça|cela|isso|isto|это)\s|^(?:这(?:也|会|是|样)|它|これ|それ)/iu;

// "Das Limit" is an article with its noun.
const germanAnaphor = /^(?:[Dd]as|[Dd]ies)\s+\p{Ll}/u;

const reportWords = new RegExp(
  cueOf({
    words: `here|here's|is|are|this|the|a|an|in|of|and|what|i|i've|we|we've|have|has|was|were|did|done|made|it|my|all|so|far|short|
      change~|summary|summarized|result|results|finding~|detail~|note|notes|overview|update~|following|file~|modified|touched|
      edited|work|turn|session|report|recap|list|key|main|point|points|tl|dr|tldr|
      hier|ist|sind|was|ich|wir|habe|haben|die|der|das|gemacht|geändert~|änderung~|zusammenfassung|ergebnis~|übersicht|datei~|kurz|
      aquí|está|están|lo|los|las|el|la|que|he|hice|hecho|de|cambi~|resumen|resultado~|detalles|archivo~|modificad~|
      voici|ce|j'ai|ai|fait|modifi~|chang~|résumé|résultat~|détails|fichier~|les|le|
      aqui|estão|o|os|as|eu|fiz|feito|mud~|alter~|resumo|detalhes|arquivo~|ficheiro~|
      вот|что|я|сделал~|сделан~|изменен~|изменил~|итог~|результат~|файл~|кратко|резюме`,
    runs: "总结|小结|概要|结果|結果|以下是?|如下|我|的|修改|改动|更改|变更|内容|文件|まとめ|変更|点|の|とおり|通り|です|は|ファイル",
  }).source,
  "gi",
);

const smallTalk =
  /^(?:done|ok|okay|fine|sure|understood|noted|got it|you'?re welcome|gut|verstanden|listo|hecho|entendu|fait|pronto|готово)[.!,]?$/i;
