// Live channel: a WebSocket that says when the log advanced. Only a hint: the log is read over HTTP.
import { systemTimers, type Timers } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";
import { jitter } from "../core/ids.ts";
import { isUint64 } from "../core/records/sync-op.ts";
import { isJsonObject, parseJson } from "../text/json.ts";
import { isEpoch } from "./hub-answers.ts";
import type { DeviceIdentity } from "./hub-client.ts";

/** What the channel asks and tells the engine. */
export interface LiveHooks {
  device(): DeviceIdentity | undefined;
  /** The log that the device reads; undefined before the first contact. */
  epoch(): string | undefined;
  /** The log reaches `head`; without it, the channel broke and may have missed something. */
  onHint(head: string | undefined): void;
}

export interface LiveChannel {
  open(): void;
  close(): void;
  isConnected(): boolean;
}

/** One connection. Every callback comes from a later turn of the event loop; none after `end`. */
export interface LiveSocket {
  end(): void;
  /** Counts pings too. */
  bytesRead(): number;
}

export interface SocketEvents {
  onOpen(): void;
  /** Undefined for a frame that is not text. */
  onFrame(text: string | undefined): void;
  /** `status` of an answer that was no WebSocket. */
  onClose(status: number | undefined): void;
}

export type ConnectLive = (device: DeviceIdentity | undefined, events: SocketEvents) => LiveSocket;

export interface LiveDeps extends LiveHooks {
  connect: ConnectLive;
  timers?: Timers;
  jitter?: () => number;
}

const liveTimes = {
  firstRetryMs: 1_000,
  longestRetryMs: 60_000,
  /** After an answer that says the hub has no such channel. */
  absentRetryMs: 3_600_000,
  checkEveryMs: 25_000,
  /** Checks without a byte that end a connection: 75 s, the hub pings every 30 s. */
  silentChecks: 3,
} as const;

const maxFrameChars = 1_024;

interface Channel {
  deps: LiveDeps;
  timers: Timers;
  /** Undefined while closed, and between two connections. */
  socket: LiveSocket | undefined;
  isOpen: boolean;
  isConnected: boolean;
  retryMs: number;
  bytes: number;
  silent: number;
  cancelTimer: () => void;
}

/** Anything unexpected ends the connection; another one follows after a pause that grows. */
export function createLiveChannel(deps: LiveDeps): LiveChannel {
  const channel: Channel = {
    ...{ deps, timers: deps.timers ?? systemTimers, socket: undefined },
    isOpen: false,
    isConnected: false,
    retryMs: liveTimes.firstRetryMs,
    bytes: 0,
    silent: 0,
    cancelTimer: () => undefined,
  };
  return {
    open() {
      if (channel.isOpen) return;
      channel.isOpen = true;
      channel.retryMs = liveTimes.firstRetryMs;
      connect(channel);
    },
    close() {
      channel.isOpen = false;
      drop(channel);
    },
    isConnected: () => channel.isConnected,
  };
}

function connect(channel: Channel): void {
  const { deps } = channel;
  // A socket that was dropped may still report.
  const ifCurrent = (run: () => void) => {
    if (channel.socket === socket) failOpenSync("the live channel", run);
  };
  const socket: LiveSocket | undefined = failOpenSync("connecting the live channel", () =>
    deps.connect(deps.device(), {
      onOpen: () => ifCurrent(() => opened(channel)),
      onFrame: (text) => ifCurrent(() => read(channel, text)),
      onClose: (status) => ifCurrent(() => retry(channel, isAbsent(status))),
    }),
  );
  channel.socket = socket;
  if (socket === undefined) retry(channel, false);
}

function opened(channel: Channel): void {
  channel.isConnected = true;
  channel.bytes = channel.socket?.bytesRead() ?? 0;
  channel.silent = 0;
  watch(channel);
}

function watch(channel: Channel): void {
  channel.cancelTimer();
  channel.cancelTimer = channel.timers.after(liveTimes.checkEveryMs, () => {
    const bytes = channel.socket?.bytesRead() ?? 0;
    channel.silent = bytes === channel.bytes ? channel.silent + 1 : 0;
    channel.bytes = bytes;
    if (channel.silent >= liveTimes.silentChecks) return retry(channel, false);
    // A hub that accepts and drops is asked less and less; one that stays is not.
    if (channel.silent === 0) channel.retryMs = liveTimes.firstRetryMs;
    watch(channel);
  });
}

function read(channel: Channel, text: string | undefined): void {
  const frame = text === undefined || text.length > maxFrameChars ? undefined : parse(text);
  const epoch = channel.deps.epoch();
  if (frame === undefined || (epoch !== undefined && frame.epoch !== epoch)) retry(channel, false);
  else channel.deps.onHint(frame.head_seq);
}

function parse(text: string): { epoch: string; head_seq: string } | undefined {
  const value = parseJson(text);
  const { type, epoch, head_seq } = isJsonObject(value) ? value : {};
  if (type !== "advance" || !isEpoch(epoch) || typeof head_seq !== "string" || !isUint64(head_seq))
    return undefined;
  return { epoch, head_seq };
}

/** No such route, or a server that has no WebSockets: asked again in an hour. */
function isAbsent(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}

function retry(channel: Channel, isAbsent: boolean): void {
  const { deps, isConnected } = channel;
  drop(channel);
  const spreadMs = Math.min(channel.retryMs * (deps.jitter ?? jitter)(), liveTimes.longestRetryMs);
  const delayMs = isAbsent ? liveTimes.absentRetryMs : spreadMs;
  channel.retryMs = Math.min(channel.retryMs * 2, liveTimes.longestRetryMs);
  channel.cancelTimer = channel.timers.after(delayMs, () => connect(channel));
  // Last: it may close the channel.
  if (isConnected) deps.onHint(undefined);
}

function drop(channel: Channel): void {
  const { socket } = channel;
  channel.cancelTimer();
  channel.socket = undefined;
  channel.isConnected = false;
  socket?.end();
}
