// The live feed: pages of the timeline from the newest record on, and what the stream adds and changes.
import type { StreamEvent } from "../core/records/events.ts";
import { type Api, type ApiFault, faultOf, isAborted } from "./api.ts";
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
  receive(event: StreamEvent): void;
  close(): void;
}

type RecordEvent = Extract<StreamEvent, { type: "record_deleted" | "record_restored" }>;

interface FeedPage {
  lines: Line[];
  hasMore: boolean;
}

const pageSize = 100;

/** The feed of a project, or of all. It reads nothing until `refresh`. */
function createFeed(api: Api, project: string | null): Feed {
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
    // Many records can have one time: the name says which of them was the last one.
    const place = last && { before: lineName(last), before_epoch: last.at };
    try {
      const query = { ...place, limit: pageSize, project: project ?? "" };
      const { items, hasMore } = await api.get("/api/feed", query, stopped.signal);
      change({ isLoading: false, fault: undefined });
      return { lines: items.map(timelineLine), hasMore };
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  async function refresh(): Promise<void> {
    const page = await read();
    if (page === undefined) return;
    change(withNewest(state.get(), page));
  }

  async function more(): Promise<void> {
    const { lines, hasMore, isLoading } = state.get();
    const oldest = lines.at(-1);
    if (!hasMore || isLoading || oldest === undefined) return;
    const page = await read(oldest);
    if (page === undefined) return;
    const now = state.get().lines;
    // Meanwhile the list was read from its top again, or lost its end: the page would leave a gap.
    if (now.at(-1)?.key !== oldest.key) return more();
    change({ lines: mergeLines(now, page.lines), hasMore: page.hasMore });
  }

  function receive(event: StreamEvent): void {
    if (event.type === "record_deleted" || event.type === "record_restored") void move(event);
    const line = eventLine(event);
    if (line !== undefined) insert(line);
  }

  function insert(line: Line): void {
    if (project !== null && line.project !== project) return;
    const { lines, hasMore } = state.get();
    const oldest = lines.at(-1);
    // Older than what is loaded: it comes with its page.
    if (hasMore && oldest !== undefined && newestFirst(line, oldest) > 0) return;
    const isHidden = line.marks.includes("rejected");
    change({ lines: isHidden ? without(lines, line.key) : mergeLines(lines, [line]) });
  }

  async function move({ type, kind, id }: RecordEvent): Promise<void> {
    if (kind === "session") {
      // Records go and come with it that the event does not name.
      change({ lines: [] });
      await refresh();
    } else if (type === "record_deleted") {
      change({ lines: without(state.get().lines, lineKey(kind, id)) });
    } else {
      await readRecord(api, kind, id, stopped.signal).then((record) => insert(lineOf(record)), fail);
    }
  }

  return { state, more: () => void more(), refresh, receive, close: () => stopped.abort() };
}

/** The feed with its newest page as it is now. */
function withNewest({ lines, hasMore }: FeedState, page: FeedPage): Pick<FeedState, "lines" | "hasMore"> {
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

/** Gives the feed of a project. The last one stays open and live, so that the way back to it reads nothing again. */
export function createFeeds(api: Api, stream: Stream): (project: string | null) => Feed {
  let open: { project: string | null; feed: Feed; close(): void } | undefined;
  return (project) => {
    if (open?.project === project) return open.feed;
    open?.close();
    const feed = createFeed(api, project);
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
