// What an agent has in its context already: nothing is put there twice, be it by two hooks or after a restart.
import { contentKey } from "../core/ids.ts";

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
  /** Forgets all that it has, or what it had at a time. */
  clear(reader: StoredReader, until?: number): void;
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

/** A file as the reader knows it. */
export interface KnownFile {
  path: string;
  /** What names its content; null for that which its records were written of. */
  content: string | null;
}

/** What is put in. */
export interface Taken {
  records: readonly number[];
  /** Those of them that were told to be of files that changed. */
  changed?: readonly number[] | undefined;
  file?: KnownFile | undefined;
  /** Records whose one line came at the moment of an action: it may repeat what the start said, but only once. */
  atAction?: readonly number[] | undefined;
}

/** What a reader was told that bears on one file. */
export interface Told {
  records: ReadonlySet<number>;
  /** Those that were told to be of files that changed. */
  changed: ReadonlySet<number>;
  /** Whether anything was told of this file in particular. */
  isFileKnown: boolean;
  /** Contents of the file that the reader knows of. */
  contents: ReadonlySet<string>;
}

export interface Ledger {
  /** Ids of the records that the reader has. */
  records(reader: Reader): ReadonlySet<number>;
  told(reader: Reader, path: string): Told;
  /** Ids of the records that the reader was reminded of at an action. */
  atAction(reader: Reader): ReadonlySet<number>;
  had(reader: Reader, moment: Moment): boolean;
  /** True when the start of this session was answered before, or another hook has just asked for the same. */
  hadStart(reader: Reader, start: Start): boolean;
  /** Takes what is about to be put in; false when somebody else has put it in meanwhile. */
  take(reader: Reader, taken: Taken & { moments: readonly Moment[] }): Promise<boolean>;
  /** `take` of a start; one that begins anew forgets first what was put in before. */
  takeStart(reader: Reader, start: Start, taken: Taken): Promise<boolean>;
  /** The reader has made the file what it is now. */
  know(reader: Reader, file: KnownFile): Promise<void>;
  /** The reader's context is about to be taken away, or was at that time: all that it had may be put in again. */
  forget(reader: Reader, at?: number): Promise<void>;
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
    records: (reader) => idsOf(port.items(stored(reader)), recordPrefix),
    atAction: (reader) => idsOf(port.items(stored(reader)), actionPrefix),
    told: (reader, path) => toldOf(port.items(stored(reader)), path),
    had,
    hadStart,
    take: (reader, { moments, ...taken }) =>
      commit(() => {
        const { once, also } = itemsOf(taken);
        const items = [...moments, ...once];
        if (items.some((item) => had(reader, item))) return false;
        port.add(stored(reader), [...items, ...also], now());
        return true;
      }),
    takeStart: (reader, start, taken) =>
      commit(() => {
        if (hadStart(reader, start)) return false;
        if (start.anew) port.clear(stored(reader));
        const { once, also } = itemsOf(taken);
        port.add(stored(reader), ["start", `event:${start.eventKey}`, ...once, ...also], now());
        return true;
      }),
    know: (reader, file) => commit(() => port.add(stored(reader), fileItems(file), now())),
    forget: (reader, at) => commit(() => port.clear(stored(reader), at)),
  };
}

function stored({ sessionId, agentId }: Reader): StoredReader {
  return { session: sessionId, reader: agentId ?? "" };
}

const recordPrefix = "record:";
const changedPrefix = "changed:";
const actionPrefix = "action:";

/** What may be put in once, and what may be known before. */
function itemsOf({ records, changed = [], file, atAction = [] }: Taken): { once: string[]; also: string[] } {
  const [known, ...content] = file === undefined ? [] : fileItems(file);
  return {
    once: [
      ...records.map((id) => `${recordPrefix}${id}`),
      ...atAction.map((id) => `${actionPrefix}${id}`),
      ...content,
    ],
    also: [...changed.map((id) => `${changedPrefix}${id}`), ...(known === undefined ? [] : [known])],
  };
}

// Paths may be long, and no one needs to read them here.
function filePrefix(path: string): string {
  return `file:${contentKey(path).slice(0, 32)}:`;
}

function fileItems({ path, content }: KnownFile): string[] {
  const prefix = filePrefix(path);
  return content === null ? [prefix] : [prefix, `${prefix}${content}`];
}

function toldOf(items: readonly string[], path: string): Told {
  const prefix = filePrefix(path);
  const ofFile = items.filter((item) => item.startsWith(prefix));
  return {
    records: idsOf(items, recordPrefix),
    changed: idsOf(items, changedPrefix),
    isFileKnown: ofFile.length > 0,
    contents: new Set(ofFile.map((item) => item.slice(prefix.length)).filter((content) => content !== "")),
  };
}

function idsOf(items: readonly string[], prefix: string): Set<number> {
  return new Set(
    items.filter((item) => item.startsWith(prefix)).map((item) => Number(item.slice(prefix.length))),
  );
}
