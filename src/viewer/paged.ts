// A list that the API gives in pages: the first one now, further ones on demand.
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiFault, faultOf, isAborted } from "./faults.ts";

export interface Paged<T> {
  items: readonly T[];
  /** False before the first page and once the last one is there. */
  hasMore: boolean;
  isLoading: boolean;
  fault: ApiFault | undefined;
  /** Reads the next page, unless one is being read. */
  more(): void;
  /** Reads again all that is there. */
  reload(): void;
}

interface Page<T> {
  items: T[];
  hasMore: boolean;
}

type ReadPage<T> = (page: { offset: number; limit: number }, signal: AbortSignal) => Promise<Page<T>>;

interface State<T> {
  items: readonly T[];
  hasMore: boolean;
  isLoading: boolean;
  fault: ApiFault | undefined;
}

/** Reads with `read` when `deps` change; the list is empty meanwhile. */
export function usePaged<T>(read: ReadPage<T>, deps: readonly unknown[], pageSize = 100): Paged<T> {
  const [state, setState] = useState<State<T>>(unread);
  const running = useRef<AbortController | undefined>(undefined);
  const count = useRef(0);

  async function load(keep: readonly T[], wanted: number): Promise<void> {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setState((before) => ({ ...before, isLoading: true }));
    try {
      let items = [...keep];
      let hasMore = true;
      while (hasMore && items.length < wanted) {
        const page = await read({ offset: items.length, limit: pageSize }, signal);
        items = [...items, ...page.items];
        hasMore = page.hasMore && page.items.length > 0;
      }
      count.current = items.length;
      setState({ items, hasMore, isLoading: false, fault: undefined });
    } catch (error) {
      if (!signal.aborted && !isAborted(error))
        setState((before) => ({ ...before, isLoading: false, fault: faultOf(error) }));
    }
  }

  useEffect(() => {
    count.current = 0;
    setState(unread);
    void load([], pageSize);
    return () => running.current?.abort();
  }, deps);

  return {
    ...state,
    more: () => {
      if (!state.isLoading && state.hasMore) void load(state.items, state.items.length + 1);
    },
    reload: () => void load([], Math.max(count.current, pageSize)),
  };
}

const unread = { items: [], hasMore: false, isLoading: true, fault: undefined };
