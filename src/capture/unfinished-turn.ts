// The end of a turn that the host never reported: the session was killed, or the user stopped the agent and left.
import type { PendingMessage } from "../core/records/messages.ts";
import { shorten } from "../core/shorten.ts";
import type { CaptureStore } from "./capture-store.ts";
import { maxFieldChars } from "./message-intake.ts";

/**
 * Queues the turn of a session that ends without one, so that what the user said in it is not lost. Returns whether there
 * was such a turn. Runs in the caller's transaction.
 */
export function endUnfinishedTurn(
  { prompts, rawEvents, pending }: CaptureStore,
  session: { id: number },
  now: number,
): boolean {
  const prompt = prompts.unfinished(session.id);
  if (prompt === undefined) return false;
  const { prompt_number, prompt_text } = prompt;
  const message: PendingMessage = {
    type: "summarize",
    prompt_number,
    last_user_message: shorten(prompt_text, maxFieldChars),
  };
  const id = rawEvents.insert({
    session_id: session.id,
    kind: "summarize",
    event_key: `unfinished:${prompt_number}`,
    payload: JSON.stringify(message),
    now,
  });
  if (id === null) return false;
  pending.enqueue(id, session.id, now);
  pending.count("accepted", 1);
  return true;
}
