// The worker's live stream: reconnects with backoff, and says when events may have been missed.
import { setTimeout as sleep } from "node:timers/promises";
import { failOpen, MemError } from "../core/errors.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { isJsonObject } from "../text/json.ts";
import { queryString } from "./calls.ts";
import { openTransport } from "./transport.ts";

interface FollowOptions {
  dataDir: string;
  project?: string;
  /** Ends it. */
  signal: AbortSignal;
  onEvent(event: StreamEvent): void;
  /** `hasGap`: events may have been missed since the last connection. */
  onConnection(connection: "live" | "lost", hasGap: boolean): void;
}

const firstDelayMs = 250;
const longestDelayMs = 5_000;
// The worker sends a comment every 15 s.
const silentMs = 40_000;

/** Follows the stream until `signal` ends it. Throws what no retry helps against, such as a directory of another user. */
export async function followEvents(options: FollowOptions): Promise<void> {
  const { signal, onConnection } = options;
  let delayMs = firstDelayMs;
  let wasLive = false;
  let isLost = false;
  while (!signal.aborted) {
    try {
      await readStream(options, () => {
        onConnection("live", wasLive);
        delayMs = firstDelayMs;
        wasLive = true;
        isLost = false;
      });
    } catch (error) {
      if (!signal.aborted && error instanceof MemError && error.code === "data_dir_unusable") throw error;
    }
    if (signal.aborted) return;
    if (!isLost) onConnection("lost", wasLive);
    isLost = true;
    await failOpen("wait for the worker", () => sleep(delayMs, undefined, { signal }));
    delayMs = Math.min(2 * delayMs, longestDelayMs);
  }
}

async function readStream(
  { dataDir, project, signal, onEvent }: FollowOptions,
  onOpen: () => void,
): Promise<void> {
  // A stream has its connection to itself: requests behind it would wait for its end.
  const transport = await openTransport(dataDir, { connectMs: 1_000, answerMs: 5_000 });
  try {
    const body = await transport.stream(`/stream${queryString({ project })}`, { signal, silentMs });
    onOpen();
    for await (const event of eventsIn(body)) onEvent(event);
  } finally {
    await failOpen("close the stream", () => transport.destroy());
  }
}

/** The events of Server-Sent Events; comments and what is no event are left out. */
async function* eventsIn(body: AsyncIterable<unknown>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let left = "";
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    const parts = (left + decoder.decode(chunk, { stream: true })).split("\n\n");
    left = parts.pop() ?? "";
    for (const part of parts) {
      const event = readEvent(part);
      if (event !== undefined) yield event;
    }
  }
}

// A worker of a later version may send events that this program does not know; readers skip them by their type.
function readEvent(frame: string): StreamEvent | undefined {
  const data = frame
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n");
  try {
    const event: unknown = JSON.parse(data);
    return isJsonObject(event) && typeof event.type === "string" ? (event as StreamEvent) : undefined;
  } catch {
    return undefined;
  }
}
