// The turn that a request for a summary ends.
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Turn } from "../core/records/turn.ts";
import type { GenerationBatch } from "./provider.ts";

/** As the queue read it, else what the messages of the batch say of it. */
export function turnOf(
  summarize: ClaimedMessage,
  { messages, turns }: Pick<GenerationBatch, "messages" | "turns">,
): Turn {
  return turns?.get(summarize.id) ?? turnWithin(summarize, messages);
}

function turnWithin(summarize: ClaimedMessage, messages: readonly ClaimedMessage[]): Turn {
  const before = messages.slice(0, Math.max(0, messages.indexOf(summarize)));
  const last = before.findLastIndex(({ message }) => message.type === "summarize");
  const previous = before[last];
  return {
    ...textsOf(summarize),
    previous: previous === undefined ? null : textsOf(previous),
    uses: before.flatMap(({ id, message }, at) =>
      message.type === "observation" ? [{ id, isOfTurn: at > last, message }] : [],
    ),
  };
}

function textsOf({ message }: ClaimedMessage): Pick<Turn, "prompt" | "closing"> {
  return { prompt: message.last_user_message ?? "", closing: message.last_assistant_message ?? "" };
}
