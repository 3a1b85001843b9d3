// The turn that a claimed message ends, read from the events that came before it.

import type { PendingMessage } from "../core/records/messages.ts";
import type { ToolUseOfTurn, Turn } from "../core/records/turn.ts";
import { closingOfEvent, messageOfEvent, promptOfEvent } from "../core/tools/event-message.ts";
import type { TurnEvent } from "../store/postgres/turns.ts";

/** A turn, and the event behind each of its tool uses, by the number that a draft names it by. */
export interface HostedTurn extends Turn {
  events: ReadonlyMap<number, string>;
}

/** `events` came before the message, oldest first. */
export function turnOf(message: PendingMessage, events: readonly TurnEvent[]): HostedTurn {
  const end = events.findLast((event) => closingOfEvent(event) !== undefined);
  const isOfTurn = ({ seq }: TurnEvent): boolean => end === undefined || seq > end.seq;
  const asked = events.filter(isOfTurn).flatMap((event) => promptOfEvent(event) ?? []);
  const own = message.last_user_message;
  // The text in the message is one of the prompts, or stands for the last one.
  const isOneOfThem = own === undefined || asked.includes(own);
  const prompts = (isOneOfThem ? asked : [...asked.slice(0, -1), own]).filter((prompt) => prompt !== "");
  const uses = events.filter(isToolUse).map((event): ToolUseOfTurn & { event: string } => ({
    // One without a job is named by a number that no job has.
    id: event.job_seq ?? -event.seq,
    isOfTurn: isOfTurn(event),
    message: messageOfEvent(event),
    event: event.id,
  }));
  return {
    prompt: prompts.join("\n\n"),
    prompts,
    closing: message.last_assistant_message ?? "",
    previous: end === undefined ? null : previousOf(end, events),
    uses: uses.map(({ event: _event, ...use }) => use),
    events: new Map(uses.map(({ id, event }) => [id, event])),
  };
}

function previousOf(end: TurnEvent, events: readonly TurnEvent[]): Turn["previous"] {
  const { last_user_message, last_assistant_message = "" } = messageOfEvent(end);
  const asked = events.filter(({ seq }) => seq < end.seq).flatMap((event) => promptOfEvent(event) ?? []);
  return { prompt: last_user_message ?? asked.at(-1) ?? "", closing: last_assistant_message };
}

function isToolUse(event: TurnEvent): boolean {
  return closingOfEvent(event) === undefined && promptOfEvent(event) === undefined;
}
