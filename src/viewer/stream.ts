// The live stream: reconnects with backoff, shows its state, and says when events may have been missed.
import type { StreamEvent } from "../core/records/events.ts";
import { isJsonObject } from "../text/json.ts";
import { createObservable, type Observable } from "./observable.ts";

/** `lost` while it waits for the next try. */
export type Connection = "connecting" | "live" | "lost";

export interface Stream {
  state: Observable<Connection>;
  /** Calls `listener` with each event; returns the function that stops it. */
  listen(listener: (event: StreamEvent) => void): () => void;
  /** Calls `listener` when the stream is back after a gap, so that lists read again what they missed. */
  onResync(listener: () => void): () => void;
  /** Tries now. */
  reconnect(): void;
  close(): void;
}

const firstDelayMs = 1_000;
// A reader who looks at the page sees a worker that is back within this time.
const longestDelayMs = 5_000;
const longestHiddenMs = 60_000;

/** Opens `GET url` and keeps it open. */
export function createStream(url: string): Stream {
  const state = createObservable<Connection>("connecting");
  const listeners = new Set<(event: StreamEvent) => void>();
  const resyncs = new Set<() => void>();
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let delayMs = firstDelayMs;
  let wasLive = false;

  function open(): void {
    clearTimeout(retry);
    retry = undefined;
    source?.close();
    source = new EventSource(url);
    source.onopen = opened;
    source.onerror = lose;
    source.onmessage = ({ data }) => {
      const event = readEvent(data);
      if (event !== undefined) for (const listener of [...listeners]) listener(event);
    };
  }

  function opened(): void {
    delayMs = firstDelayMs;
    state.set("live");
    if (wasLive) for (const listener of [...resyncs]) listener();
    wasLive = true;
  }

  // The browser's own reconnection stops for good at an error status, such as 503 from a worker that starts.
  function lose(): void {
    source?.close();
    state.set("lost");
    clearTimeout(retry);
    retry = setTimeout(open, delayMs);
    const isSeen = document.visibilityState === "visible";
    delayMs = Math.min(delayMs * 2, isSeen ? longestDelayMs : longestHiddenMs);
  }

  // Somebody looks at the page: while it waits, it tries now, and soon again.
  function wake(): void {
    if (document.visibilityState !== "visible" || retry === undefined) return;
    delayMs = firstDelayMs;
    open();
  }

  addEventListener("online", open);
  addEventListener("focus", wake);
  document.addEventListener("visibilitychange", wake);
  open();

  return {
    state,
    listen: (listener) => added(listeners, listener),
    onResync: (listener) => added(resyncs, listener),
    reconnect: open,
    close() {
      clearTimeout(retry);
      source?.close();
      removeEventListener("online", open);
      removeEventListener("focus", wake);
      document.removeEventListener("visibilitychange", wake);
    },
  };
}

function added<T>(set: Set<T>, entry: T): () => void {
  set.add(entry);
  return () => set.delete(entry);
}

// A worker of a later version may send events that this page does not know; listeners ignore them by their type.
function readEvent(data: unknown): StreamEvent | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const event: unknown = JSON.parse(data);
    return isJsonObject(event) && typeof event.type === "string" ? (event as StreamEvent) : undefined;
  } catch {
    return undefined;
  }
}
