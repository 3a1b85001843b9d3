// The connection of a display to the worker: it waits for signals of the stream, for days, through every outage.
import { now } from "../clock.ts";

/**
 * - `connecting`: the first try.
 * - `live`: signals come in.
 * - `lost`: not connected since `since`; it tries again by itself.
 * - `refused`: the worker does not accept this address; `status` says why. It tries again, seldom.
 */
export type TvState =
  | { is: "connecting" }
  | { is: "live" }
  | { is: "lost"; since: number }
  | { is: "refused"; status: number };

interface Deps {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Called when the stream is open, and after each signal. A rejection counts as a lost connection. */
  changed(): Promise<void>;
  onState(state: TvState): void;
}

const firstDelayMs = 1_000;
const longestDelayMs = 60_000;
const refusedDelayMs = 5 * 60_000;
// The worker sends a comment every 15 s; a connection that died without an error sends nothing.
const silentMs = 50_000;
// Many records can come in one second; a wall display changes slowly.
const pauseMs = 2_000;

/** The answer of the worker is an error. */
export class TvRefusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The worker answered ${status}.`);
    this.name = "TvRefusal";
    this.status = status;
  }
}

/** Connects until `close`. */
export function connectTv(deps: Deps): { close(): void } {
  let attempt: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let failures = 0;
  let lostAt: number | undefined;

  async function run(): Promise<void> {
    clearTimeout(timer);
    attempt?.abort();
    const own = new AbortController();
    attempt = own;
    let failure: unknown;
    try {
      await follow(deps, own, () => {
        failures = 0;
        lostAt = undefined;
        deps.onState({ is: "live" });
      });
    } catch (error) {
      failure = error;
    }
    // A newer attempt has taken over.
    if (attempt !== own || isClosed) return;
    own.abort();
    retry(failure);
  }

  function retry(failure: unknown): void {
    lostAt ??= now();
    const isRefused = failure instanceof TvRefusal && failure.status >= 400 && failure.status < 500;
    if (isRefused) deps.onState({ is: "refused", status: failure.status });
    else deps.onState({ is: "lost", since: lostAt });
    const delayMs = isRefused ? refusedDelayMs : Math.min(firstDelayMs * 2 ** failures, longestDelayMs);
    failures += 1;
    timer = setTimeout(start, jittered(delayMs));
  }

  function start(): void {
    void run();
  }

  // A tablet that wakes up, or is back on its network, need not wait.
  function wake(): void {
    if (document.visibilityState === "visible" && lostAt !== undefined) start();
  }

  addEventListener("online", start);
  document.addEventListener("visibilitychange", wake);
  deps.onState({ is: "connecting" });
  start();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      attempt?.abort();
      removeEventListener("online", start);
      document.removeEventListener("visibilitychange", wake);
    },
  };
}

/** Reads the stream until it ends. Its messages are signals only: what is shown is read from the list. */
async function follow(deps: Deps, attempt: AbortController, opened: () => void): Promise<void> {
  const { signal } = attempt;
  let silence = setTimeout(() => attempt.abort(), silentMs);
  let pause: ReturnType<typeof setTimeout> | undefined;
  try {
    const answer = await fetch(deps.url, { headers: deps.headers, signal, cache: "no-store" });
    if (!answer.ok || answer.body === null) throw new TvRefusal(answer.status);
    await deps.changed();
    opened();
    const reader = answer.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => attempt.abort(), silentMs);
      // A comment begins with a colon.
      if (value[0] === colon || pause !== undefined) continue;
      pause = setTimeout(() => {
        pause = undefined;
        deps.changed().catch(() => attempt.abort());
      }, pauseMs);
    }
  } finally {
    clearTimeout(silence);
    clearTimeout(pause);
  }
}

const colon = 0x3a;

// Displays that lost the same worker must not all come back in the same second.
function jittered(delayMs: number): number {
  return delayMs * (0.75 + 0.5 * Math.random());
}
