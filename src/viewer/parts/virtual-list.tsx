// A list of rows of one height, of which only those on the screen are in the document. New rows above do not move what is
// being read.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { presentEntry } from "../location.ts";

interface VirtualListProps<T> {
  items: readonly T[];
  keyOf(item: T): string;
  row(item: T): ComponentChildren;
  label: string;
  /** Called when the end comes near. */
  onEnd?(): void;
  /** Called with the number of rows down to the end of the screen; 0 when the list is left. */
  onShown?(rows: number): void;
  /** Called with the number of rows that came in above the screen since the reader was at the top; 0 at the top. */
  onUnseen?(rows: number): void;
}

interface Held {
  key: string;
  at: number;
  /** Key of the first row of all when the reader left the top. */
  top: string | undefined;
}

// Rows beyond the screen: `j` and `k` move the focus to the next row of the document.
const overscan = 12;
const screenful = 40;

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, row, label, onEnd, onShown, onUnseen } = props;
  const list = useRef<HTMLDivElement>(null);
  const [[first, last], setRange] = useState<readonly [number, number]>([0, screenful]);
  // The first row on the screen, by key: what stays where it is.
  const [entry] = useState(presentEntry);
  const held = useRef<Held | undefined>(entry.row && { ...entry.row, top: undefined });
  const top = items[0] === undefined ? undefined : keyOf(items[0]);

  function look(): void {
    const [element, scroller] = [list.current, scrollerOf(list.current)];
    if (element === null || scroller === null) return;
    const height = rowHeight(element);
    const hidden = hiddenAbove(element, scroller);
    const at = Math.max(0, Math.floor(hidden / height));
    const rows = Math.ceil(scroller.clientHeight / height);
    const range = [Math.max(0, at - overscan), at + rows + overscan] as const;
    setRange((before) => (before[0] === range[0] && before[1] === range[1] ? before : range));
    const item = items[at];
    if (hidden <= 0 || item === undefined) {
      held.current = undefined;
      onUnseen?.(0);
    } else if (held.current?.top === undefined) held.current = { key: keyOf(item), at, top };
    else held.current = { ...held.current, key: keyOf(item), at };
    entry.row = held.current;
    onShown?.(at + rows);
    if (at + rows + 2 * overscan >= items.length) onEnd?.();
  }

  // The listener must not see the items of an earlier rendering: it would hold a row that has moved since.
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    const scroller = scrollerOf(list.current);
    if (scroller === null) return;
    const lookNow = () => latest.current();
    const resized = new ResizeObserver(lookNow);
    resized.observe(scroller);
    scroller.addEventListener("scroll", lookNow, { passive: true });
    return () => {
      resized.disconnect();
      scroller.removeEventListener("scroll", lookNow);
      onShown?.(0);
    };
  }, []);

  useLayoutEffect(() => {
    const [element, scroller, anchor] = [list.current, scrollerOf(list.current), held.current];
    if (element !== null && scroller !== null && anchor !== undefined) {
      const now = items.findIndex((item) => keyOf(item) === anchor.key);
      const moved = now < 0 ? 0 : (now - anchor.at) * rowHeight(element);
      if (moved !== 0) scroller.scrollTop += moved;
      // Where the way back to this page leads, when it is being scrolled there.
      entry.top += moved;
      const unseen = items.findIndex((item) => keyOf(item) === anchor.top);
      if (unseen > 0) onUnseen?.(unseen);
    }
    look();
  }, [items]);

  const end = Math.min(last, items.length);
  return (
    <div ref={list} class="virtual" style={{ height: `calc(var(--row) * ${items.length})` }}>
      <ol aria-label={label} style={{ transform: `translateY(calc(var(--row) * ${first}))` }}>
        {items.slice(first, end).map((item, index) => (
          <li key={keyOf(item)} aria-posinset={first + index + 1} aria-setsize={items.length}>
            {row(item)}
          </li>
        ))}
      </ol>
    </div>
  );
}

function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  return element?.closest("main") ?? null;
}

function rowHeight(element: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(element).getPropertyValue("--row")) || 64;
}

// Pixels of the list that are scrolled away.
function hiddenAbove(element: HTMLElement, scroller: HTMLElement): number {
  return scroller.getBoundingClientRect().top - element.getBoundingClientRect().top;
}
