// Events that could not be read: how many, of which host, and why.

/** `not_an_object`: the payload was no JSON object. `missing_field`: a known event without a field that it needs. */
export const unreadReasons = [
  "unknown_host",
  "not_an_object",
  "no_session",
  "missing_field",
  "unknown_event",
] as const;

export type UnreadReason = (typeof unreadReasons)[number];

/** One per host and reason. */
export interface UnreadEvents {
  host: string;
  reason: UnreadReason;
  events: number;
  /** Name of the newest one. */
  last_event: string;
  last_at_epoch: number;
}

/** One of them. */
export type UnreadEvent = Omit<UnreadEvents, "events">;
