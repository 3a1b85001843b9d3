// The turn that a request for a summary ends.
import type { ClaimedMessage } from "../domain/messages.ts";
import type { Turn } from "../domain/turn.ts";

/** As the queue read it, else what the message itself says of it. */
export function turnOf({ id, message }: ClaimedMessage, turns: ReadonlyMap<number, Turn> | undefined): Turn {
  const { last_user_message: prompt = "", last_assistant_message: closing = "" } = message;
  return turns?.get(id) ?? { prompt, closing, previous: null, uses: [] };
}
