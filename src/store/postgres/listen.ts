// Hears what other processes notify, over one connection of its own that comes back by itself.
import { Client, type ClientConfig } from "pg";

export interface ListenOptions {
  /** A name of letters and underscores. */
  channel: string;
  hear(payload: string): void;
  /** It listens, for the first time or again: what was notified before has not been heard. */
  onListening(): void;
  /** The connection was lost, or could not be made; it is tried again. Said once until it listens again. */
  onDeaf(cause: Error): void;
}

export interface Listening {
  /** Resolves when the first attempt has succeeded or failed. */
  tried: Promise<void>;
  /** Ends the connection; nothing is heard any more. */
  close(): Promise<void>;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;
// A listener only waits: that its connection is dead it must find out by asking.
const askEveryMs = 5_000;
const answerWithinMs = 5_000;

/** Starts to listen. Never rejects: as long as the database cannot be reached, nothing is heard. */
export function listen(config: ClientConfig, options: ListenOptions): Listening {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isDeaf = false;
  let pauseMs = firstPauseMs;

  async function open(): Promise<void> {
    const made = new Client({ ...config, query_timeout: answerWithinMs });
    client = made;
    made.on("error", (cause) => lose(made, cause));
    made.on("end", () => lose(made, new Error("the connection was ended")));
    made.on("notification", ({ payload }) => options.hear(payload ?? ""));
    try {
      await made.connect();
      await made.query(`listen ${made.escapeIdentifier(options.channel)}`);
    } catch (cause) {
      lose(made, cause instanceof Error ? cause : new Error(String(cause)));
      return;
    }
    if (client !== made || isClosed) return;
    isDeaf = false;
    pauseMs = firstPauseMs;
    timer = setTimeout(() => void ask(made), askEveryMs);
    options.onListening();
  }

  async function ask(asked: Client): Promise<void> {
    try {
      await asked.query("select 1");
    } catch (cause) {
      lose(asked, cause instanceof Error ? cause : new Error(String(cause)));
    }
    if (client === asked && !isClosed) timer = setTimeout(() => void ask(asked), askEveryMs);
  }

  function lose(lost: Client, cause: Error): void {
    if (client !== lost || isClosed) return;
    client = undefined;
    clearTimeout(timer);
    void endOf(lost);
    if (!isDeaf) options.onDeaf(cause);
    isDeaf = true;
    timer = setTimeout(() => {
      opening = open();
    }, pauseMs);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }

  let opening = open();
  return {
    tried: opening,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // The driver cannot end what it is still making.
      await opening;
      if (client !== undefined) await endOf(client);
    },
  };
}

// A connection that is lost already has nobody to say goodbye to.
async function endOf(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}
