// What a closing message concludes: its sentences most worth passing on.
import type { Turn } from "../domain/turn.ts";
import { type ClosingCue, closingCuesOf } from "./closing-cues.ts";
import { promptCuesOf } from "./prompt-cues.ts";
import { salienceOfClosing, type TurnTraits, tellsOfProblem } from "./salience.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import type { Statement, StatementKind } from "./statement.ts";

/** At most six statements of the agent, in the order of the message. */
export function concludedIn(turn: Turn): Statement[] {
  const sentences = sentencesOf(turn.closing);
  const asked = turn.prompt.slice(0, readOfPrompt);
  const traits: TurnTraits = {
    ofProblem: tellsOfProblem(asked),
    afterAgreement: promptCuesOf(asked).has("agreement"),
    isFollowUp: turn.previous !== null,
    hasFailure: turn.uses.some(({ isOfTurn, message }) => isOfTurn && message.tool_failed === true),
  };
  const weighed = sentences
    .filter(({ text }) => text.length >= shortest && !smallTalk.test(text))
    .map((sentence) => ({ sentence, salience: salienceOfClosing(sentence, traits) }))
    .filter(({ salience }) => salience > leastSalience)
    .sort((a, b) => b.salience - a.salience)
    .slice(0, mostStatements)
    .sort((a, b) => a.sentence.at - b.sentence.at);
  return weighed.map(({ sentence, salience }) => ({
    kind: kindOf(closingCuesOf(sentence.text), traits),
    text: withLead(sentence, sentences),
    said_by: "agent",
    standing: false,
    reach: "project",
    salience,
  }));
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
  if (kind === "item") return lead !== "" && lead.length <= longestLead ? `${ended(lead)} ${text}` : text;
  const before = all[at - 1];
  const pointsBack = before?.kind === "prose" && anaphor.test(text) && before.text.length <= longestLead;
  return pointsBack ? `${before.text} ${text}` : text;
}

function ended(lead: string): string {
  return /[:：.!?]$/.test(lead) ? lead : `${lead}:`;
}

const mostStatements = 6;
// What a prompt is about stands in its first words.
const readOfPrompt = 4_000;
const shortest = 12;
const leastSalience = -3;
const longestLead = 90;
const anaphor =
  /^(?:it|this|that|they|these|those|both|neither|so|then|there|das|dies\w*|es|sie|deshalb|eso|esto|por eso|ça|cela|c'est|il|elle|isso|это|он|она|они)\b|^(?:这|它|这是|これ|それ)/i;
const smallTalk =
  /^(?:done|ok|okay|fine|sure|understood|noted|got it|you'?re welcome|gut|verstanden|listo|hecho|entendu|fait|pronto|готово)[.!,]?$/i;
