// Sends records of connected projects to the team's server: what waits in the outbox, batch by batch.
import { type Clock, systemTimers, type Timers } from "../core/clock.ts";
import { failOpen, failOpenSync } from "../core/errors.ts";
import { jitter } from "../core/ids.ts";
import { sharedLimits } from "../core/records/shared-record.ts";
import type { TeamBatch, TeamOutcome, TeamRecord } from "../core/records/team.ts";
import { backoffAfter, syncTimes } from "./engine.ts";
import { failureMessage, HubFailure, type HubFailureKind, type StopReason } from "./failure.ts";
import { fitting, type TeamClient } from "./team-client.ts";

/** The outbox, implemented by the store. */
export interface TeamOutbox {
  /** Id of the team that the records go to; undefined before the first connection. */
  team(): string | undefined;
  /** Proves to the server that records are of this device; made at the first call. */
  secret(): Promise<string>;
  take(self: string, limit: number): Promise<TeamBatch[]>;
  stamp(teamProject: string, outcomes: readonly TeamOutcome[]): Promise<void>;
  /** Keeps a record from being sent until it changes, or `retryRefused`. */
  refuse(record: TeamRecord, reason: string): Promise<void>;
  retryRefused(): Promise<void>;
  /** Changes to send. */
  waiting(): number;
  projects: { setProblem(teamProject: string, problem: string | null): Promise<void> };
}

interface SenderDeps {
  outbox: TeamOutbox;
  client: Pick<TeamClient, "teamId" | "share" | "close">;
  /** This device's id. */
  self(): Promise<string>;
  clock: Clock;
  timers?: Timers;
  jitter?: () => number;
  onFailure(cause: unknown): void;
}

export type SenderState = "idle" | "waiting" | "sending" | "backoff" | "stopped";

export interface SenderStatus {
  state: SenderState;
  /** Why it stopped; null in any other state. */
  reason: StopReason | null;
  /** Message of the latest failure; never has the key. */
  last_error: string | null;
  last_sent_at_epoch: number | null;
}

export interface TeamSender {
  /** A record changed, or the worker started: sends after a pause. */
  written(): void;
  /** Sends what waits right now, what was refused included; resolves when nothing waits or the server failed. */
  sendNow(): Promise<void>;
  status(): SenderStatus;
  /** Ends requests and timers within a second. */
  close(): Promise<void>;
}

export function createTeamSender(deps: SenderDeps): TeamSender {
  const { clock, client, timers = systemTimers } = deps;
  let status: SenderStatus = { state: "idle", reason: null, last_error: null, last_sent_at_epoch: null };
  let cancel = (): void => undefined;
  let failures = 0;
  let isClosed = false;
  let isWanted = false;
  let running: Promise<void> | undefined;
  const ending = new AbortController();

  function later(state: SenderState, delayMs: number): void {
    cancel();
    status = { ...status, state };
    cancel = timers.after(delayMs, () => void failOpenSync("a timer of the team's outbox", () => start()));
  }

  function start(): Promise<void> {
    if (isClosed) return Promise.resolve();
    if (running !== undefined) {
      isWanted = true;
      return running;
    }
    cancel();
    status = { ...status, state: "sending" };
    running = failOpen("sending to the team's server", run).then(() => {
      running = undefined;
      if (isWanted && status.state === "idle") written();
    });
    return running;
  }

  async function run(): Promise<void> {
    isWanted = false;
    try {
      const sent = await sendAll(deps, ending.signal);
      failures = 0;
      const last_sent_at_epoch = sent > 0 ? clock.now() : status.last_sent_at_epoch;
      status = { state: "idle", reason: null, last_error: null, last_sent_at_epoch };
    } catch (cause) {
      if (isClosed) return;
      fail(cause);
    }
  }

  function fail(cause: unknown): void {
    failures += 1;
    const { reason, last_error, busyMs } = meaningOf(cause);
    status = { ...status, reason, last_error };
    if (reason !== null) later("stopped", syncTimes.recheckMs);
    else later("backoff", backoffAfter({ failures, busyMs, spread: (deps.jitter ?? jitter)() }));
    deps.onFailure(cause);
  }

  function written(): void {
    if (isClosed || status.state === "waiting" || status.state === "stopped" || status.state === "backoff")
      return;
    if (running !== undefined) isWanted = true;
    else later("waiting", syncTimes.debounceMs);
  }

  return {
    written,
    async sendNow() {
      await deps.outbox.retryRefused();
      await start();
    },
    status: () => status,
    async close() {
      isClosed = true;
      cancel();
      ending.abort();
      await Promise.race([running, pause(timers, syncTimes.closeMs)]);
      await failOpen("closing connections to the team's server", () => client.close());
    },
  };
}

function pause(timers: Timers, delayMs: number): Promise<void> {
  return new Promise((resolve) => void timers.after(delayMs, resolve));
}

function meaningOf(cause: unknown): Pick<SenderStatus, "reason" | "last_error"> & { busyMs: number } {
  const failure = cause instanceof HubFailure ? cause.failure : undefined;
  return {
    reason: stopReasons.find((each) => each === failure?.kind) ?? null,
    last_error: failureMessage(cause),
    busyMs: failure?.kind === "busy" ? failure.retryAfterMs : 0,
  };
}

const stopReasons = [
  "unauthorized",
  "wrong_account",
  "bad_address",
  "read_only",
] as const satisfies readonly StopReason[];

/** Sends until nothing waits; the number of records that were answered or refused. */
async function sendAll(deps: SenderDeps, signal: AbortSignal): Promise<number> {
  const { outbox } = deps;
  if (outbox.waiting() === 0) return 0;
  // Another key or address must not send the records of this team to another one.
  if ((await deps.client.teamId(signal)) !== outbox.team())
    throw new HubFailure({ kind: "wrong_account" }, wrongTeam);
  let sent = 0;
  let first = "";
  for (let idle = 0; ; ) {
    const batches = await outbox.take(await deps.self(), sharedLimits.records);
    const next = batches[0]?.records[0];
    if (next === undefined) return sent;
    // In the order of the outbox, what was answered never comes first again. Counting what waits would read all of it.
    const name = `${next.kind} ${next.record_id}`;
    idle = name === first ? idle + 1 : 0;
    first = name;
    // A server that answers wrongly must not be asked for ever; the next change tries again.
    if (idle > mostIdleRounds) return sent;
    for (const batch of batches) sent += await sendBatch(deps, batch, signal);
  }
}

const wrongTeam = "The key belongs to another team than the one that the projects were connected to.";

// A record that the server knows in a newer revision waits for one more round; so does one that moves.
const mostIdleRounds = 2;

async function sendBatch(
  { outbox, client }: SenderDeps,
  { team_project, records }: TeamBatch,
  signal: AbortSignal,
): Promise<number> {
  let most: number = sharedLimits.records;
  let problem: string | null = null;
  for (let left = [...records]; left.length > 0; ) {
    if (signal.aborted) throw new HubFailure({ kind: "unreachable" }, "The worker ended.");
    const part = fitting(team_project, left, most);
    const failure = await sendPart({ outbox, client }, team_project, part, signal);
    // The one that is refused is found by halves.
    if (failure !== undefined && failure.failure.kind !== "no_project" && part.length > 1) {
      most = Math.ceil(part.length / 2);
      continue;
    }
    if (failure?.failure.kind === "no_project") problem = failure.message;
    if (failure !== undefined)
      for (const record of problem === null ? part : left) await outbox.refuse(record, failure.message);
    left = problem === null ? left.slice(part.length) : [];
  }
  await outbox.projects.setProblem(team_project, problem);
  return records.length;
}

/** Undefined when the server answered each record; throws what concerns more than these records. */
async function sendPart(
  { outbox, client }: Pick<SenderDeps, "outbox" | "client">,
  team_project: string,
  part: readonly TeamRecord[],
  signal: AbortSignal,
): Promise<HubFailure | undefined> {
  try {
    const secret = await outbox.secret();
    const results = await client.share({ project: team_project, records: part, secret }, signal);
    const outcomes = part.flatMap((record, at) => {
      const result = results[at];
      return result === undefined ? [] : [{ record, result }];
    });
    await outbox.stamp(team_project, outcomes);
    return undefined;
  } catch (cause) {
    if (cause instanceof HubFailure && ofRecords.includes(cause.failure.kind)) return cause;
    throw cause;
  }
}

const ofRecords: readonly HubFailureKind["kind"][] = ["refused_op", "too_large", "no_project"];
