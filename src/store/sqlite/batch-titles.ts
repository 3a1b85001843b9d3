// The titles that go with a batch of messages: what its generator knows of the session already.
import type { ClaimedMessage } from "../../core/records/messages.ts";
import type { Observations } from "./observations.ts";

/** The session's newest titles, oldest first; where a summary is asked for, those that no summary covers yet. */
export function batchTitles(
  observations: Pick<Observations, "recentTitles" | "titlesSinceSummary">,
  sessionId: number,
  messages: readonly ClaimedMessage[],
): string[] {
  const [first] = messages;
  const asksForSummary = messages.some(({ message }) => message.type === "summarize");
  return first === undefined || !asksForSummary
    ? observations.recentTitles(sessionId, mostTitles)
    : observations.titlesSinceSummary({ sessionId, before: first.id, limit: mostTitles });
}

const mostTitles = 30;
