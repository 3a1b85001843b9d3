// Engine of device sync: runs the state machine with the worker's store, a hub and timers.
import { type Clock, systemTimers, type Timers } from "../core/clock.ts";
import { failOpen, failOpenSync } from "../core/errors.ts";
import { jitter } from "../core/ids.ts";
import type { Applied, PendingCounts } from "../core/records/sync.ts";
import { isNewerRevision as isHigher } from "../core/records/sync-op.ts";
import { failureMessage, HubFailure, type StopReason } from "./failure.ts";
import type { HubState } from "./hub-answers.ts";
import type { HubClient } from "./hub-client.ts";
import type { KeyRing } from "./key-ring.ts";
import type { LiveChannel, LiveHooks } from "./live-channel.ts";
import { pullAll } from "./pull.ts";
import { countOf, pushAll } from "./push.ts";
import type { SyncProgress, SyncRun } from "./run.ts";
import { type SyncAction, type SyncEvent, type SyncStateName, syncTable } from "./states.ts";
import type { SyncStore } from "./store.ts";
import { createWaiters, type Outcome } from "./waiters.ts";

export interface SyncEngineDeps {
  store: SyncStore;
  client: HubClient;
  ring: KeyRing;
  /** Names the machine and the data directory: 1 to 128 letters, digits, `_` and `-`. */
  nonce: string;
  clock: Clock;
  timers?: Timers;
  /** A factor around 1. */
  jitter?: () => number;
  /** Makes the live channel; null without one. */
  createLive: ((hooks: LiveHooks) => LiveChannel) | null;
  /** True while a session of a host is open. */
  isSessionActive(): boolean;
  /** A page changed records. */
  onApplied(applied: Applied): void;
  /** State or progress changed. */
  onChange(): void;
  /** A run failed: for the log. */
  onFailure(cause: unknown): void;
}

export interface SyncStatus {
  state: SyncStateName;
  /** Why it stopped; null in any other state. */
  reason: StopReason | null;
  /** Message of the latest failed run; null after one that succeeded. Never has the token. */
  lastError: string | null;
  lastFlushAt: number | null;
  pending: PendingCounts;
  progress: SyncProgress | null;
  /** True while the live channel is connected. */
  live: boolean;
  device_id: string | null;
  epoch: string | null;
  cursor: string;
}

/** The state as `mem status` and `mem doctor` show it. */
export interface SyncHealth extends Pick<SyncStatus, "state" | "reason" | "live" | "lastError"> {
  /** Records to push. */
  waiting: number;
  /** Failed operations. */
  failed: number;
}

/** Result of a read-only probe. */
export type HubProbe = { reachable: true; hub: HubState } | { reachable: false; error: string };

export interface SyncEngine {
  /** Starts with a pull, unless the user paused it. */
  start(): void;
  /** A record of this device changed. */
  written(): void;
  /** A session does something. */
  active(): void;
  /** Pulls; resolves when that is done, or at the deadline: the pull goes on then. Never throws. */
  pullNow(options: { deadlineMs: number }): Promise<Outcome>;
  /** Pulls and pushes, also when stopped; resolves when nothing waits. Never throws. */
  syncNow(options: { deadlineMs: number }): Promise<Outcome>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Other account keys: a rotation, or the passphrase was entered. */
  useRing(ring: KeyRing): void;
  probe(): Promise<HubProbe>;
  status(): SyncStatus;
  /** Ends requests, timers and the live channel within a second. */
  close(): Promise<void>;
}

export const syncTimes = {
  debounceMs: 1_500,
  liveDebounceMs: 250,
  /** Writes that never pause are pushed after this. */
  longestDebounceMs: 10_000,
  firstBackoffMs: 30_000,
  longestBackoffMs: 600_000,
  longestBusyMs: 3_600_000,
  activePollMs: 30_000,
  idlePollMs: 300_000,
  suspendAfterMs: 3_600_000,
  recheckMs: 3_600_000,
  closeMs: 1_000,
} as const;

/** What the engine keeps between events. */
interface Engine {
  deps: SyncEngineDeps;
  timers: Timers;
  run: SyncRun;
  live: LiveChannel | null;
  state: SyncStateName;
  cancelTimer: () => void;
  /** Aborts the present run. */
  ending: AbortController;
  /** Aborts probes, which go on while runs are paused. */
  closing: AbortController;
  /** Resolves when no run goes on; it never rejects. */
  running: Promise<void>;
  waiters: ReturnType<typeof createWaiters>;
  failures: number;
  /** What the hub asked to wait after the latest failure. */
  busyMs: number;
  reason: StopReason | null;
  lastError: string | null;
  /** Monotonic times. */
  activeAt: number;
  pulledAt: number;
  writtenAt: number | undefined;
}

export function createSyncEngine(deps: SyncEngineDeps): SyncEngine {
  const engine = createState(deps);
  const { store, client } = deps;
  return {
    start: () => dispatchActive(engine, store.state().paused ? "start_paused" : "start"),
    written: () => dispatchActive(engine, "written"),
    active: () => dispatchActive(engine, "active"),
    async pullNow({ deadlineMs }) {
      if (["off", "paused", "stopped"].includes(engine.state)) return "off";
      dispatchActive(engine, "wanted");
      return await engine.waiters.wait("pull", deadlineMs);
    },
    async syncNow({ deadlineMs }) {
      if (["off", "paused"].includes(engine.state)) return "off";
      dispatchActive(engine, engine.state === "stopped" ? "resume" : "wanted");
      return await engine.waiters.wait("push", deadlineMs);
    },
    async pause() {
      await store.setPaused(true);
      dispatch(engine, "pause");
    },
    async resume() {
      await store.setPaused(false);
      dispatchActive(engine, "resume");
    },
    useRing(ring) {
      engine.run.ring = ring;
      engine.run.announced = undefined;
      dispatchActive(engine, engine.state === "stopped" ? "resume" : "written");
    },
    async probe() {
      try {
        return { reachable: true, hub: await client.status(engine.closing.signal) };
      } catch (cause) {
        return { reachable: false, error: failureMessage(cause) };
      }
    },
    status: () => statusOf(engine),
    async close() {
      dispatch(engine, "close");
      engine.closing.abort();
      let cancel: (() => void) | undefined;
      const late = new Promise<void>((resolve) => {
        cancel = engine.timers.after(syncTimes.closeMs, resolve);
      });
      await Promise.race([engine.running, late]);
      cancel?.();
      await failOpen("closing connections to the hub", () => client.close());
    },
  };
}

function createState(deps: SyncEngineDeps): Engine {
  const { store, client, ring, nonce, clock, timers = systemTimers, onApplied, onChange } = deps;
  const run: SyncRun = {
    ...{ store, client, clock, nonce, ring, onApplied },
    announced: undefined,
    reader: undefined,
    noticed: store.state().cursor !== "0",
    isRenamed: false,
    isChecked: false,
    isRestarted: false,
    isOutdated: false,
    wants: { pull: false, push: false },
    progress: null,
    onProgress: onChange,
  };
  const now = clock.monotonicMs();
  const engine: Engine = {
    ...{ deps, timers, run },
    live: null,
    state: "off",
    cancelTimer: () => undefined,
    ending: new AbortController(),
    closing: new AbortController(),
    running: Promise.resolve(),
    waiters: createWaiters(timers),
    failures: 0,
    busyMs: 0,
    reason: null,
    lastError: null,
    activeAt: now,
    pulledAt: now,
    writtenAt: undefined,
  };
  engine.live = deps.createLive?.(liveHooks(engine)) ?? null;
  return engine;
}

// Own pushes advance the log too: a head that was read is no reason for a pull.
function liveHooks(engine: Engine): LiveHooks {
  const { store, nonce } = engine.deps;
  return {
    device() {
      const { device_id } = store.state();
      return device_id === undefined ? undefined : { id: device_id, nonce };
    },
    epoch: () => store.state().epoch,
    onHint(head) {
      if (head === undefined || isHigher(head, store.state().cursor)) dispatch(engine, "hint");
    },
  };
}

function dispatchActive(engine: Engine, event: SyncEvent): void {
  engine.activeAt = engine.deps.clock.monotonicMs();
  dispatch(engine, event);
}

function dispatch(engine: Engine, event: SyncEvent): void {
  const { next, actions } = syncTable[engine.state][event];
  const isOther = next !== engine.state;
  if (isOther) {
    engine.cancelTimer();
    engine.state = next;
    if (next !== "stopped") engine.reason = null;
    if (next !== "waiting") engine.writtenAt = undefined;
  }
  for (const action of actions) acts[action](engine);
  if (["off", "paused", "suspended"].includes(next)) engine.waiters.settle("failed");
  if (isOther) engine.deps.onChange();
}

const acts: Readonly<Record<SyncAction, (engine: Engine) => void>> = {
  push: (engine) => startRun(engine, "push"),
  pull: (engine) => startRun(engine, "pull"),
  abort: ({ ending }) => ending.abort(),
  want_push({ run }) {
    run.wants.push = true;
  },
  want_pull({ run }) {
    run.wants.pull = true;
  },
  debounce: (engine) => setTimer(engine, debounceMs(engine), () => dispatch(engine, "debounced")),
  poll: (engine) => setTimer(engine, pollMs(engine), () => pollOrSuspend(engine)),
  back_off: (engine) => setTimer(engine, backoffMs(engine), () => retryOrSuspend(engine)),
  recheck: (engine) => setTimer(engine, syncTimes.recheckMs, () => dispatch(engine, "retry_due")),
  open_live: ({ live }) => live?.open(),
  close_live: ({ live }) => live?.close(),
};

function setTimer(engine: Engine, delayMs: number, run: () => void): void {
  engine.cancelTimer();
  engine.cancelTimer = engine.timers.after(delayMs, () => failOpenSync("a timer of sync", run));
}

/** One run at a time: an aborted one finishes its step before the next begins. */
function startRun(engine: Engine, kind: "push" | "pull"): void {
  engine.ending = new AbortController();
  const { signal } = engine.ending;
  engine.run.wants[kind] = false;
  const perform = async () => {
    if (signal.aborted) return;
    try {
      await (kind === "push" ? pushAll : pullAll)(engine.run, signal);
      if (!signal.aborted) finish(engine, kind);
    } catch (cause) {
      if (!signal.aborted) fail(engine, cause);
    }
  };
  engine.running = engine.running.then(() => failOpen("ending a run of sync", perform));
}

function finish(engine: Engine, kind: "push" | "pull"): void {
  const { wants } = engine.run;
  if (kind === "pull") {
    engine.pulledAt = engine.deps.clock.monotonicMs();
    dispatch(engine, "pulled");
    engine.waiters.settle("done", "pull");
    return;
  }
  engine.failures = 0;
  engine.lastError = null;
  dispatch(engine, "pushed");
  if (wants.pull) dispatch(engine, "hint");
  else if (wants.push) dispatch(engine, "written");
  else engine.waiters.settle("done", "push");
}

function fail(engine: Engine, cause: unknown): void {
  const failure = cause instanceof HubFailure ? cause.failure : undefined;
  engine.run.progress = null;
  // A hub that was away may come back from a backup.
  engine.run.isChecked = false;
  engine.lastError = failureMessage(cause);
  engine.failures += 1;
  engine.busyMs = failure?.kind === "busy" ? failure.retryAfterMs : 0;
  const reason = failure && stopReasonOf(failure.kind);
  engine.reason = reason ?? null;
  dispatch(engine, reason === undefined ? "failed" : "refused");
  engine.waiters.settle("failed");
  engine.deps.onFailure(cause);
}

function stopReasonOf(kind: string): StopReason | undefined {
  return stopReasons.find((reason) => reason === kind);
}

const stopReasons = [
  "unauthorized",
  "wrong_account",
  "device_limit",
  "bad_address",
  "key_missing",
] as const satisfies readonly StopReason[];

function debounceMs(engine: Engine): number {
  const now = engine.deps.clock.monotonicMs();
  engine.writtenAt ??= now;
  const waitMs = engine.live?.isConnected() === true ? syncTimes.liveDebounceMs : syncTimes.debounceMs;
  return Math.max(0, Math.min(waitMs, engine.writtenAt + syncTimes.longestDebounceMs - now));
}

function pollMs(engine: Engine): number {
  const { deps, pulledAt, activeAt, live } = engine;
  // The channel says when to pull; the polls are only in case it is wrong.
  const isEager = deps.isSessionActive() && live?.isConnected() !== true;
  const due = pulledAt + (isEager ? syncTimes.activePollMs : syncTimes.idlePollMs);
  return Math.max(0, Math.min(due, activeAt + syncTimes.suspendAfterMs) - deps.clock.monotonicMs());
}

function pollOrSuspend(engine: Engine): void {
  dispatch(engine, isInactive(engine) ? "inactive" : "poll_due");
}

// Records that wait are a reason to go on.
function retryOrSuspend(engine: Engine): void {
  const waiting = failOpenSync("counting what waits for sync", () => countOf(engine.deps.store.pending()));
  dispatch(engine, isInactive(engine) && waiting === 0 ? "inactive" : "retry_due");
}

function isInactive({ deps, activeAt }: Engine): boolean {
  return deps.clock.monotonicMs() - activeAt >= syncTimes.suspendAfterMs;
}

function backoffMs({ deps, failures, busyMs }: Engine): number {
  return backoffAfter({ failures, busyMs, spread: (deps.jitter ?? jitter)() });
}

/** Wait before the next attempt: doubled with each failure, and not shorter than the other side asks for. */
export function backoffAfter(after: { failures: number; busyMs: number; spread: number }): number {
  const { firstBackoffMs, longestBackoffMs, longestBusyMs } = syncTimes;
  const doubled = firstBackoffMs * 2 ** Math.min(after.failures - 1, 10);
  const spread = Math.min(doubled, longestBackoffMs) * after.spread;
  return Math.max(Math.min(spread, longestBackoffMs), Math.min(after.busyMs, longestBusyMs));
}

function statusOf({ deps, state, reason, lastError, run, live }: Engine): SyncStatus {
  const { device_id, epoch, cursor, last_flush_at_epoch } = deps.store.state();
  return {
    ...{ state, reason, lastError, cursor },
    lastFlushAt: last_flush_at_epoch,
    pending: deps.store.pending(),
    progress: run.progress,
    live: live?.isConnected() ?? false,
    device_id: device_id ?? null,
    epoch: epoch ?? null,
  };
}
