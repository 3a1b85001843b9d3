// The turn that a request for a summary ends, and the turns that get no summary.
import { type ClaimedMessage, endsTurn, type PendingMessage } from "../core/records/messages.ts";
import type { Turn } from "../core/records/turn.ts";
import { readCall } from "../core/tools/tool-kind.ts";
import { userAnswersIn, userWordsIn } from "../core/tools/user-answers.ts";
import { answeredIn, saidIn } from "../statements/said-by-user.ts";
import { closingCuesOf } from "../statements/text/sentence-cues.ts";
import type { GenerationBatch } from "./provider.ts";

/** The batch as rules describe it, without tool uses that only their turn reads. */
export function describedOf<B extends ShownPart>(batch: B): B {
  return partOf(batch, ({ message }) => message.turn_only !== true);
}

/** The batch as a model is shown it: of what gets no record, the user's words; no task lists. */
export function shownOf<B extends ShownPart>(batch: B): B {
  return partOf(batch, ({ message }) => {
    if (message.type === "summarize") return endsTurn(message);
    if (userWordsIn(message).length > 0 || userAnswersIn(message).length > 0) return true;
    return message.turn_only !== true && readCall(message).kind !== "tasks";
  });
}

type ShownPart = Pick<GenerationBatch, "messages" | "turn">;

function partOf<B extends ShownPart>(batch: B, isKept: (claimed: ClaimedMessage) => boolean): B {
  const isEmpty = isEmptyTurn(batch);
  const messages = (isEmpty ? batch.messages.slice(0, -1) : batch.messages).filter(isKept);
  return { ...batch, messages, turn: isEmpty ? undefined : batch.turn };
}

// A turn without work in which user and agent said nothing lasting gets no summary.
function isEmptyTurn({ messages, turn }: ShownPart): boolean {
  const end = messages.at(-1)?.message;
  if (turn === undefined || end === undefined || !isSmallTalk(end)) return false;
  return (
    !turn.uses.some(({ isOfTurn, message }) => isOfTurn && message.turn_only !== true) && !saysLasting(turn)
  );
}

// An answer to a question, a rule in any language, or a salient statement that the agent did not answer.
function saysLasting(turn: Turn): boolean {
  if (answeredIn(turn).length > 0) return true;
  const isUnanswered = turn.closing.trim() === "";
  return saidIn(turn).some(({ kind, salience }) => kind === "rule" || (isUnanswered && salience > 0));
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
