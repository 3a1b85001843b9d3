// The ledger of injected records: nothing is injected twice, whether by two hooks or after a restart.
import { contentKey } from "../core/ids.ts";
import type { Injected } from "../core/records/injection.ts";

/** Whose context it is; `reader` is the id of a sub-agent, "" for the session's main agent. */
export interface Reader {
  session: string;
  reader: string;
}

export interface LedgerPort {
  items(reader: Reader): string[];
  since(reader: Reader, item: string): number | undefined;
  add(reader: Reader, items: readonly string[], now: number): void;
  /** Adds a text to the log of what was injected. */
  log(reader: Reader, injected: Injected, now: number): void;
  /** Deletes all items, or those added until a time. */
  clear(reader: Reader, until?: number): void;
}

interface LedgerDeps {
  port: LedgerPort;
  now(): number;
  /** Needs no sync: what a power cut takes is injected twice. */
  commit<T>(work: () => T): Promise<T>;
}

/** Moments at which a text is injected once. */
export type Moment = "start" | "prompt";

export interface Start {
  /** The same for every delivery of the same event. */
  eventKey: string;
  /** The host dropped the earlier context, so everything may be injected again. */
  isReset: boolean;
}

/** A file as the reader knows it. */
export interface KnownFile {
  path: string;
  /** Identifies the content; null for the content that its records describe. */
  content: string | null;
}

/** What is about to be injected. */
export interface Claim {
  records: readonly number[];
  /** Records shown with a changed file. */
  changed?: readonly number[] | undefined;
  file?: KnownFile | undefined;
  /** Records shown at an action: once each, even if the start showed them. */
  atAction?: readonly number[] | undefined;
  /** For the log; left out when nothing is shown. */
  injected?: Injected | undefined;
}

/** What a reader knows of one file, besides its records. */
export interface KnownOfFile {
  /** Records that were shown with a changed file. */
  changed: ReadonlySet<number>;
  /** Something was shown about this file. */
  isFileKnown: boolean;
  /** Contents of the file that the reader knows. */
  contents: ReadonlySet<string>;
}

export type Ledger = ReturnType<typeof createLedger>;

/** Two hooks for one event deliver it within moments; a later start is another event. */
const sameEventMs = 10_000;

export function createLedger({ port, now, commit }: LedgerDeps) {
  const had = (reader: Reader, item: string): boolean => port.since(reader, item) !== undefined;

  function hadStart(reader: Reader, { eventKey, isReset }: Start): boolean {
    if (!isReset) return had(reader, "start");
    const at = port.since(reader, `event:${eventKey}`);
    return at !== undefined && Math.abs(now() - at) < sameEventMs;
  }

  function logged(reader: Reader, { injected }: Claim): void {
    if (injected !== undefined) port.log(reader, injected, now());
  }

  return {
    records: (reader: Reader) => idsOf(port.items(reader), prefixes.record),
    /** Records shown at an action. */
    atAction: (reader: Reader) => idsOf(port.items(reader), prefixes.action),
    ofFile: (reader: Reader, path: string) => knownOfFile(port.items(reader), path),
    had,
    /** True when this start was answered before, also to another hook of the same event. */
    hadStart,
    /** False when part of the claim was injected meanwhile; then nothing is stored. */
    claim: (reader: Reader, { moments, ...claim }: Claim & { moments: readonly Moment[] }) =>
      commit(() => {
        const { once, also } = itemsOf(claim);
        const items = [...moments, ...once];
        if (items.some((item) => had(reader, item))) return false;
        port.add(reader, [...items, ...also], now());
        logged(reader, claim);
        return true;
      }),
    /** `claim` for a start; a reset clears the reader's items first. */
    claimStart: (reader: Reader, start: Start, claim: Claim) =>
      commit(() => {
        if (hadStart(reader, start)) return false;
        if (start.isReset) port.clear(reader);
        const { once, also } = itemsOf(claim);
        port.add(reader, ["start", `event:${start.eventKey}`, ...once, ...also], now());
        logged(reader, claim);
        return true;
      }),
    /** The reader wrote this content itself. */
    know: (reader: Reader, file: KnownFile) => commit(() => port.add(reader, fileItems(file), now())),
    /** Notes the items that the reader does not have yet. */
    async note(reader: Reader, items: readonly string[]) {
      const added = items.filter((item) => !had(reader, item));
      if (added.length > 0) await commit(() => port.add(reader, added, now()));
    },
    /** The reader loses its context, or lost it at that time. */
    forget: (reader: Reader, at?: number) => commit(() => port.clear(reader, at)),
  };
}

const prefixes = { record: "record:", changed: "changed:", action: "action:" };

/** `once`: items that may be injected once only. */
function itemsOf({ records, changed = [], file, atAction = [] }: Claim): { once: string[]; also: string[] } {
  const [known, ...content] = file === undefined ? [] : fileItems(file);
  return {
    once: [
      ...records.map((id) => `${prefixes.record}${id}`),
      ...atAction.map((id) => `${prefixes.action}${id}`),
      ...content,
    ],
    also: [...changed.map((id) => `${prefixes.changed}${id}`), ...(known === undefined ? [] : [known])],
  };
}

function fileItems({ path, content }: KnownFile): string[] {
  const prefix = filePrefix(path);
  return content === null ? [prefix] : [prefix, `${prefix}${content}`];
}

// A hash, because paths may be long.
function filePrefix(path: string): string {
  return `file:${contentKey(path).slice(0, 32)}:`;
}

function knownOfFile(items: readonly string[], path: string): KnownOfFile & { records: ReadonlySet<number> } {
  const contents = valuesOf(items, filePrefix(path));
  return {
    records: idsOf(items, prefixes.record),
    changed: idsOf(items, prefixes.changed),
    isFileKnown: contents.length > 0,
    contents: new Set(contents.filter((content) => content !== "")),
  };
}

function idsOf(items: readonly string[], prefix: string): Set<number> {
  return new Set(valuesOf(items, prefix).map(Number));
}

function valuesOf(items: readonly string[], prefix: string): string[] {
  return items.filter((item) => item.startsWith(prefix)).map((item) => item.slice(prefix.length));
}
