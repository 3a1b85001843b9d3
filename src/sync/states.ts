// State machine of sync: for every state and event the next state and what to do.

/**
 * | state     | meaning                                                                    |
 * | --------- | -------------------------------------------------------------------------- |
 * | off       | not started, or closed                                                     |
 * | idle      | nothing to do until a write, a hint or the next poll                       |
 * | waiting   | a record was written: its push waits for more writes                       |
 * | pushing   | sends operations, batch by batch                                           |
 * | pulling   | reads the log, page by page; a push follows                                |
 * | backoff   | a request failed: the next attempt waits                                   |
 * | paused    | the user paused it                                                         |
 * | suspended | no activity for an hour: no polls, no live channel                         |
 * | stopped   | a person must change something: token, account, devices, key               |
 */
export const syncStates = [
  "off",
  "idle",
  "waiting",
  "pushing",
  "pulling",
  "backoff",
  "paused",
  "suspended",
  "stopped",
] as const;
export type SyncStateName = (typeof syncStates)[number];

/**
 * | event                | cause                                                                 |
 * | -------------------- | --------------------------------------------------------------------- |
 * | start, start_paused  | the worker started                                                    |
 * | written              | a record of this device changed                                       |
 * | active               | a session does something                                              |
 * | hint                 | the live channel says that the log advanced                           |
 * | wanted               | a session starts, or the user asks                                    |
 * | debounced, poll_due, retry_due | a timer of the state                                        |
 * | inactive             | the last activity was an hour ago                                     |
 * | pushed, pulled       | everything was pushed, or was interrupted; everything was pulled      |
 * | failed, refused      | the run failed: a retry may help, or only a person                    |
 * | pause, resume, close | the user, the worker's end                                            |
 */
export const syncEvents = [
  "start",
  "start_paused",
  "written",
  "active",
  "hint",
  "wanted",
  "debounced",
  "poll_due",
  "retry_due",
  "inactive",
  "pushed",
  "pulled",
  "failed",
  "refused",
  "pause",
  "resume",
  "close",
] as const;
export type SyncEvent = (typeof syncEvents)[number];

/**
 * What a transition does. A state owns its timers: they end when it is left.
 * - `want_pull`, `want_push`: noted for the end of the run.
 * - `debounce`, `poll`, `back_off`, `recheck`: set the timer of the state.
 */
export type SyncAction =
  | "push"
  | "pull"
  | "abort"
  | "debounce"
  | "poll"
  | "back_off"
  | "recheck"
  | "want_push"
  | "want_pull"
  | "open_live"
  | "close_live";

export interface Transition {
  next: SyncStateName;
  actions: readonly SyncAction[];
}

type Row = Record<SyncEvent, Transition>;

export const syncTable = {
  off: row("off", {
    start: to("pulling", "open_live", "pull"),
    start_paused: to("paused"),
  }),
  idle: row("idle", {
    written: to("waiting", "debounce"),
    active: to("idle", "poll"),
    hint: to("pulling", "pull"),
    wanted: to("pulling", "pull"),
    poll_due: to("pulling", "pull"),
    inactive: to("suspended", "close_live"),
    pause: to("paused", "close_live"),
    close: to("off", "close_live"),
  }),
  waiting: row("waiting", {
    written: to("waiting", "debounce"),
    hint: to("pulling", "pull"),
    wanted: to("pulling", "pull"),
    debounced: to("pushing", "push"),
    pause: to("paused", "close_live"),
    close: to("off", "close_live"),
  }),
  pushing: row("pushing", {
    written: to("pushing", "want_push"),
    hint: to("pushing", "want_pull"),
    wanted: to("pushing", "want_pull"),
    pushed: to("idle", "poll"),
    failed: to("backoff", "back_off"),
    refused: to("stopped", "close_live", "recheck"),
    pause: to("paused", "abort", "close_live"),
    close: to("off", "abort", "close_live"),
  }),
  pulling: row("pulling", {
    // A pull that started before the hint may have read its last page already. Writes are pushed after it.
    hint: to("pulling", "want_pull"),
    pulled: to("pushing", "push"),
    failed: to("backoff", "back_off"),
    refused: to("stopped", "close_live", "recheck"),
    pause: to("paused", "abort", "close_live"),
    close: to("off", "abort", "close_live"),
  }),
  // A write or a hint does not shorten the wait: a hub that fails is not asked more often for it.
  backoff: row("backoff", {
    wanted: to("pulling", "pull"),
    retry_due: to("pulling", "pull"),
    inactive: to("suspended", "close_live"),
    pause: to("paused", "close_live"),
    close: to("off", "close_live"),
  }),
  paused: row("paused", {
    resume: to("pulling", "open_live", "pull"),
    close: to("off"),
  }),
  suspended: row("suspended", {
    written: to("pulling", "open_live", "pull"),
    active: to("pulling", "open_live", "pull"),
    wanted: to("pulling", "open_live", "pull"),
    pause: to("paused"),
    close: to("off"),
  }),
  stopped: row("stopped", {
    retry_due: to("pulling", "open_live", "pull"),
    resume: to("pulling", "open_live", "pull"),
    pause: to("paused"),
    close: to("off"),
  }),
} satisfies Record<SyncStateName, Row>;

function to(next: SyncStateName, ...actions: SyncAction[]): Transition {
  return { next, actions };
}

/** A row of the table: events that are not named change nothing. */
function row(state: SyncStateName, named: Partial<Row>): Row {
  const stay: Transition = { next: state, actions: [] };
  return {
    start: stay,
    start_paused: stay,
    written: stay,
    active: stay,
    hint: stay,
    wanted: stay,
    debounced: stay,
    poll_due: stay,
    retry_due: stay,
    inactive: stay,
    pushed: stay,
    pulled: stay,
    failed: stay,
    refused: stay,
    pause: stay,
    resume: stay,
    close: stay,
    ...named,
  };
}
