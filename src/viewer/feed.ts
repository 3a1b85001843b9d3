// The live feed: pages of the timeline from the newest record on, and what the stream adds and changes.
import type { StreamEvent } from "../core/records/events.ts";
import type { Api } from "./api.ts";
import { type ApiFault, faultOf, isAborted } from "./faults.ts";
import { eventLine, type Line, lineKey, lineName, mergeLines, newestFirst, timelineLine } from "./lines.ts";
import { createObservable, type Observable } from "./observable.ts";
import { lineOf, readRecord } from "./records.ts";
import type { Stream } from "./stream.ts";

export interface FeedState {
  /** Newest first. */
  lines: readonly Line[];
  /** False once the oldest record is there. */
  hasMore: boolean;
  isLoading: boolean;
  fault: ApiFault | undefined;
}

export interface Feed {
  state: Observable<FeedState>;
  /** Reads the next older page, unless it is being read. */
  more(): void;
  /** Reads the newest page again: after a gap of the stream, and first of all. */
  refresh(): Promise<void>;
  /** Says how many lines the reader has down to the end of the screen; 0 when the page is left. */
  shows(count: number): void;
  receive(event: StreamEvent): void;
  close(): void;
}

interface FeedPage {
  lines: Line[];
  hasMore: boolean;
}

type Part = Pick<FeedState, "lines" | "hasMore">;

const pageSize = 100;
// A page that stays open for weeks gets far more. What is dropped is read again when the reader scrolls there.
const mostLines = 2_000;

/** The feed of a project, or of all. It reads nothing until `refresh`. */
function createFeed(api: Api, project: string | null, most: number): Feed {
  let shown = 0;
  const stopped = new AbortController();
  const state = createObservable<FeedState>({
    lines: [],
    hasMore: true,
    isLoading: true,
    fault: undefined,
  });

  function change(part: Partial<FeedState>): void {
    state.set({ ...state.get(), ...part });
  }

  function fail(error: unknown): void {
    if (!isAborted(error)) change({ isLoading: false, fault: faultOf(error) });
  }

  async function read(last?: Line): Promise<FeedPage | undefined> {
    change({ isLoading: true });
    try {
      const page = await readPage(api, { project, last }, stopped.signal);
      change({ isLoading: false, fault: undefined });
      return page;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  async function refresh(): Promise<void> {
    const page = await read();
    if (page !== undefined) keep(withNewest(state.get(), page));
  }

  // The oldest lines above the limit go, unless the reader is there.
  function keep(part: Part): void {
    change(cut(part, Math.max(most, shown + pageSize)));
  }

  async function more(): Promise<void> {
    const { lines, hasMore, isLoading } = state.get();
    const oldest = lines.at(-1);
    if (!hasMore || isLoading || oldest === undefined) return;
    const page = await read(oldest);
    if (page === undefined) return;
    // Meanwhile the list was read from its top again, or lost its end: the page would leave a gap.
    if (state.get().lines.at(-1)?.key !== oldest.key) return more();
    change({ lines: mergeLines(state.get().lines, page.lines), hasMore: page.hasMore });
  }

  function insert(line: Line): void {
    if (project === null || line.project === project) keep(withLine(state.get(), line));
  }

  function receive(event: StreamEvent): void {
    const line = eventLine(event);
    if (line !== undefined) insert(line);
    if (event.type === "record_restored" && event.kind !== "session")
      readRecord(api, event.kind, event.id, stopped.signal).then((found) => insert(lineOf(found)), fail);
    else if (event.type === "record_deleted" && event.kind !== "session")
      change({ lines: without(state.get().lines, lineKey(event.kind, event.id)) });
    else if (event.type === "record_deleted" || event.type === "record_restored") {
      // Records go and come with a session that the event does not name.
      change({ lines: [] });
      void refresh();
    }
  }

  return {
    state,
    more: () => void more(),
    refresh,
    shows(count) {
      shown = count;
    },
    receive,
    close: () => stopped.abort(),
  };
}

function cut({ lines, hasMore }: Part, most: number): Part {
  return lines.length <= most ? { lines, hasMore } : { lines: lines.slice(0, most), hasMore: true };
}

/** The page that begins after `last`, or the newest one. */
async function readPage(
  api: Api,
  { project, last }: { project: string | null; last: Line | undefined },
  signal: AbortSignal,
): Promise<FeedPage> {
  // Many records can have one time: the name says which of them was the last one.
  const place = last && { before: lineName(last), before_epoch: last.at };
  const query = { ...place, limit: pageSize, project: project ?? "" };
  const { items, hasMore } = await api.get("/api/feed", query, signal);
  return { lines: items.map(timelineLine), hasMore };
}

/** The feed with a record that is new or changed. */
function withLine({ lines, hasMore }: FeedState, line: Line): Part {
  const oldest = lines.at(-1);
  // Older than what is loaded: it comes with its page.
  if (hasMore && oldest !== undefined && newestFirst(line, oldest) > 0) return { lines, hasMore };
  if (line.marks.includes("rejected")) return { lines: without(lines, line.key), hasMore };
  // An event does not say whether the branch of its record is merged.
  const branch = lines.find(({ key }) => key === line.key)?.branch;
  return { lines: mergeLines(lines, [{ ...line, branch }]), hasMore };
}

/** The feed with its newest page as it is now. */
function withNewest({ lines, hasMore }: FeedState, page: FeedPage): Part {
  const oldest = page.lines.at(-1);
  // Without a line in common, records between both would be missing.
  const known = new Set(lines.map(({ key }) => key));
  const isConnected = page.lines.some(({ key }) => known.has(key));
  if (!page.hasMore || oldest === undefined || !isConnected) return page;
  return { lines: [...page.lines, ...lines.filter((line) => newestFirst(line, oldest) > 0)], hasMore };
}

function without(lines: readonly Line[], key: string): Line[] {
  return lines.filter((line) => line.key !== key);
}

/**
 * Gives the feed of a project. The last one stays open and live, so that the way back to it reads nothing again. It keeps
 * `most` lines, and those that the reader scrolls through.
 */
export function createFeeds(
  api: Api,
  stream: Pick<Stream, "listen" | "onResync">,
  most = mostLines,
): (project: string | null) => Feed {
  let open: { project: string | null; feed: Feed; close(): void } | undefined;
  return (project) => {
    if (open?.project === project) return open.feed;
    open?.close();
    const feed = createFeed(api, project, most);
    const stops = [stream.listen(feed.receive), stream.onResync(() => void feed.refresh())];
    const close = () => {
      for (const stop of stops) stop();
      feed.close();
    };
    open = { project, feed, close };
    void feed.refresh();
    return feed;
  };
}
