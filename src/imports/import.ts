// Imports sources one after the other: each from where its last import ended, in parts, until it is stopped.
import { setTimeout as delay } from "node:timers/promises";
import { addCounts, type ImportCounts, noImports } from "../core/records/imports.ts";
import type { Json, JsonObject } from "../text/json.ts";
import { type ImportFilter, selectedRecords } from "./filter.ts";
import { type SendPort, sendBatch, sendRecords } from "./send.ts";
import { type Source, stepsOf, whyUnreadable } from "./source.ts";

/** Where imports go: the worker's routes. */
export interface ImportPort extends SendPort {
  importState(source: string): Promise<{ position: Json; waiting: number }>;
}

export interface ImportProgress extends ImportCounts {
  /** Sources, and sources that were read to their end. */
  sources: number;
  finished: number;
  /** Records of other memories. */
  records: number;
  lines: number;
  /** Records of excluded projects and paths. */
  excluded: number;
  malformed: number;
  /** Last turns that may still be running. */
  unfinished: number;
  /** The first lines that cannot be read, as `path:line`. */
  malformedAt: string[];
  /** Why sources, or files of one, could not be read. */
  unreadable: string[];
  /** For a bar: of what. */
  total: number;
  done: number;
  failed: number;
  /** Imported messages without a record yet, once everything is read. */
  waiting: number;
}

export interface ImportOptions {
  port: ImportPort;
  signal: AbortSignal;
  /** Leaves out events. Then the position is not stored, so that a later import finds them. */
  filter: ImportFilter | null;
  onProgress(progress: ImportProgress): void;
}

/** Resolves with what was imported, also after `signal`. */
export async function importAll(sources: readonly Source[], options: ImportOptions): Promise<ImportProgress> {
  const { port, signal, filter, onProgress } = options;
  let progress: ImportProgress = {
    ...noImports,
    ...{ sources: sources.length, finished: 0, records: 0, lines: 0, excluded: 0, malformed: 0 },
    ...{ unfinished: 0, malformedAt: [], unreadable: [] },
    ...{ total: sources.reduce((sum, { size }) => sum + size, 0), done: 0, failed: 0, waiting: 0 },
  };
  const show = (change: Partial<ImportProgress>): void => {
    progress = { ...progress, ...change };
    onProgress(progress);
  };
  for (const source of sources) {
    const before = progress.done;
    if (signal.aborted) return progress;
    try {
      for await (const counts of importSource(source, options)) {
        const { malformedAt, unreadable, ...sums } = counts;
        show({
          ...addCounts<Sums>(sums, progress),
          unreadable: [...progress.unreadable, ...unreadable],
          malformedAt: [...progress.malformedAt, ...malformedAt].slice(0, mostNamed),
        });
        if (signal.aborted) return progress;
      }
    } catch (thrown) {
      show({ unreadable: [...progress.unreadable, whyUnreadable(thrown, sources.length)] });
    }
    show({ finished: progress.finished + 1, done: before + source.size });
  }
  const [any] = sources;
  // Memories of agents change where transcripts have nothing new.
  for (const { key, host, folder } of filter === null ? oneOfEachHost(sources) : [])
    await sendBatch(port, { source: key, host, folder, events: [] }, { signal });
  for (
    let waited = 0;
    any !== undefined && waited < longestWaitMs && !signal.aborted;
    waited += lookEveryMs
  ) {
    const { waiting } = await port.importState(any.key);
    show({ waiting });
    if (waiting === 0) break;
    await delay(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return progress;
}

const oneOfEachHost = (sources: readonly Source[]) => new Map(sources.map((one) => [one.host, one])).values();

const mostNamed = 5;
const lookEveryMs = 250;
// Records of a part take a second; where a model is called for others, its messages are not counted.
const longestWaitMs = 120_000;

type Sums = ImportCounts &
  Pick<ImportProgress, "records" | "lines" | "excluded" | "malformed" | "unfinished" | "done">;

async function* importSource(
  source: Source,
  options: ImportOptions,
): AsyncGenerator<Sums & Pick<ImportProgress, "malformedAt" | "unreadable">> {
  const { port, signal, filter } = options;
  const start = filter === null ? (await port.importState(source.key)).position : null;
  // What is excluded today is read again by the next import.
  let isRepeated = filter !== null;
  for await (const step of stepsOf(source, start)) {
    const { lines, malformed, malformedAt, unreadable = [], unfinished = 0, read: done } = step;
    const records = await importRecords(selectedRecords(step.records ?? [], filter), options);
    const events = filter === null ? step.events : await filter.events(step.events);
    const batch = { source: source.key, host: source.host, folder: source.folder, events };
    isRepeated ||= records.excluded > 0;
    const isNeeded = !isRepeated || events.length > 0;
    const counts = isNeeded
      ? await sendBatch(port, isRepeated ? batch : { ...batch, position: step.position }, { signal })
      : noImports;
    yield {
      ...addCounts(counts, { ...noImports, ...records.counts }),
      ...{ records: records.added, excluded: records.excluded, lines, malformed, unfinished, done },
      malformedAt: malformedAt === null ? [] : [`${source.name}:${malformedAt}`],
      unreadable,
    };
  }
}

async function importRecords(
  records: readonly JsonObject[],
  { port, signal }: ImportOptions,
): Promise<{
  added: number;
  excluded: number;
  counts: Pick<ImportCounts, "sessions" | "prompts" | "known" | "skipped">;
}> {
  const counts = { sessions: 0, prompts: 0, known: 0, skipped: 0 };
  let added = 0;
  let excluded = 0;
  const outcomes = await sendRecords(port, records, { signal });
  for (const [index, outcome] of outcomes.entries()) {
    const type = records[index]?.type;
    if (outcome === "added" && type === "session") counts.sessions += 1;
    else if (outcome === "added" && type === "prompt") counts.prompts += 1;
    else if (outcome === "added") added += 1;
    else if (outcome === "excluded") excluded += type === "session" ? 0 : 1;
    else if (outcome !== "present") counts.skipped += 1;
    else if (type !== "session") counts.known += 1;
  }
  return { added, excluded, counts };
}
