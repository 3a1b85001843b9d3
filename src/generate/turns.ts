// The turn that a request for a summary ends, and the turns that get no summary.
import { type ClaimedMessage, endsTurn, type PendingMessage } from "../core/records/messages.ts";
import type { Turn } from "../core/records/turn.ts";
import { readCall } from "../core/tools/tool-kind.ts";
import { userAnswersIn, userWordsIn } from "../core/tools/user-answers.ts";
import { answeredIn, saidIn } from "../statements/said-by-user.ts";
import { closingCuesOf } from "../statements/text/sentence-cues.ts";
import type { GenerationBatch } from "./provider.ts";

/** What rules describe of a turn, without a tool use that only its turn reads. */
export function describedOf(batch: Pick<GenerationBatch, "messages" | "turn">): ClaimedMessage[] {
  return withoutEmptyTurn(batch).filter(isDescribed);
}

/** What a model is shown of a turn: of what gets no record, the user's words; no task lists. */
export function shownOf(batch: Pick<GenerationBatch, "messages" | "turn">): ClaimedMessage[] {
  return withoutEmptyTurn(batch).filter(isShown);
}

// Leaves out the request for the summary of a turn without work in which user and agent said nothing lasting.
function withoutEmptyTurn({
  messages,
  turn,
}: Pick<GenerationBatch, "messages" | "turn">): readonly ClaimedMessage[] {
  const end = messages.at(-1)?.message;
  if (turn === undefined || end === undefined || !isSmallTalk(end)) return messages;
  const hasWork = turn.uses.some(({ isOfTurn, message }) => isOfTurn && message.turn_only !== true);
  return hasWork || saysLasting(turn) ? messages : messages.slice(0, -1);
}

// An answer to a question, a rule in any language, or a salient statement that the agent did not answer.
function saysLasting(turn: Turn): boolean {
  if (answeredIn(turn).length > 0) return true;
  const isUnanswered = turn.closing.trim() === "";
  return saidIn(turn).some(({ kind, salience }) => kind === "rule" || (isUnanswered && salience > 0));
}

function isDescribed({ message }: ClaimedMessage): boolean {
  return message.turn_only !== true;
}

function isShown(claimed: ClaimedMessage): boolean {
  if (claimed.message.type === "summarize") return endsTurn(claimed.message);
  if (userWordsIn(claimed.message).length > 0 || userAnswersIn(claimed.message).length > 0) return true;
  return isDescribed(claimed) && readCall(claimed.message).kind !== "tasks";
}

/** What was said and done in a turn, for comparisons with what is known. */
export function textOfTurn({ prompt, closing, uses }: Turn): string {
  const ofTurn = uses.filter(({ isOfTurn }) => isOfTurn);
  return [prompt, closing, ...ofTurn.map(({ message }) => inputOf(message))].join("\n");
}

export function inputOf({ tool_input = "" }: PendingMessage): string {
  return JSON.stringify(tool_input).slice(0, longestInput);
}

const longestInput = 300;

// The user's words are kept as a prompt in any case.
function isSmallTalk({ last_user_message = "", last_assistant_message = "" }: PendingMessage): boolean {
  const answer = last_assistant_message.trim();
  if (answer === "") return true;
  return isCheck(last_user_message.trim()) && saysNothingNew(answer);
}

// A greeting, thanks, or a yes-or-no question: not one for an explanation or a fact.
function isCheck(words: string): boolean {
  if (words.length > longestCheck || wish.test(words)) return false;
  if (words === "" || greeting.test(words)) return true;
  return (/[?？]$/.test(words) || yesOrNo.test(words)) && !fact.test(words);
}

function saysNothingNew(answer: string): boolean {
  return answer.length <= longestAnswer && !/\b\d+\b/.test(answer) && !closingCuesOf(answer).has("cause");
}

const longestCheck = 120;
const longestAnswer = 200;

const wish =
  /\b(?:remember|always|never|prefer\w*|must|don't|do not|instead|from now on|make sure|note that|decided?)\b/i;
const fact = /\b(?:why|how|what|where|when|which|who|whose|explain|describe|show|list|tell)\b/i;
const yesOrNo = /^(?:is|are|was|were|does|do|did|has|have|can|could|will|would|should|shall|may)\b/i;
const greeting =
  /^(?:(?:hi|hello|hey|thanks?|thank you|thx|ok(?:ay)?|yes|yep|no|nope|sure|great|good|nice|cool|fine|perfect|awesome|excellent|well done|good job|got it|i see|looks? good|lgtm|sounds? good|alright|bye|goodbye|go on|go ahead|continue|proceed|please|so much|a lot|very much|all|morning|night|day|work|that|it|there|everyone|again|how are you|what's up|how is it going)(?:[\s,.!?]+|$))+$/i;
