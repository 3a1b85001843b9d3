// Listens to a notification channel on its own connection, and reconnects.
import { Client, type ClientConfig } from "pg";

export interface ListenOptions {
  /** A name of letters and underscores. */
  channel: string;
  hear(payload: string): void;
  /** Listening started, or resumed: earlier notifications are lost. */
  onListening(): void;
  /** The connection was lost or failed, and is retried. Called once until listening resumes. */
  onDeaf(cause: Error): void;
}

export interface Listening {
  /** Resolves when the first attempt has succeeded or failed. */
  tried: Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;
// A dead connection is noticed only by a query.
const pingEveryMs = 5_000;
const pingTimeoutMs = 5_000;

/** Starts listening. Never rejects; while the database is unreachable, nothing is received. */
export function listen(config: ClientConfig, options: ListenOptions): Listening {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isDeaf = false;
  let pauseMs = firstPauseMs;

  async function open(): Promise<void> {
    const made = new Client({ ...config, query_timeout: pingTimeoutMs });
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
    timer = setTimeout(() => void ping(made), pingEveryMs);
    options.onListening();
  }

  async function ping(pinged: Client): Promise<void> {
    try {
      await pinged.query("select 1");
    } catch (cause) {
      lose(pinged, cause instanceof Error ? cause : new Error(String(cause)));
    }
    if (client === pinged && !isClosed) timer = setTimeout(() => void ping(pinged), pingEveryMs);
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
      // The driver cannot end a connection that is still opening.
      await opening;
      if (client !== undefined) await endOf(client);
    },
  };
}

// On a lost connection the goodbye fails.
async function endOf(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}
