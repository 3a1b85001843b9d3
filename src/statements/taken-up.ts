// Whether a turn took up work that an earlier turn left open, and gives a newer account of what is left of it.
import type { Turn } from "../core/records/turn.ts";
import { concludedIn } from "./concluded.ts";
import { cueOf } from "./cue-pattern.ts";
import { ownWordsOf } from "./foreign-text.ts";
import { saysLeftOpen, saysNothingLeft, withoutOpenCues } from "./left-open.ts";
import { namesIn } from "./names.ts";
import { isFiller } from "./rule-wording.ts";
import { sentencesOf } from "./sentences.ts";
import { topicTermsOf } from "./topic-terms.ts";

/**
 * Tells of the text of open work whether the turn replaces it: each of its parts was worked on, or is in the turn's own
 * account of what is left, and at least one was worked on. Null for a turn without an account, or without work.
 */
export function takenUpIn(turn: Turn): ((openText: string) => boolean) | null {
  if (!turn.uses.some(({ isOfTurn }) => isOfTurn)) return null;
  const closing = sentencesOf(turn.closing);
  const account = closing.filter(({ text, lead }) => saysLeftOpen(`${lead} ${text}`));
  if (account.length === 0 && !closing.some(({ text }) => saysNothingLeft(text))) return null;
  // What is only in the closing is lost to later sessions: it replaces nothing.
  const kept = concludedIn(turn).flatMap(({ text }) => (saysLeftOpen(text) ? [termsOf(text)] : []));
  const said = sentencesOf(ownWordsOf(turn)).flatMap(({ text }) => text.split(clauseEnd));
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

function termsOf(text: string): Set<string> {
  return new Set(topicTermsOf(text).filter((term) => !isFiller(term)));
}

function allOf(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return some.size > 0 && share(some, all) === 1;
}

function share(some: ReadonlySet<string>, all: ReadonlySet<string>): number {
  return some.size === 0 ? 0 : [...some].filter((term) => all.has(term)).length / some.size;
}

function editedFiles({ uses }: Turn): string[] {
  return uses.flatMap(({ isOfTurn, message }) => {
    const { tool_name = "", tool_input: input } = message;
    if (!isOfTurn || !/edit|write|patch/i.test(tool_name)) return [];
    if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
    return typeof input.file_path === "string" ? [input.file_path.split("/").slice(-2).join("/")] : [];
  });
}

const half = 0.5;
const leastKept = 0.6;
const leastWithoutNames = 0.7;
const clauseEnd = /[,;，；、]\s*/;
const partEnd = /[;；]\s|,\s(?:and|und|sowie|y|et|e|и)\s|，(?:以及|还有)|、(?:および|そして)/i;

// Takes up what an earlier session left.
const resumption = cueOf({
  words: `where (?:were|are) we|where did (?:we|you|i) (?:stop|leave|get)|carry on|go on with|continue|resume|pick (?:it |this |that )?up|finish (?:it|this|that|the rest|up|what)|(?:do|finish|take) (?:the )?(?:rest|remaining \\w+|open \\w+)|what (?:is|was|'s) (?:still )?(?:left|open)|back to|keep going|next step|
    weiter (?:mit|geht|im|beim)|mach(?:en wir)? (?:da |dort |bitte )?weiter|weitermachen|wo waren wir|wo sind wir|mach (?:es |das |den rest )fertig|den rest|was (?:ist|war) (?:noch )?offen|
    sigue con|sigamos|continúa|continuamos|retoma\\w*|dónde (?:estábamos|quedamos|nos quedamos)|termina lo|
    continue[zr]?|on (?:reprend|continue)|reprends|reprenons|où en (?:étions|était|sommes)|termine(?:z)? le|
    continua\\w*|retom\\w+|onde (?:paramos|estávamos)|termina o|
    продолж\\w+|где мы остановились|на чём остановились|на чем остановились|доделай|закончи`,
  runs: "继续|接着|上次(?:做|停)到|完成剩下|続き|再開|どこまで|前回の",
});

// "The rest can wait": said of work that stays open.
const putOff = cueOf({
  words: `later|not now|not yet|can wait|another time|next time|tomorrow|leave [^.]{1,40} (?:for now|alone|open)|später|nicht jetzt|noch nicht|kann warten|morgen|ein andermal|
    más tarde|luego|ahora no|mañana|puede esperar|plus tard|pas maintenant|demain|peut attendre|mais tarde|depois|agora não|amanhã|pode esperar|
    потом|позже|не сейчас|завтра|подожд[её]т`,
  runs: "以后再|稍后|先不|明天|之后再|後で|あとで|明日|今はいい|また今度",
});
