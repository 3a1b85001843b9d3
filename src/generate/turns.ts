// Turns that get no summary: nothing was done in them, and nothing was said.
import type { ClaimedMessage, PendingMessage } from "../core/records/messages.ts";
import type { Turn } from "../core/records/turn.ts";
import { answeredIn, saidIn } from "../statements/said-by-user.ts";
import type { GenerationBatch } from "./provider.ts";
import { readStatements } from "./providers/local/summary.ts";
import { turnOf } from "./turn-of.ts";

/**
 * The messages without one that asks for the summary of an empty turn: of no message, and of no title that no summary covers
 * yet, and in which user and agent said nothing that is worth one.
 */
export function withoutEmptyTurns(
  batch: Pick<GenerationBatch, "messages" | "recentTitles" | "turns">,
): ClaimedMessage[] {
  const { messages, recentTitles } = batch;
  const hasWork = recentTitles.length > 0 || messages.some(({ message }) => message.type === "observation");
  if (hasWork) return [...messages];
  return messages.filter((claimed) => !isSmallTalk(claimed.message) || saysLasting(turnOf(claimed, batch)));
}

// An answer to a question, or a rule in any language; where the agent did not answer, what is worth passing on too.
function saysLasting(turn: Turn): boolean {
  if (answeredIn(turn).length > 0) return true;
  const isUnanswered = turn.closing.trim() === "";
  return saidIn(turn).some(({ standing, salience }) => standing || (isUnanswered && salience > 0));
}

/** True for what a provider describes. A tool use that only its turn reads gets no record. */
export function isDescribed({ message }: ClaimedMessage): boolean {
  return message.turn_only !== true;
}

// User and agent only checked in with each other. The user's words are kept as a prompt.
function isSmallTalk({ last_user_message = "", last_assistant_message = "" }: PendingMessage): boolean {
  const answer = last_assistant_message.trim();
  if (answer === "") return true;
  return isCheck(last_user_message.trim()) && saysNothingNew(answer);
}

// A question that asks for an explanation or a fact, a wish or a decision is none.
function isCheck(words: string): boolean {
  if (words.length > longestCheck || wish.test(words)) return false;
  if (words === "" || greeting.test(words)) return true;
  return (/[?？]$/.test(words) || yesOrNo.test(words)) && !fact.test(words);
}

function saysNothingNew(answer: string): boolean {
  return (
    answer.length <= longestAnswer && !/\b\d+\b/.test(answer) && readStatements(answer).learned.length === 0
  );
}

const longestCheck = 120;
const longestAnswer = 200;

const wish =
  /\b(?:remember|always|never|prefer\w*|must|don't|do not|instead|from now on|make sure|note that|decided?)\b/i;
const fact = /\b(?:why|how|what|where|when|which|who|whose|explain|describe|show|list|tell)\b/i;
const yesOrNo = /^(?:is|are|was|were|does|do|did|has|have|can|could|will|would|should|shall|may)\b/i;
const greeting =
  /^(?:(?:hi|hello|hey|thanks?|thank you|thx|ok(?:ay)?|yes|yep|no|nope|sure|great|good|nice|cool|fine|perfect|awesome|excellent|well done|good job|got it|i see|looks? good|lgtm|sounds? good|alright|bye|goodbye|go on|go ahead|continue|proceed|please|so much|a lot|very much|all|morning|night|day|work|that|it|there|everyone|again|how are you|what's up|how is it going)(?:[\s,.!?]+|$))+$/i;
