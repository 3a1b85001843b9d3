// What a closing message concludes: its sentences most worth passing on.
import type { Turn } from "../core/records/turn.ts";
import { type ClosingCue, closingCuesOf } from "./closing-cues.ts";
import { promptCuesOf } from "./prompt-cues.ts";
import { salienceOfClosing, type TurnTraits, tellsOfProblem } from "./salience.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import {
  isPlain,
  isReportLead,
  isSmallTalk,
  needsSentenceBefore,
  pointsBack,
  saysNothingAlone,
} from "./stands-alone.ts";
import type { Statement, StatementKind } from "./statement.ts";

/** At most six statements of the agent, in the order of the message. */
export function concludedIn(turn: Turn): Statement[] {
  const sentences = sentencesOf(turn.closing);
  const asked = turn.prompt.slice(0, readOfPrompt);
  const traits: TurnTraits = {
    ofProblem: tellsOfProblem(asked),
    afterAgreement: promptCuesOf(asked).has("agreement"),
    uses: turn.uses.filter(({ isOfTurn }) => isOfTurn).length,
  };
  const weighed = sentences
    .filter((one) => isTelling(one, sentences))
    .map((sentence) => ({
      sentence,
      text: withLead(sentence, sentences),
      salience: salienceOfClosing(sentence, traits),
    }))
    .filter(({ salience }) => salience > leastSalience);
  return withoutBeginnings(weighed)
    .sort((a, b) => b.salience - a.salience)
    .slice(0, mostStatements)
    .sort((a, b) => a.sentence.at - b.sentence.at)
    .map(({ sentence, text, salience }) => ({
      kind: kindOf(closingCuesOf(sentence.text), traits),
      text,
      said_by: "agent",
      standing: false,
      reach: "project",
      salience,
    }));
}

interface Weighed {
  sentence: Sentence;
  text: string;
  salience: number;
}

// A sentence and the one that points back at it are one quote.
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
  if (text.length < shortest || isSmallTalk(text)) return false;
  if (isBareOffer(text) || isBareCheck(sentence)) return false;
  return !saysNothingAlone(sentence, { hasLead: withLead(sentence, all) !== text });
}

// "It works as expected."
function isBareCheck({ text, at }: Sentence): boolean {
  return at > 0 && pointsBack(text) && isPlain(text) && closingCuesOf(text).has("checked");
}

// "Happy to do it": what is offered stands elsewhere.
function isBareOffer(text: string): boolean {
  return text.length <= longestOffer && isPlain(text) && closingCuesOf(text).has("offer");
}

function kindOf(cues: ReadonlySet<ClosingCue>, { ofProblem }: TurnTraits): StatementKind {
  if (cues.has("cause") && ofProblem) return "cause";
  if (cues.has("decision")) return "decision";
  if (cues.has("open")) return "open";
  if (cues.has("change")) return "change";
  return ofProblem ? "cause" : "finding";
}

/** A list item has the line above its list in front, a sentence that points back the sentence before. */
export function withLead(sentence: Sentence, all: readonly Sentence[]): string {
  const { text, kind, lead, at } = sentence;
  if (kind === "item") {
    const isTold = lead !== "" && lead.length <= longestLead && !isReportLead(lead);
    return isTold ? `${ended(lead)} ${text}` : text;
  }
  const before = all[at - 1];
  if (before?.kind !== "prose" || !pointsBack(text)) return text;
  const longest = needsSentenceBefore(text) ? longestNeeded : longestLead;
  return before.text.length <= longest ? `${before.text} ${text}` : text;
}

function ended(lead: string): string {
  return /[:：.!?]$/.test(lead) ? lead : `${lead}:`;
}

const mostStatements = 6;
// What a prompt is about stands in its first words.
const readOfPrompt = 4_000;
const shortest = 12;
const leastSalience = -4.5;
const longestLead = 90;
const longestOffer = 80;
const longestNeeded = 200;
