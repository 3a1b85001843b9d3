// What an agent has in its context already: nothing is put there twice, be it by two hooks or after a restart.

/** Whose context it is: a sub-agent works in its parent's session and reads with eyes of its own. */
export interface Reader {
  sessionId: string;
  agentId: string | null;
}

/** What the ledger needs of the store. */
export interface LedgerPort {
  items(reader: StoredReader): string[];
  since(reader: StoredReader, item: string): number | undefined;
  add(reader: StoredReader, items: readonly string[], now: number): void;
  clear(reader: StoredReader): void;
}

interface StoredReader {
  session: string;
  reader: string;
}

interface LedgerDeps {
  port: LedgerPort;
  now(): number;
  /** Runs the work in the next transaction, one after the other. */
  commit<T>(work: () => T): Promise<T>;
}

/** The moments at which a whole text is put in, each once: what was done last at the start, what fits the first prompt. */
export type Moment = "start" | "prompt";

export interface Start {
  /** The same for every delivery of the same event. */
  eventKey: string;
  /** True where the context begins anew: what was put in before is gone. */
  anew: boolean;
}

export interface Ledger {
  /** Ids of the records that the reader has. */
  records(reader: Reader): ReadonlySet<number>;
  had(reader: Reader, moment: Moment): boolean;
  /** True when the start of this session was answered before, or another hook has just asked for the same. */
  hadStart(reader: Reader, start: Start): boolean;
  /** Takes what is about to be put in; false when somebody else has put it in meanwhile. */
  take(reader: Reader, taken: { moments: readonly Moment[]; records: readonly number[] }): Promise<boolean>;
  /** `take` of a start; one that begins anew forgets first what was put in before. */
  takeStart(reader: Reader, start: Start, records: readonly number[]): Promise<boolean>;
  /** The reader's context is about to be taken away: all may be put in again. */
  forget(reader: Reader): Promise<void>;
}

/** Two hooks that are registered for one event deliver it within moments; a start this much later is another one. */
const sameEventMs = 10_000;

export function createLedger({ port, now, commit }: LedgerDeps): Ledger {
  const had = (reader: Reader, item: string): boolean => port.since(stored(reader), item) !== undefined;

  function hadStart(reader: Reader, { eventKey, anew }: Start): boolean {
    if (!anew) return had(reader, "start");
    const at = port.since(stored(reader), `event:${eventKey}`);
    return at !== undefined && Math.abs(now() - at) < sameEventMs;
  }

  return {
    records: (reader) => new Set(port.items(stored(reader)).flatMap(recordId)),
    had,
    hadStart,
    take: (reader, { moments, records }) =>
      commit(() => {
        const items = [...moments, ...records.map(recordItem)];
        if (items.some((item) => had(reader, item))) return false;
        port.add(stored(reader), items, now());
        return true;
      }),
    takeStart: (reader, start, records) =>
      commit(() => {
        if (hadStart(reader, start)) return false;
        if (start.anew) port.clear(stored(reader));
        port.add(stored(reader), ["start", `event:${start.eventKey}`, ...records.map(recordItem)], now());
        return true;
      }),
    forget: (reader) => commit(() => port.clear(stored(reader))),
  };
}

function stored({ sessionId, agentId }: Reader): StoredReader {
  return { session: sessionId, reader: agentId ?? "" };
}

const recordPrefix = "record:";

function recordItem(id: number): string {
  return `${recordPrefix}${id}`;
}

function recordId(item: string): number[] {
  return item.startsWith(recordPrefix) ? [Number(item.slice(recordPrefix.length))] : [];
}
