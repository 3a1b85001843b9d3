// The turn that a claimed message ends, from the events before it.

import type { PendingMessage } from "../../core/records/messages.ts";
import type { ToolUseOfTurn, Turn } from "../../core/records/turn.ts";
import { closingOfEvent, messageOfEvent, promptOfEvent } from "../../core/tools/event-message.ts";
import type { TurnEvent } from "../../store/postgres/turns.ts";

/** `events`: the event of each tool use, by its number in drafts. */
export interface HostedTurn extends Turn {
  events: ReadonlyMap<number, string>;
}

/** `events` precede the message, oldest first. */
export function turnOf(message: PendingMessage, events: readonly TurnEvent[]): HostedTurn {
  const end = events.findLast((event) => closingOfEvent(event) !== undefined);
  const isOfTurn = ({ seq }: TurnEvent): boolean => end === undefined || seq > end.seq;
  const asked = events.filter(isOfTurn).flatMap((event) => promptOfEvent(event) ?? []);
  const own = message.last_user_message;
  // The message's text is one of the prompts, or replaces the last one.
  const isOneOfThem = own === undefined || asked.includes(own);
  const prompts = (isOneOfThem ? asked : [...asked.slice(0, -1), own]).filter((prompt) => prompt !== "");
  const uses = events.filter(isToolUse).map((event): ToolUseOfTurn & { event: string } => ({
    // A negative number belongs to no job.
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
